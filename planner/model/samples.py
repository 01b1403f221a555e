"""What Stageboard brings along: where its models and stories are, and whether a file is one of its own."""

from __future__ import annotations

from pathlib import Path

from planner.errors import StageboardError

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "sample_models"
ASSETS = ROOT / "assets"
STORIES = ASSETS / "stories"


def sample(name: str) -> Path:
    """A sample model by file name. Raises :class:`StageboardError` where it is not there."""
    path = MODELS / name
    if not path.is_file():
        raise StageboardError(
            f"there is no sample model {name} in {MODELS}; take one of its files, or work in a checkout of Stageboard"
        )
    return path


def ships(path: str | Path) -> bool:
    """Whether a file is one of Stageboard's own assets, told by where it really is: such a file is part of the program.

    A copy elsewhere is not, nor is a link in the assets that leads out of them.
    """
    return Path(path).resolve().is_relative_to(ASSETS.resolve())


def sample_name(path: Path) -> str:
    """The name of the sample model that ``path`` is, or nothing."""
    file = path.resolve()
    return file.name if file.parent == MODELS.resolve() and file.is_file() else ""
