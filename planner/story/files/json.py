"""Story files: JSON, one object with ``format`` ("stageboard-story"), ``version`` (1), ``title``, ``summary``, ``theme``,
``models``, ``plans`` and ``keyframes`` (:mod:`planner.story.subject` and :mod:`planner.story.keyframe` say what each holds; what has its default is left out).

Plans are those of plan files with their decision packed (:mod:`planner.story.files.plans`). Files are untrusted: sizes and
counts are limited, paths stay inside the file's folder, and what a file claims of costs is compared, never believed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from msgspec import Struct

from planner.errors import StoryError
from planner.files import MEBIBYTE, parse_json, read_text, to_json, write_atomically
from planner.formats.checks import Count, Label, Number, shown
from planner.guard import guarded
from planner.model.precision import FILE
from planner.plan_files.bound_json import claimant
from planner.plan_files.plan_parts import STORY_FORMAT
from planner.printable import escaped
from planner.story.files.models import Portable, portable_paths, withdrawing
from planner.story.files.plans import pack, resolve
from planner.story.folded import FoldedGroup
from planner.story.keyframe import Camera, Keyframe
from planner.story.story import Story
from planner.story.subject import StoryModel, StoryPlan
from planner.typed_json import typed

__all__ = [
    "Portable",
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
    if model.precision != FILE:
        data["precision"] = model.precision
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
    if keyframe.colouring != "stage":
        data["colouring"] = keyframe.colouring
    if keyframe.folded:
        data["folded"] = [{"name": group.name, "ops": group.ops} for group in keyframe.folded]
    if keyframe.highlight:
        data["highlight"] = list(keyframe.highlight)
    if keyframe.panel:
        data["panel"] = keyframe.panel
    if keyframe.versus >= 0:
        data["versus"] = keyframe.versus
    if keyframe.at is not None:
        data["at"] = keyframe.at
    if keyframe.view == "comparison":
        data |= _comparison_dict(keyframe)
    data |= {"hold": keyframe.hold, "transition": keyframe.transition}
    if keyframe.notes:
        data["notes"] = keyframe.notes
    return data


def _comparison_dict(keyframe: Keyframe) -> dict[str, Any]:
    """What only comparisons say."""
    data: dict[str, Any] = {"comparison": keyframe.comparison}
    if keyframe.layout != "flow":
        data["layout"] = keyframe.layout
    if keyframe.share != 1.0:
        data["share"] = keyframe.share
    if keyframe.beside:
        data["beside"] = list(keyframe.beside)
    if keyframe.letters:
        data["letters"] = keyframe.letters
    return data


# ---------------------------------------------------------------------- reading
class _Model(Struct, forbid_unknown_fields=True):
    paths: list[str] = []
    fingerprint: str = ""
    batch: Count = 1
    density: Number | None = None
    generate: str = ""
    precision: str = FILE


class _Plan(Struct, forbid_unknown_fields=True):
    data: dict[str, Any]
    model: Count = 0


class _Camera(Struct, forbid_unknown_fields=True):
    x: float
    y: float
    width: float
    height: float


class _Folded(Struct, forbid_unknown_fields=True):
    name: str
    ops: str


class _Keyframe(Struct, forbid_unknown_fields=True):
    title: str = ""
    caption: str = ""
    plan: Count = 0
    view: str = ""
    camera: _Camera | None = None
    folded: list[_Folded] = []
    highlight: list[str] = []
    panel: str = ""
    versus: Label = -1
    at: Count | None = None
    hold: Number = 4.0
    transition: Number = 0.8
    comparison: str = ""
    layout: str = ""
    share: Number = 1.0
    beside: list[Count] = []
    letters: str = ""
    colouring: str = ""
    notes: str = ""


class _Story(Struct, forbid_unknown_fields=True):
    format: Any
    version: Any
    models: list[_Model]
    plans: list[_Plan]
    keyframes: list[_Keyframe]
    title: str = ""
    summary: str = ""
    theme: str = ""


def read_story(path: str | os.PathLike[str]) -> Story:
    """The story in a file, checked but for its models, which :func:`resolve` reads.

    Raises :class:`StoryError`: one sentence naming the file, what is wrong with it and what to do.
    """
    file = Path(path).name
    with guarded(file, StoryError, smaller="make it of fewer plans"):
        text = read_text(path, LIMIT, error=StoryError, remedy="make it of fewer plans")
        return from_dict(parse_json(text, file, StoryError), file, claimant(path))


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
    data = typed(value, _Story, file, StoryError)
    return Story(
        title=_words(data.title),
        summary=_words(data.summary),
        models=tuple(_model(entry, i) for i, entry in enumerate(data.models, 1)),
        plans=tuple(_plan(entry, i) for i, entry in enumerate(data.plans, 1)),
        keyframes=tuple(_keyframe(entry, i) for i, entry in enumerate(data.keyframes, 1)),
        theme=_words(data.theme) or "light",
        claimed_by=claimed_by,
    )


def _model(data: _Model, number: int) -> StoryModel:
    with _Naming(f"model number {number}"):
        return StoryModel(
            paths=tuple(map(escaped, data.paths)),
            fingerprint=_words(data.fingerprint),
            batch=int(data.batch),
            density=data.density,
            generate=_words(data.generate),
            precision=data.precision,
        )


def _plan(data: _Plan, number: int) -> StoryPlan:
    with _Naming(f"plan number {number}"):
        return StoryPlan(int(data.model), data.data)


def _keyframe(data: _Keyframe, number: int) -> Keyframe:
    camera = data.camera
    with _Naming(f"keyframe number {number}"):
        return Keyframe(
            title=_words(data.title),
            caption=_words(data.caption),
            plan=int(data.plan),
            view=_words(data.view) or "flow",
            camera=None if camera is None else Camera(camera.x, camera.y, camera.width, camera.height),
            highlight=tuple(map(escaped, data.highlight)),
            panel=_words(data.panel),
            versus=int(data.versus),
            at=None if data.at is None else int(data.at),
            hold=data.hold,
            transition=data.transition,
            comparison=_words(data.comparison),
            layout=_words(data.layout) or "flow",
            share=data.share,
            beside=tuple(map(int, data.beside)),
            notes=_words(data.notes),
            letters=_words(data.letters),
            colouring=_words(data.colouring) or "stage",
            folded=tuple(FoldedGroup(escaped(group.name), group.ops) for group in data.folded),
        )


def _words(text: str) -> str:
    return escaped(text, keep="\n")  # a caption may have several lines


class _Naming:
    """Puts what an error is about before its sentence, where the sentence does not say it."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, StoryError) and self._what not in str(error):
            raise StoryError(f"{self._what}: {error}") from error
