"""What a model's window offers as it opens: the machine of last time, and the plan that was saved last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.words.machines import machine_words
from planner.evaluation.memory_words import assumed_precision

if TYPE_CHECKING:
    from gui.document.plan.opening import Opened
    from gui.editors.plan.body import GraphBody
    from gui.shell.session import SavedPlan


def last_plan(window: GraphBody, opened: Opened) -> SavedPlan | None:
    """The plan of the model that was saved or opened last; None where one is open, or none is there."""
    if opened.plan is not None:
        return None
    model = opened.problem.graph.fingerprint
    return next(
        (plan for plan in window.memory.saved_plans if plan.fingerprint == model and plan.is_there), None
    )


def tell_remembered(window: GraphBody, opened: Opened) -> None:
    """Say on which machine a model was opened that is not its default, and which plan of it was saved last: back to that, and to open
    this, is one step each."""
    document, notice, plan, default = (
        window.document,
        window.notice,
        last_plan(window, opened),
        opened.default,
    )
    if plan is not None:
        path = plan.path
        notice.show_message(
            "info", f"Your last plan: {path.name}.", action="Open", run=lambda: window.files.open_plan_file(path),
            until_change=True, stays=True,
        )  # fmt: skip
    if default is not None:
        words = ", ".join(
            part for part in (machine_words(opened.problem), assumed_precision(opened.problem)) if part
        )
        notice.show_before(
            f"Opened on {words}, as last time.", "Back to the Default",
            lambda: document.set_problem(default, default.served_objectives()[0]),
        )  # fmt: skip
