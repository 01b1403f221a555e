"""Keyframes from what one does: captured by a key, or recorded whenever the screen has come to rest after a change."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from gui.tools.story.draft import Draft
from gui.tools.story.frames import Frame, Shown, earlier_plan, same_plan
from gui.tools.story.looks import look
from gui.tools.story.ordering import told
from gui.tools.story.shots import MOST_HIGHLIGHTED, Shots
from gui.tools.story.titling import as_shown, is_carried, is_own, plan_title
from gui.widgets.later import Later
from gui.words.methods import shown_name
from planner.errors import StageboardError
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.bound import Bound
from planner.problem.problem import Plan
from planner.reports.comparison.figures import own_name
from planner.story.keyframe import LONGEST_TITLE, Camera, Keyframe
from planner.story.machines import machine_title, other_machine
from planner.story.making import CERTIFICATE
from planner.story.telling import caption, certificate_title, moved_ops, moved_title

REST_MS = 900
"""What is on screen for so long is worth a keyframe."""
LONGEST_WAIT = 2.5
"""Seconds after which a keyframe is taken though plans keep coming, as from a planner that is followed."""
SAME_PART = 0.7
"""Two cameras that share so much of what they show are one."""


class Recorder(QObject):
    """Adds what ``shots`` sees to ``draft``."""

    recording_changed = Signal(bool)
    failed = Signal(str)

    def __init__(self, shots: Shots, draft: Draft, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shots, self._draft = shots, draft
        self.recording = False
        self._since = 0.0
        self._selected: tuple[str, ...] = ()
        self._later = Later(self._rested, self, REST_MS)
        shots.watch(self._changed)

    # ------------------------------------------------------------------ by hand
    def capture(self) -> Frame:
        """Add what is on screen now as :meth:`Draft.add` does. Raises :class:`StageboardError`."""
        frame = self.frame_now(self._draft.before(self._shots.shown().source))
        self._draft.add(frame)
        return frame

    def capture_certificate(self, shown: Shown) -> None:
        """Add the certificate of a plan as :meth:`Draft.add` does: called after the plan, and where the story has another model, after its own."""
        model = shown.source.model
        others = any(
            frame.shown.source.model.fingerprint != model.fingerprint for frame in self._draft.frames
        )
        words = certificate_title(shown_name(own_name(shown.plan)), model=model.name if others else "")
        self._draft.add(Frame(Keyframe(words, CERTIFICATE, 0, "certificate"), shown, titled=words))

    def retake(self) -> None:
        """Let the edited keyframe show what is on screen now. What it said by itself is told anew, and what somebody wrote stays. Raises
        :class:`StageboardError`."""
        old = self._draft.frame
        if old is None:
            self.capture()
            return
        new = self.frame_now(None)
        stay = ("panel", "hold", "transition", "notes")
        kept = {name: getattr(old.keyframe, name) for name in stay}
        if old.versus is None and kept["panel"] == "difference":
            kept["panel"] = ""
        versus = None
        if (
            old.versus is not None
            and old.versus.source.model.fingerprint == new.shown.source.model.fingerprint
        ):
            versus = old.versus
        before = self._draft.frames[self._draft.current - 1] if self._draft.current else None
        title, titled = old.keyframe.title, ""
        if is_own(old, before):
            title = titled = self.frame_now(before).titled
        caption = self._draft.retold(new)
        keyframe = replace(
            new.keyframe, title=title, caption=caption, **kept, versus=0 if versus is not None else -1
        )
        self._draft.change(
            self._draft.current, Frame(keyframe, new.shown, versus, titled=titled), "Take the keyframe again"
        )

    def frame_now(self, before: Frame | None, highlight: tuple[str, ...] | None = None) -> Frame:
        """A keyframe of what is on screen. ``before`` is what came before it, for its words; ``highlight`` stands in for
        what is selected."""
        shots = self._shots
        shown = shots.shown()
        standing_out = self._standing_out(shown, before) if highlight is None else highlight
        keyframe = Keyframe(
            "",
            "",
            0,
            shots.view(),
            shots.camera(),
            standing_out,
            at=shots.at(),
            colouring=shots.colouring(),
            folded=shots.folded(),
        )
        if before is None or not same_plan(before.shown, shown):
            # What was done last led from a plan that no keyframe shows: the first is called after its own.
            own = "" if is_carried(shown.plan) else shown_name(shown.plan.name)
            step = own if before is None else self._done(shown, before)
            if step and keyframe.view == "stages":  # what stands there is not the ops of the plan
                step = as_shown(step, keyframe.view)
        else:
            step = look(shown.plan, before.keyframe, keyframe)
        name = (step or plan_title(shown.plan))[:LONGEST_TITLE]
        words = told(Frame(keyframe, shown), before)
        return Frame(replace(keyframe, title=name, caption=words), shown, titled=name)

    def _done(self, shown: Shown, before: Frame) -> str:
        """What led from the plan of the keyframe ``before``: another machine, else the last step where that is all of it, else how much moved;
        a plan that was taken whole is called by its name."""
        earlier = earlier_plan(Frame(before.keyframe, shown), before)
        step = self._shots.step(None if earlier is None else earlier.plan)
        machine = "" if earlier is None else other_machine(shown.plan, earlier.plan)
        if earlier is not None and machine:
            name = shown_name(shown.plan.name)
            taken = step == name and not is_carried(shown.plan)
            return f"{name}, {machine}" if taken else machine_title(shown.plan, earlier.plan)
        if step or earlier is None:
            return step
        return moved_title(shown.plan, earlier.plan)

    def _standing_out(self, shown: Shown, before: Frame | None) -> tuple[str, ...]:
        """What is selected, unless it was before the plan became what it is: the words are then not of that, but of what moved since.
        It stands out as long as it is what stood out ``before``."""
        selected = self._shots.highlight()
        if before is None or not selected or not self._shots.left_over():
            return selected
        if same_plan(before.shown, shown):
            return selected if selected == before.keyframe.highlight else ()
        earlier = earlier_plan(Frame(before.keyframe, shown), before)
        speaks = earlier is not None and shown.plan.evaluation.valid
        changed = moved_ops(shown.plan, earlier.plan) if speaks and earlier is not None else ()
        return changed if len(changed) <= MOST_HIGHLIGHTED else ()

    # ------------------------------------------------------------------ by itself
    def start(self) -> None:
        """Record from now on; what is on screen is the first keyframe, unless the last one shows just that.

        Raises :class:`StageboardError`.
        """
        if not self.recording:
            last = self._draft.frames[-1] if self._draft.frames else None
            frame = self.frame_now(last)
            self._selected = frame.keyframe.highlight
            if last is None or not alike(last, frame):
                self._draft.add(frame, "Record a keyframe", at_end=True)
            self.recording = True
            self.recording_changed.emit(True)

    def stop(self) -> None:
        """Record no more. What has not come to rest yet is recorded."""
        if self.recording:
            if self._later.waiting:
                self._record()
            self.recording = False
            self._later.stop()
            self.recording_changed.emit(False)

    def _changed(self) -> None:
        if not self.recording:
            return
        if not self._later.waiting:
            self._since = time.monotonic()
        if time.monotonic() - self._since < LONGEST_WAIT or not self._later.waiting:
            self._later.ask()

    def _rested(self) -> None:
        if not self._shots.ready() and time.monotonic() - self._since < 2 * LONGEST_WAIT:
            self._later.ask()
            return
        self._record()

    def _record(self) -> None:
        last = self._draft.frames[-1] if self._draft.frames else None
        try:
            meant = self._meant(last)
            frame = self.frame_now(last, meant)
        except StageboardError as error:
            self.failed.emit(str(error))
            return
        if last is not None and meant is not None:
            last = replace(last, keyframe=replace(last.keyframe, highlight=meant))
        if last is None or not alike(last, frame):
            self._draft.add(frame, "Record a keyframe", at_end=True)

    def _meant(self, last: Frame | None) -> tuple[str, ...] | None:
        """What is to stand out where nothing but the selection says so; None: what is selected.

        Who selects ops and looks closer means them. Who then looks at all again, or in another way, has done with them, and what
        is still selected must not dim the rest for ever.
        """
        shots = self._shots
        selected, self._selected = self._selected, shots.highlight()
        if last is None or not same_plan(last.shown, shots.shown()) or self._selected != selected:
            return None
        closer = shots.camera() is not None and shots.view() == last.keyframe.view
        return last.keyframe.highlight if closer else ()


def of_search(plan: Plan | OrderPlan, bounds: Sequence[Bound], before: Plan | OrderPlan | None) -> Keyframe:
    """A keyframe of one of the plans that a search found on its way."""
    order = isinstance(plan, OrderPlan)
    return Keyframe(
        plan_title(plan, before)[:LONGEST_TITLE], caption(plan, bounds, before), 0, "network" if order else "lanes", panel="costs",
        at=len(plan.decision.order) if isinstance(plan, OrderPlan) else None, hold=3.5, transition=1.2,
    )  # fmt: skip


def alike(one: Frame, other: Frame) -> bool:
    """Whether two keyframes show the same."""
    a, b = one.keyframe, other.keyframe
    return (
        same_plan(one.shown, other.shown)
        and (a.view, a.highlight, a.at, a.colouring) == (b.view, b.highlight, b.at, b.colouring)
        and set(a.folded) == set(b.folded)
        and overlap(a.camera, b.camera) >= SAME_PART
    )


def overlap(a: Camera | None, b: Camera | None) -> float:
    """What two cameras both show, as a share of what either shows."""
    one, two = a or Camera(0.0, 0.0, 1.0, 1.0), b or Camera(0.0, 0.0, 1.0, 1.0)
    width = min(one.x + one.width, two.x + two.width) - max(one.x, two.x)
    height = min(one.y + one.height, two.y + two.height) - max(one.y, two.y)
    both = max(0.0, width) * max(0.0, height)
    either = one.width * one.height + two.width * two.height - both
    return both / either
