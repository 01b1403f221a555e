"""What can be asked of every window whose document is planned, with the same keys in all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.shell.action import ActionSpec, needs

if TYPE_CHECKING:
    from gui.tools.planning_window import PlanningWindow


@needs("open a model first")
def is_open(window: PlanningWindow) -> bool:
    """Whether a model is open."""
    return window.document.problem is not None


@needs("no planner runs")
def is_running(window: PlanningWindow) -> bool:
    """Whether a planner or a race runs."""
    return window.searching


@needs("choose a plan in Plans that is not on the canvas", is_open)
def has_other_plan(window: PlanningWindow) -> bool:
    """Whether the list's cursor is on another plan than the one on the canvas."""
    entry = window.plans.current()
    return entry is not None and entry is not window.document.active


@needs("Plans has no other plan", is_open)
def has_plans(window: PlanningWindow) -> bool:
    """Whether the list has several plans."""
    return len(window.document.plans) > 1


@needs("the plan's file claims nothing that is not proven here", is_open)
def has_claim(window: PlanningWindow) -> bool:
    """Whether the file of the plan claims more than is proven."""
    return window.document.claim is not None


OPEN_ACTIONS: tuple[ActionSpec[PlanningWindow], ...] = (
    ActionSpec("file.open_tab", "Open in a New Tab…", "File", lambda w: w.files.open_tab(), ("Ctrl+Alt+O",), "open models beside what is open, which stays"),
    ActionSpec("file.start_page", "Start Page in a New Tab", "File", lambda w: w.files.open_start_page(), (), "examples, samples, recent files and stories beside what is open, which stays", is_open),
)  # fmt: skip

SAVE_ACTIONS: tuple[ActionSpec[PlanningWindow], ...] = (
    ActionSpec("file.save", "Save Plan", "File", lambda w: w.files.save_plan(beside=True), ("Ctrl+S",), "write the plan on the canvas to its file", is_open, group=1),
    ActionSpec("file.save_as", "Save Plan As…", "File", lambda w: w.files.save_plan_as(beside=True), ("Ctrl+Shift+S",), "write the plan to another file", is_open, group=1),
)  # fmt: skip

PLAN_ACTIONS: tuple[ActionSpec[PlanningWindow], ...] = (
    ActionSpec("plan.start", "Start the Chosen Planner", "Plan", lambda w: w.start_planner(), ("Ctrl+Return", "Ctrl+Enter"), "run it in the background", is_open),
    ActionSpec("plan.choose", "Planners…", "Plan", lambda w: w.focus_panel("planners"), ("Ctrl+P",), "choose a planner or bound method and its options", is_open),
    ActionSpec("plan.race", "Race Planners…", "Plan", lambda w: w.focus_panel("race"), ("Ctrl+Shift+R",), "several planners at once: they share plans and bounds, and a leaderboard says who leads", is_open),
    ActionSpec("plan.race_large", "Race on the Whole Screen", "Plan", lambda w: w.race.large.toggle(), ("Ctrl+F11",), "the race in large type, to be read from the back of a room", is_open),
    ActionSpec("plan.cancel", "Stop All Planners", "Plan", lambda w: w.cancel_planners(), ("Ctrl+.",), "stop what runs; the best plans found are kept", is_running),
    ActionSpec("plan.apply", "Apply the Chosen Plan", "Plan", lambda w: w.plans.apply_current(), ("Ctrl+Shift+Return",), "put the plan chosen in the list on the canvas", has_other_plan, group=1),
    ActionSpec("plan.apply_best", "Apply the Best Valid Plan", "Plan", lambda w: w.apply_best_plan(), (), "put the best plan of the list on the canvas", has_plans, group=1),
    ActionSpec("plan.prove", "Prove What the File Claims", "Plan", lambda w: w.proving.prove(), (), "run what proved the bound that the plan's file claims, beside the window", has_claim, group=2),
)  # fmt: skip
