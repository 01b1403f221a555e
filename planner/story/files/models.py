"""The models of a story: where their files are, what they must be, and how they are named so that the story travels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from planner.errors import StageboardError, StoryError
from planner.files import JSON_LIMIT, read_bytes, write_atomically
from planner.formats import read_models
from planner.formats.networks.read import read_network
from planner.generate.catalogue import generate_network, kind
from planner.guard import guarded
from planner.model import samples
from planner.model.cost_model import fill
from planner.story.subject import SAMPLE, StoryModel, check_path

if TYPE_CHECKING:
    from planner.model.graph import Graph
    from planner.model.network import Network

LARGEST_COPY = 20 * JSON_LIMIT
"""Model files above this size (bytes) are not copied beside a story."""
GENERATED_FROM_FILES = ("pruned",)
"""Kinds that read files, which a story may not name."""


# ---------------------------------------------------------------------- reading
def read_story_model(
    model: StoryModel, folder: Path, given: Sequence[Path] = (), is_order: bool = False
) -> Graph | Network:
    """The graph (profiled) or network (``is_order``) of a story's model, checked to be the one that the story is about.

    ``given`` are files that stand in for those that are not where the story says, by name, or the only one for the only
    one. Raises :class:`StoryError` and what reading raises.
    """
    if model.generate:
        with guarded(
            "the model that the story generates", StoryError, smaller="make it smaller", remedy="correct it"
        ):
            found = _generated(model.generate, is_order)
    else:
        files = [_file(path, folder, given, len(model.paths) == 1) for path in model.paths]
        if is_order:
            found = read_network(files, model.density)
        else:
            found = read_models(files, batch=model.batch, precision=model.precision)
    if found.fingerprint != model.fingerprint:
        raise StoryError(
            f"the story was made for another {model.name} than the one found (its fingerprint begins with"
            f" {model.fingerprint[:12]}, here {found.fingerprint[:12]}); put the model that it was made for beside the story"
        )
    return found


def _file(path: str, folder: Path, given: Sequence[Path], alone: bool) -> Path:
    if path.startswith(SAMPLE):
        name = path.removeprefix(SAMPLE)
        place = samples.MODELS / name
    else:
        name = path.rpartition("/")[2]
        place = folder / path
        if not place.resolve().is_relative_to(folder.resolve()):
            raise StoryError(
                f"the story's model '{path}' leads out of the story's folder; put the file itself there"
            )
    if place.is_file():
        return place
    for other in given:
        if other.name == name or (alone and len(given) == 1):
            return other
    if path.startswith(SAMPLE):
        raise StoryError(
            f"there is no sample model '{name}'; it is needed by the story, give its file as well"
        )
    raise StoryError(
        f"the story's model '{path}' is not in {folder}; put it there, or name its file after the story's on the command line"
    )


def _generated(words: str, is_order: bool) -> Graph | Network:
    name, *rest = words.split()
    settings: dict[str, str] = {}
    for word in rest:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise StoryError(
                f"the story generates a model by '{words}', in which '{word}' is not KEY=VALUE; correct it"
            )
        settings[key] = value
    seed = settings.pop("seed", "0")
    if not seed.isdigit() or len(seed) > 18:
        raise StoryError(f"the story generates a model with seed '{seed}'; it must be a whole number from 0")
    if name in GENERATED_FROM_FILES:
        raise StoryError(
            f"the story generates a model by '{name}', which reads a file; name the file in its paths instead"
        )
    if is_order:
        return generate_network(name, settings, int(seed))
    return fill(kind(name).generate(int(seed), settings))


# ---------------------------------------------------------------------- naming
class Portable(NamedTuple):
    """Names of model files for :attr:`planner.story.subject.StoryModel.paths`, and the copies made beside the story for them."""

    names: tuple[str, ...]
    copied: tuple[Path, ...]


def portable_paths(paths: Sequence[Path], folder: Path) -> Portable:
    """How a story in ``folder`` names its model files; files from elsewhere are copied into it, whole or not at all.

    Raises :class:`StageboardError` where a file cannot be read or the copy cannot be written.
    """
    names: list[str] = []
    copied: list[Path] = []
    with withdrawing(copied):
        for path in paths:
            sample = samples.sample_name(path)
            inside = _inside(path, folder)
            if sample:
                names.append(SAMPLE + sample)
            elif inside:
                names.append(inside)
            else:
                place, new = _copy(path, folder)
                names.append(place.name)
                copied += [place] if new else []
    return Portable(tuple(names), tuple(copied))


@contextmanager
def withdrawing(copied: Sequence[Path]) -> Iterator[None]:
    """Where the block raises, the files that were ``copied`` for it by then are removed: nobody asked for them alone."""
    try:
        yield
    except StageboardError:
        for copy in copied:
            with suppress(OSError):
                copy.unlink()
        raise


def _inside(path: Path, folder: Path) -> str:
    try:
        name = path.resolve().relative_to(folder.resolve()).as_posix()
        check_path(name)
    except (ValueError, StageboardError):
        return ""
    return name


def _copy(path: Path, folder: Path) -> tuple[Path, bool]:
    """(the file beside the story with the content of ``path``, whether it is new)."""
    content = read_bytes(path, LARGEST_COPY, error=StoryError, remedy="put it beside the story yourself")
    stem, dot, suffix = re.sub(r"[\\:~\x00-\x1f]", "_", path.name).partition(".")
    for number in range(1, 1000):
        place = folder / (f"{stem}{dot}{suffix}" if number == 1 else f"{stem}-{number}{dot}{suffix}")
        if not place.exists():
            return write_atomically(place, content), True
        if place.is_file() and place.stat().st_size == len(content) and place.read_bytes() == content:
            return place, False
    raise StoryError(
        f"{folder} holds too many files named like {path.name}; save the story in another folder"
    )
