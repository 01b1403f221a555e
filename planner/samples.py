"""Where the models and stories are that Stageboard brings along."""

from __future__ import annotations

from pathlib import Path

from planner.errors import StageboardError

ROOT = Path(__file__).resolve().parents[1]
MODELS = ROOT / "sample_models"
STORIES = ROOT / "assets" / "stories"


def sample(name: str) -> Path:
    """A sample model by file name. Raises :class:`StageboardError` where it is not there."""
    path = MODELS / name
    if not path.is_file():
        raise StageboardError(
            f"there is no sample model {name} in {MODELS}; take one of its files, or work in a checkout of Stageboard"
        )
    return path


def sample_name(path: Path) -> str:
    """The name of the sample model that ``path`` is, or nothing."""
    file = path.resolve()
    return file.name if file.parent == MODELS.resolve() and file.is_file() else ""
