"""Story files: JSON, one object with ``format`` ("stageboard-story"), ``version`` (1), ``title``, ``summary``, ``theme``,
``models``, ``plans`` and ``keyframes`` (:mod:`planner.story.story` says what each holds; what has its default is left out).

Plans are those of plan files with their decision packed (:mod:`planner.story.files.plans`). Files are untrusted: sizes and
counts are limited, paths stay inside the file's folder, and what a file claims of costs is compared, never believed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from planner.errors import StoryError
from planner.files import MEBIBYTE, parse_json, read_text, to_json, write_atomically
from planner.formats.checks import items, number, shown, table, whole
from planner.guard import guarded
from planner.plan_files.bound_json import claimant
from planner.plan_files.plan_parts import STORY_FORMAT
from planner.printable import escaped
from planner.story.files.models import Portable, portable_paths, withdrawing
from planner.story.files.plans import pack, resolve
from planner.story.story import Camera, Keyframe, Story, StoryModel, StoryPlan

__all__ = [
    "Portable",
    "is_story",
    "pack",
    "portable_paths",
    "read_story",
    "resolve",
    "withdrawing",
    "write_story",
]

FORMAT = STORY_FORMAT
VERSION = 1
LIMIT = 32 * MEBIBYTE
"""Story files above this size (bytes) are refused before they are read."""
SUFFIX = ".story.json"


# ---------------------------------------------------------------------- writing
def write_story(path: str | os.PathLike[str], story: Story) -> Path:
    """Write a story file, all of it or nothing. Raises :class:`StageboardError` where the system refuses."""
    return write_atomically(path, to_json(to_dict(story)))


def to_dict(story: Story) -> dict[str, Any]:
    """The JSON object of a story file."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": story.title,
        "summary": story.summary,
        "theme": story.theme,
        "models": [_model_dict(model) for model in story.models],
        "plans": [{"model": plan.model, "data": dict(plan.data)} for plan in story.plans],
        "keyframes": [_keyframe_dict(keyframe) for keyframe in story.keyframes],
    }


def _model_dict(model: StoryModel) -> dict[str, Any]:
    data: dict[str, Any] = {"fingerprint": model.fingerprint}
    if model.generate:
        data["generate"] = model.generate
    else:
        data["paths"] = list(model.paths)
    if model.batch != 1:
        data["batch"] = model.batch
    if model.density is not None:
        data["density"] = model.density
    return data


def _keyframe_dict(keyframe: Keyframe) -> dict[str, Any]:
    data: dict[str, Any] = {
        "title": keyframe.title,
        "caption": keyframe.caption,
        "plan": keyframe.plan,
        "view": keyframe.view,
    }
    if keyframe.camera is not None:
        camera = keyframe.camera
        data["camera"] = {"x": camera.x, "y": camera.y, "width": camera.width, "height": camera.height}
    if keyframe.highlight:
        data["highlight"] = list(keyframe.highlight)
    if keyframe.panel:
        data["panel"] = keyframe.panel
    if keyframe.versus >= 0:
        data["versus"] = keyframe.versus
    if keyframe.at is not None:
        data["at"] = keyframe.at
    return {**data, "hold": keyframe.hold, "transition": keyframe.transition}


# ---------------------------------------------------------------------- reading
def read_story(path: str | os.PathLike[str]) -> Story:
    """The story in a file, checked but for its models, which :func:`resolve` reads.

    Raises :class:`StoryError`: one sentence naming the file, what is wrong with it and what to do.
    """
    file = Path(path).name
    with guarded(file, StoryError, smaller="make it of fewer plans"):
        text = read_text(path, LIMIT, error=StoryError, remedy="make it of fewer plans")
        return from_dict(parse_json(text, file, StoryError), file, claimant(path))


def is_story(path: str | os.PathLike[str]) -> bool:
    """Whether a file looks like a story, by its first bytes: the whole file is not read."""
    try:
        with Path(path).open("rb") as stream:
            return f'"{FORMAT}"'.encode() in stream.read(4096)
    except (OSError, ValueError):
        return False


def from_dict(value: Any, file: str, claimed_by: str) -> Story:
    """The story of a JSON value; ``file`` is what sentences call it, ``claimed_by`` who claims its bounds.

    Raises :class:`StoryError`.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise StoryError(
            f"{file} is not a Stageboard story; choose a file that 'stageboard story' or 'Save Story' wrote"
        )
    if value.get("version") != VERSION:
        raise StoryError(
            f"{file}: version {shown(value.get('version'))} of the story format is not known here, version {VERSION} is;"
            " open it with the Stageboard that wrote it"
        )
    fields = {"format", "version", "title", "summary", "theme", "models", "plans", "keyframes"}
    _known(value, fields, "the story")
    return Story(
        title=_words(value, "title", "the story"),
        summary=_words(value, "summary", "the story"),
        models=tuple(_model(entry, i) for i, entry in _entries(value, "models")),
        plans=tuple(_plan(entry, i) for i, entry in _entries(value, "plans")),
        keyframes=tuple(_keyframe(entry, i) for i, entry in _entries(value, "keyframes")),
        theme=_words(value, "theme", "the story") or "light",
        claimed_by=claimed_by,
    )


def _entries(value: Mapping[str, Any], key: str) -> list[tuple[int, Any]]:
    return list(enumerate(items(value.get(key), f"the story's {key}", StoryError), 1))


def _model(entry: Any, number_: int) -> StoryModel:
    what = f"model number {number_}"
    data = table(entry, what, StoryError)
    _known(data, {"paths", "fingerprint", "batch", "density", "generate"}, what)
    paths = items(data.get("paths", []), f"{what}: paths", StoryError)
    density = data.get("density")
    with _Naming(what):
        return StoryModel(
            paths=_texts(paths, f"{what}: paths"),
            fingerprint=_words(data, "fingerprint", what),
            batch=whole(data.get("batch", 1), f"{what}: batch", 1, 10**6, StoryError),
            density=None if density is None else number(density, f"{what}: density", StoryError),
            generate=_words(data, "generate", what),
        )


def _plan(entry: Any, number_: int) -> StoryPlan:
    what = f"plan number {number_}"
    data = table(entry, what, StoryError)
    _known(data, {"model", "data"}, what)
    with _Naming(what):
        return StoryPlan(
            whole(data.get("model", 0), f"{what}: model", 0, 2**31 - 1, StoryError),
            table(data.get("data"), f"{what}: data", StoryError),
        )


def _keyframe(entry: Any, number_: int) -> Keyframe:
    what = f"keyframe number {number_}"
    data = table(entry, what, StoryError)
    known = {
        "title",
        "caption",
        "plan",
        "view",
        "camera",
        "highlight",
        "panel",
        "versus",
        "at",
        "hold",
        "transition",
    }
    _known(data, known, what)
    camera, at = data.get("camera"), data.get("at")
    highlight = items(data.get("highlight", []), f"{what}: highlight", StoryError)
    with _Naming(what):
        return Keyframe(
            title=_words(data, "title", what),
            caption=_words(data, "caption", what),
            plan=whole(data.get("plan", 0), f"{what}: plan", 0, 2**31 - 1, StoryError),
            view=_words(data, "view", what) or "flow",
            camera=None if camera is None else _camera(camera, what),
            highlight=_texts(highlight, f"{what}: highlight"),
            panel=_words(data, "panel", what),
            versus=whole(data.get("versus", -1), f"{what}: versus", -1, 2**31 - 1, StoryError),
            at=None if at is None else whole(at, f"{what}: at", 0, 2**31 - 1, StoryError),
            hold=number(data.get("hold", 4.0), f"{what}: hold", StoryError),
            transition=number(data.get("transition", 0.8), f"{what}: transition", StoryError),
        )


def _camera(value: Any, what: str) -> Camera:
    data = table(value, f"{what}: camera", StoryError)
    _known(data, {"x", "y", "width", "height"}, f"{what}: camera")
    return Camera(
        *(_signed(data.get(key), f"{what}: camera: {key}") for key in ("x", "y", "width", "height"))
    )


def _signed(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < math.inf:
        raise StoryError(f"{what} is {shown(value)}; it must be a number")
    # What is cut off is far beyond what a camera takes; a whole number may be too large to become a float.
    return float(min(max(value, -1e9), 1e9))


def _words(data: Mapping[str, Any], key: str, what: str) -> str:
    value = data.get(key, "")
    if not isinstance(value, str):
        raise StoryError(f"{what}: {key} is {shown(value)}; it must be text")
    return escaped(value, keep="\n")  # a caption may have several lines


def _texts(values: list[Any], what: str) -> tuple[str, ...]:
    for value in values:
        if not isinstance(value, str):
            raise StoryError(f"{what} must list texts, not {shown(value)}")
    return tuple(escaped(value) for value in values)


def _known(data: Mapping[str, Any], fields: set[str], what: str) -> None:
    for key in data:
        if key not in fields:
            raise StoryError(
                f"{what} has a field {shown(key)}, which is not known; the fields are {', '.join(sorted(fields))}"
            )


class _Naming:
    """Puts what an error is about before its sentence, where the sentence does not say it."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, StoryError) and self._what not in str(error):
            raise StoryError(f"{self._what}: {error}") from error
