"""A story while it is made: keyframes with their plans at hand, changed by undoable steps. Its views follow the signals."""

from __future__ import annotations

import re
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from gui.tools.story.frames import Frame, ModelSource, Shown
from gui.tools.story.ordering import retold, settled
from gui.tools.story.titling import told_apart
from planner.errors import StoryError
from planner.model.samples import sample, sample_name
from planner.story.files.json import write_story
from planner.story.files.models import portable_paths, withdrawing
from planner.story.files.plans import pack
from planner.story.keyframe import LONGEST_TITLE
from planner.story.story import Resolved, Story
from planner.story.subject import SAMPLE, StoryModel, StoryPlan

UNTITLED = "Untitled story"


@dataclass(frozen=True, eq=False)
class DraftState:
    """All of a draft at one moment: what an undo step goes back to."""

    title: str = UNTITLED
    summary: str = ""
    theme: str = "light"
    frames: tuple[Frame, ...] = field(default=())


class _Change(QUndoCommand):
    """From one state of a draft to another."""

    def __init__(self, draft: Draft, text: str, before: DraftState, after: DraftState, key: str) -> None:
        super().__init__(text)
        self._draft, self._before, self._after, self._key = draft, before, after, key

    def undo(self) -> None:
        """Back."""
        self._draft.enter(self._before)

    def redo(self) -> None:
        """And forth."""
        self._draft.enter(self._after)

    def id(self) -> int:
        """Steps with a key may merge."""
        return 1 if self._key else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        """Letters typed into one field of one keyframe are one step."""
        if not isinstance(other, _Change) or other._key != self._key:
            return False
        self._after = other._after
        return True


class Draft(QObject):
    """The story that is being made in a window."""

    frames_changed = Signal()
    """Keyframes, their order or what they hold."""
    current_changed = Signal()
    modified_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = DraftState()
        self.current = -1
        """The keyframe that is edited; -1 while there is none."""
        self.put_where = ""
        """Where the keyframe was put that was added last, in words, if that is not after the one that was edited."""
        self.path: Path | None = None
        self._claimant = ""
        """The file that the story was read from, as its bounds name it."""
        self._resolved: tuple[DraftState, Resolved] | None = None
        self._packed: WeakKeyDictionary[Shown, StoryPlan] = WeakKeyDictionary()
        self.undo_stack = QUndoStack(self)
        self.undo_stack.cleanChanged.connect(self._clean_changed)

    def _clean_changed(self, clean: bool) -> None:
        self.modified_changed.emit(not clean)

    # ------------------------------------------------------------------ state
    @property
    def frames(self) -> tuple[Frame, ...]:
        """The keyframes in order."""
        return self.state.frames

    @property
    def frame(self) -> Frame | None:
        """The keyframe that is edited."""
        return self.frames[self.current] if 0 <= self.current < len(self.frames) else None

    @property
    def modified(self) -> bool:
        """Whether anything is not saved."""
        return not self.undo_stack.isClean()

    @property
    def duration(self) -> float:
        """Seconds that the story takes when it plays by itself."""
        return sum(frame.keyframe.transition + frame.keyframe.hold for frame in self.frames)

    def enter(self, state: DraftState) -> None:
        """Called by undo steps only."""
        self.state = state
        self.current = min(self.current, len(state.frames) - 1)
        if self.current < 0 and state.frames:
            self.current = 0
        self.frames_changed.emit()

    def select(self, index: int) -> None:
        """Edit another keyframe."""
        index = max(-1, min(index, len(self.frames) - 1))
        if index != self.current:
            self.current = index
            self.undo_stack.setActive(True)
            self.current_changed.emit()

    # ------------------------------------------------------------------ changes
    def _push(self, text: str, after: DraftState, key: str = "", current: int | None = None) -> None:
        before = self.state
        after = replace(after, frames=settled(before.frames, after.frames, self._claimant))
        self.undo_stack.push(_Change(self, text, before, after, key))
        if current is not None:
            self.current = current
            self.current_changed.emit()

    def place_for(self, source: ModelSource) -> int:
        """Where a new keyframe of a model goes: after the one that is edited; where that is of another model after the last of its own, or
        at the end."""
        of = [frame.shown.source.model.fingerprint == source.model.fingerprint for frame in self.frames]
        if 0 <= self.current < len(of) and of[self.current]:
            return self.current + 1
        return next((at + 1 for at in reversed(range(len(of))) if of[at]), len(of))

    def before(self, source: ModelSource) -> Frame | None:
        """The keyframe that a new one of a model comes after."""
        place = self.place_for(source)
        return self.frames[place - 1] if place else None

    def add(self, frame: Frame, text: str = "Capture a keyframe", *, at_end: bool = False) -> int:
        """Insert a keyframe where it goes (:meth:`place_for`), or at the end, and edit it; returns where it is."""
        place = len(self.frames) if at_end else self.place_for(frame.shown.source)
        away = place != self.current + 1 and not at_end
        self.put_where = ""
        if away:
            self.put_where = "at the end" if place == len(self.frames) else f"behind keyframe {place}"
        frame = told_apart(frame, self.frames)
        frames = (*self.frames[:place], frame, *self.frames[place:])
        self._push(text, replace(self.state, frames=frames), current=place)
        return place

    def add_all(self, frames: Sequence[Frame], text: str) -> None:
        """Append several keyframes in one step."""
        if frames:
            first = len(self.frames)
            self._push(text, replace(self.state, frames=(*self.frames, *frames)), current=first)

    def retold(self, frame: Frame) -> str:
        """The caption that the keyframe that is edited has once it shows ``frame`` (:func:`~gui.tools.story.ordering.retold`)."""
        return retold(self.frames, self.current, frame, self._claimant)

    def change(self, index: int, frame: Frame, text: str, key: str = "") -> None:
        """Let another keyframe take a keyframe's place. Steps with one ``key`` in a row are one."""
        frames = (*self.frames[:index], frame, *self.frames[index + 1 :])
        self._push(text, replace(self.state, frames=frames), f"{key} {index}" if key else "")

    def edit(self, text: str, **fields: object) -> None:
        """Change fields of the keyframe that is edited. Raises :class:`StoryError` where a value makes no sense."""
        frame = self.frame
        if frame is None:
            return
        keyframe = replace(frame.keyframe, **fields)  # type: ignore[arg-type]
        if keyframe != frame.keyframe:
            # What is said now is said of the order as it is.
            told_for = None if "caption" in fields else frame.told_for
            changed = replace(frame, keyframe=keyframe, told_for=told_for)
            self.change(self.current, changed, text, " ".join(sorted(fields)))

    def remove(self, index: int) -> None:
        """Take a keyframe out."""
        if 0 <= index < len(self.frames):
            frames = (*self.frames[:index], *self.frames[index + 1 :])
            self._push(
                "Remove a keyframe", replace(self.state, frames=frames), current=min(index, len(frames) - 1)
            )

    def move(self, index: int, to: int) -> None:
        """Put a keyframe elsewhere in the row."""
        to = max(0, min(to, len(self.frames) - 1))
        if not 0 <= index < len(self.frames) or index == to:
            return
        frames = list(self.frames)
        frames.insert(to, frames.pop(index))
        self._push("Move a keyframe", replace(self.state, frames=tuple(frames)), current=to)

    def set_title(self, title: str) -> None:
        """The story's title."""
        if title != self.state.title:
            self._push("Change the title", replace(self.state, title=title), "title")

    def clear(self) -> None:
        """A new, empty draft."""
        self.path = None
        self._claimant = ""
        self.current = -1
        self.undo_stack.clear()
        self.enter(DraftState())
        self.current_changed.emit()

    # ------------------------------------------------------------------ files
    def resolved(self) -> Resolved:
        """The story for whoever plays it now, from the plans at hand. Raises :class:`StoryError` while it is empty."""
        if self._resolved is None or self._resolved[0] is not self.state:
            story, sources, shown = story_of(self._titled(self.path), named, self._packed)
            models, plans = tuple(source.model for source in sources), tuple(one.plan for one in shown)
            self._resolved = self.state, Resolved(story, models, plans, tuple(one.bounds for one in shown))
        return self._resolved[1]

    def _titled(self, path: Path | None) -> DraftState:
        """The state, with the name of the story's file for a title where it has none of its own."""
        own = self.state.title.strip()
        if path is None or own not in ("", UNTITLED):
            return self.state
        return replace(self.state, title=path.name.split(".")[0][:LONGEST_TITLE] or UNTITLED)

    def files(self) -> tuple[Path, ...]:
        """The files of all models."""
        return tuple(dict.fromkeys(path for frame in self.frames for path in frame.shown.source.paths))

    def save(self, path: Path) -> tuple[str, ...]:
        """Write the story; returns the names of models that were copied beside it, so that it opens anywhere.

        Raises :class:`StoryError` while it is empty, :class:`StageboardError` where the disk refuses.
        """
        copied: list[Path] = []

        def portable(source: ModelSource) -> tuple[str, ...]:
            if not source.paths:
                raise StoryError(
                    f"{source.model.name} is in no file; save it first, so that the story can name it"
                )
            there = portable_paths(source.paths, path.parent)
            copied.extend(there.copied)
            return there.names

        with withdrawing(copied):
            story, _, _ = story_of(self._titled(path), portable)
            write_story(path, story)
        self.path, self._resolved = path, None
        self.undo_stack.setClean()
        return tuple(map(str, copied))

    def open(self, resolved: Resolved, path: Path, sources: Sequence[ModelSource]) -> None:
        """Take on a story that was read; ``sources`` are its models."""
        self.undo_stack.clear()
        self.path = path
        self._claimant = path.name
        self.current = 0
        self.enter(_state_of(resolved, sources))
        self.current_changed.emit()

    def recover(self, resolved: Resolved, path: Path | None, sources: Sequence[ModelSource]) -> None:
        """Take on what a crash left of a story: one step, not saved; ``path`` is the file that it belongs to."""
        self.path = path
        self._claimant = "" if path is None else path.name
        self._push("Recover the story", _state_of(resolved, sources), current=0)


def _state_of(resolved: Resolved, sources: Sequence[ModelSource]) -> DraftState:
    """A story that was read, as a draft."""
    story = resolved.story
    shown = [
        Shown(plan, bounds, sources[part.model])
        for plan, bounds, part in zip(resolved.plans, resolved.bounds, story.plans, strict=True)
    ]
    frames = tuple(
        Frame(k, shown[k.plan], shown[k.versus] if k.versus >= 0 else None, tuple(shown[i] for i in k.beside))
        for k in story.keyframes
    )
    return DraftState(story.title, story.summary, story.theme, frames)


def story_of(
    state: DraftState,
    names: Callable[[ModelSource], tuple[str, ...]],
    packed: MutableMapping[Shown, StoryPlan] | None = None,
) -> tuple[Story, list[ModelSource], list[Shown]]:
    """The story with its models and plans numbered; each plan is packed once however many keyframes show it.

    ``packed`` keeps plans that were packed from one time to the next. Raises :class:`StoryError` while there is no keyframe.
    """
    if not state.frames:
        raise StoryError("the story has no keyframe yet; capture one first (Ctrl+Shift+K)")
    sources: list[ModelSource] = []
    shown: list[Shown] = []

    def number(one: Shown) -> int:
        if one not in shown:
            shown.append(one)
            if all(one.source.key != source.key for source in sources):
                sources.append(one.source)
        return shown.index(one)

    keyframes = tuple(
        replace(
            frame.keyframe,
            plan=number(frame.shown),
            versus=-1 if frame.versus is None else number(frame.versus),
            beside=tuple(number(one) for one in frame.beside),
        )
        for frame in state.frames
    )
    order = {source.key: i for i, source in enumerate(sources)}
    models = tuple(
        StoryModel(
            () if source.generate else names(source),
            source.model.fingerprint, source.batch, source.density, source.generate,
            source.precision,
        )
        for source in sources
    )  # fmt: skip
    kept = {} if packed is None else packed
    for one in shown:
        if one not in kept:
            kept[one] = pack(one.plan, one.bounds)
    plans = tuple(replace(kept[one], model=order[one.source.key]) for one in shown)
    story = Story(state.title.strip() or UNTITLED, state.summary, models, plans, keyframes, state.theme)
    return story, sources, shown


def sources_of(models: tuple[StoryModel, ...], resolved: Resolved, folder: Path) -> list[ModelSource]:
    """Where the models of a story that was read are."""
    return [
        ModelSource(
            found,
            tuple(
                sample(path.removeprefix(SAMPLE)) if path.startswith(SAMPLE) else folder / path
                for path in model.paths
            ),
            model.batch, model.density, model.generate,
        )
        for model, found in zip(models, resolved.models, strict=True)
    ]  # fmt: skip


def named(source: ModelSource) -> tuple[str, ...]:
    """Names for a story that is not written: those of samples and of files, as far as a story can have them."""
    names = (SAMPLE + name if (name := sample_name(path)) else _safe(path.name) for path in source.paths)
    return tuple(names) or (_safe(source.model.name),)


def _safe(name: str) -> str:
    return re.sub(r"[\\/:]", "_", name).strip(". ") or "model"
