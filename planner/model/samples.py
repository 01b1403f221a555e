"""What Stageboard brings along: where its models, stories and pages are, and whether a file is one of its own."""

from __future__ import annotations

from pathlib import Path

from planner.errors import StageboardError

TOP = Path(__file__).resolve().parents[2]
"""The folder that holds the packages."""


def carried(top: Path) -> Path:
    """The folder of what is brought along, ``top`` being that of the packages: inside ``stageboard`` where the packages were installed or
    frozen into an app, ``top`` itself in a checkout."""
    installed = top / "stageboard" / "shipped"
    return installed if installed.is_dir() else top


ROOT = carried(TOP)
MODELS = ROOT / "sample_models"
ASSETS = ROOT / "assets"
STORIES = ASSETS / "stories"
DOCS = ROOT / "docs"


def sample(name: str) -> Path:
    """A sample model by file name. Raises :class:`StageboardError` where it is not there."""
    path = MODELS / name
    if not path.is_file():
        raise StageboardError(
            f"there is no sample model {name} in {MODELS}; take one of its files, or install Stageboard again"
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
