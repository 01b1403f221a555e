"""Certificates in windows of their own: of the plan on the canvas, and of keyframes as they were captured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from gui.tools.story.frames import ModelSource, Shown
from gui.tools.story.recorder import Recorder
from gui.tools.story.story_stage import StoryStage
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.bound import Bound
from planner.problem.problem import Plan

if TYPE_CHECKING:
    from gui.present.certificate.dialog import CertificateDialog


@dataclass(frozen=True, eq=False)
class _Captured:
    """The plan of a keyframe with what was proven when it was captured."""

    shown: Shown

    @property
    def plan_bounds(self) -> Sequence[Bound]:
        """What was proven."""
        return self.shown.bounds

    def current_plan(self) -> Plan | OrderPlan:
        """The plan."""
        return self.shown.plan


def show_current(
    window: StoryStage, parent: QWidget, source: ModelSource, recorder: Recorder, captured: Callable[[], str]
) -> CertificateDialog:
    """The certificate of the plan on the canvas, which is of a model from ``source``; ``recorder`` makes it a keyframe, of which ``captured``
    tells."""
    from gui.present.certificate.dialog import CertificateDialog

    def capture(plan: Plan | OrderPlan, bounds: Sequence[Bound]) -> str:
        recorder.capture_certificate(Shown(plan, tuple(bounds), source))
        return captured()

    dialog = CertificateDialog(window.document, window.theme, parent, window.proving.prove, capture)
    window.document.readouts_changed.connect(dialog.refresh)
    dialog.show()
    return dialog


def show_captured(shown: Shown, window: StoryStage, parent: QWidget) -> CertificateDialog:
    """The certificate of a keyframe's plan, whatever is open."""
    from gui.present.certificate.dialog import CertificateDialog

    dialog = CertificateDialog(_Captured(shown), window.theme, parent)
    dialog.show()
    return dialog
