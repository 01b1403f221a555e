"""Where a folder of pictures goes: filled beside its place and moved there when it is whole, so that a cancel leaves nothing."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from planner.errors import StageboardError
from planner.files import behind_links, not_written, sync_folder
from planner.temporary import name_beside, noted


def check_folder(folder: Path) -> None:
    """Refuse a folder of pictures that holds other things. Raises :class:`StageboardError`."""
    folder = behind_links(folder)
    if folder.exists() and not folder.is_dir():
        raise StageboardError(f"{folder} is a file; give the name of a folder for the pictures")
    if folder.is_dir() and any(folder.iterdir()):
        raise StageboardError(f"{folder} is not empty; give the name of a new folder for the pictures")
    if not folder.absolute().parent.is_dir():
        raise StageboardError(
            f"{folder} cannot be made: there is no folder {folder.parent}; make it or choose another place"
        )


@contextmanager
def folder_place(folder: Path) -> Iterator[Path]:
    """A folder to fill beside ``folder`` (which is empty or not there), moved to its place at the end.

    Raises :class:`StageboardError` where the system refuses.
    """
    check_folder(folder)
    target = behind_links(folder).absolute()
    temporary = name_beside(target)
    with noted(temporary):
        try:
            temporary.mkdir(0o700)
            yield temporary
            os.chmod(temporary, 0o755)
            if target.is_dir():
                target.rmdir()
            os.replace(temporary, target)
            sync_folder(target.parent)
        except OSError as error:
            raise not_written(folder, error) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def slug(text: str, longest: int = 48) -> str:
    """``text`` as a part of a file name: lower case letters, digits, dashes and the points of numbers; may be empty.

    Units stay what they are: of ``990.20 \N{MICRO SIGN}s`` it is ``990.20-us``.
    """
    words = re.sub("[\N{MICRO SIGN}\N{GREEK SMALL LETTER MU}]", "u", text.lower()).replace("%", " percent")
    return re.sub(r"(?:[^a-z0-9.]|(?<!\d)\.|\.(?!\d))+", "-", words)[:longest].strip("-.")
