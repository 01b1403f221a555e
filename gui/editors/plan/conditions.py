"""When an action of a graph's window can be done, and what is lacking where it cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gui.canvas.graph.heat.heat import RATIO, colourings_of
from gui.document.proven_here import PROVEN
from gui.panels.mcm.state import is_package
from gui.shell.action import Condition, needs
from gui.tools.planning_actions import is_open
from planner.machines.catalogue import machine_of
from planner.model.times import profiled
from planner.problem.grouping import unkept_classes
from planner.problem.problem import Pin, Together
from planner.runs import stage_counts
from planner.runs.measuring.timed import RUNNABLE, all_runnable

if TYPE_CHECKING:
    from gui.editors.plan.body import GraphBody


@needs("the plan is proven optimal", is_open)
def is_unproven(window: GraphBody) -> bool:
    """Whether a better plan than the one on the canvas may exist."""
    return window.document.gap != 0.0


@needs("the methods that it asks have no more to prove; choose a bound method in Planners", is_unproven)
def can_prove_more(window: GraphBody) -> bool:
    """Whether more may be proven of the open problem by methods that nobody names."""
    return not PROVEN.exhausted(window.document.problem)


@needs(f"only models in {' and '.join(RUNNABLE)} files can be run on this computer", is_open)
def can_be_measured(window: GraphBody) -> bool:
    """Whether all of the open models can be run here."""
    return all_runnable(window.document.paths)


@needs("a plan is being run; cancel that first", can_be_measured)
def can_be_run(window: GraphBody) -> bool:
    """Whether the plan's stages can be run here, and none are."""
    return not is_running(window)


@needs("no plan is being run")
def is_running(window: Any) -> bool:
    """Whether a plan is being run."""
    return bool(window.runs.running.busy)


@needs("no op of this model has a measured time; measure the model, or read a profile", is_open)
def is_measured(window: GraphBody) -> bool:
    """Whether ops of the open model have measured times of every device or of a kind of them."""
    return window.document.open_problem.graph.measured is not None


@needs("no op of this model has a measured time", is_open)
def has_profiles(window: GraphBody) -> bool:
    """Whether profiles gave times of ops of the open model, of every device or of a single one."""
    return profiled(window.document.open_problem.graph)


@needs("this model is in no file that could be read again", is_open)
def has_files(window: GraphBody) -> bool:
    """Whether the open model is in files."""
    return bool(window.document.paths)


def is_in(suffix: str, title: str) -> Condition:
    """Whether the open models are all in files of this kind, which ``title`` names."""
    return needs(f"{title} stages are cut from models in {suffix} files", is_open)(
        lambda window: (
            bool(window.document.paths)
            and all(path.suffix.lower() == suffix for path in window.document.paths)
        )
    )


@needs("the report is about segments on Edge TPUs: plan the model for these first", is_open)
def has_report(window: GraphBody) -> bool:
    """Whether the plan is for a machine that has an export of its own: a report on its segments."""
    return bool(machine_of(window.document.open_problem).exports)


@needs("select ops first", is_open)
def has_selection(window: GraphBody) -> bool:
    """Whether ops are selected."""
    return len(window.document.selection) > 0


@needs("no selected op is pinned", has_selection)
def has_pinned(window: GraphBody) -> bool:
    """Whether any of the selected ops is pinned."""
    return _constrained(window, Pin)


@needs("no selected op is kept together with others", has_selection)
def has_kept(window: GraphBody) -> bool:
    """Whether any of the selected ops is kept together with others."""
    return _constrained(window, Together)


def _constrained(window: GraphBody, kind: type[Pin | Together]) -> bool:
    problem = window.document.problem
    if problem is None or not problem.constraints:
        return False
    chosen = {problem.graph.op_ids[v] for v in window.document.selection.tolist()}
    named = (([c.op] if isinstance(c, Pin) else c.ops) for c in problem.constraints if isinstance(c, kind))
    return any(not chosen.isdisjoint(ops) for ops in named)


@needs("select several ops first", is_open)
def has_several(window: GraphBody) -> bool:
    """Whether several ops are selected."""
    return len(window.document.selection) > 1


@needs("no op is pinned, and none are kept together", is_open)
def has_constraints(window: GraphBody) -> bool:
    """Whether there are pins or ops kept together."""
    problem = window.document.problem
    return problem is not None and bool(problem.constraints)


def can_group(name: str, lacking: str) -> Condition:
    """Whether the open graph can be grouped by something; else it lacks that."""
    return needs(lacking, is_open)(lambda window: name in window.document.folding.available())


@needs("the file of this model gives nothing that its ops could be grouped by", is_open)
def has_groups(window: GraphBody) -> bool:
    """Whether the open graph can be grouped by anything."""
    return len(window.document.folding.available()) > 1


@needs("the model's file keeps no ops together that are not kept together here", is_open)
def has_classes(window: GraphBody) -> bool:
    """Whether colour classes of the file are kept together by nothing."""
    problem = window.document.problem
    return problem is not None and bool(unkept_classes(problem))


@needs(
    "the machine has nothing that can be more or fewer: choose stages, chips or accelerators in Target",
    is_open,
)
def has_count(window: GraphBody) -> bool:
    """Whether the machine has stages, chips or accelerators that can be more or fewer."""
    problem = window.document.problem
    return problem is not None and stage_counts.has_count(problem)


@needs("this is for multi-chip modules: choose one in Target", is_open)
def on_package(window: GraphBody) -> bool:
    """Whether the machine is a multi-chip module."""
    return is_package(window.document.problem)


@needs("no stages are being exported")
def is_exporting(window: Any) -> bool:
    """Whether stages are being written."""
    return bool(window.exports.exporting.busy)


@needs("no op that was measured has an estimate, too: measure the model first", is_open)
def has_ratios(window: GraphBody) -> bool:
    """Whether measured times of ops can be told beside estimated ones."""
    return RATIO in colourings_of(window.document.open_problem)


@needs("nothing was found, walked to or zoomed to yet", is_open)
def can_go_back(window: GraphBody) -> bool:
    """Whether something else was in sight before."""
    return window.canvas.earlier is not None


@needs("no other objective suits this machine better", is_open)
def has_suggestion(window: GraphBody) -> bool:
    """Whether another objective suits the plan on the canvas better."""
    return bool(window.document.suggested_objective[0])
