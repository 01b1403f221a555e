"""The plans a person can choose from, one of which is active."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from PySide6.QtCore import QObject, Signal

from gui.words.methods import method_name, shown_name
from gui.words.objectives import components_text, objective_in_words
from planner.errors import StageboardError
from planner.model.graph import Ints
from planner.problem.base import PlanningProblem, refuted
from planner.problem.bound import Bound
from planner.problem.claims import claim_words, claimed, telling_claim
from planner.problem.provenance import HAND, Provenance
from planner.reports.comparison.figures import filed
from planner.text_table import gap_percent

if TYPE_CHECKING:
    from pathlib import Path

    from planner.problem.bound import Standing
    from planner.problem.decision import Evaluated
    from planner.problem.problem import Problem


_ids = itertools.count(1)


def new_entry_id() -> str:
    """An id that no other entry of this process has."""
    return f"p{next(_ids)}"


@dataclass(eq=False)
class PlanEntry:
    """One plan of the list. ``device_of`` is its decision (int32); figures are those of :attr:`problem`.

    ``origin`` is hand, planner, file, start or carried (over from another machine). ``components`` are those of the
    objective in order, empty where the plan does not fit; ``standing`` is how they stand against the bounds known when the
    entry was last changed.
    """

    name: str
    device_of: Ints
    origin: str
    components: tuple[float, ...] = ()
    valid: bool = False
    standing: Standing | None = None
    planner: str = ""
    seed: int | None = None
    seconds: float | None = None
    provenance: Provenance | None = None
    id: str = field(default_factory=new_entry_id)
    broken: int = 0
    """How many rules the plan breaks under the current problem."""
    running: bool = False
    """Whether a planner is still improving this entry."""
    claims: tuple[Bound, ...] = ()
    """What the file of the plan says was proven; shown beside this plan alone, and counts nowhere."""
    kept: Ints | None = None
    """Its decision as a file has it; None where none does."""
    kept_for: PlanningProblem | None = None
    """The problem that this file has it for."""
    kept_name: str = ""
    """What this file calls it, in the words of the list."""
    path: Path | None = None
    """The file that it is saved to while it is on the canvas: the one that it was read from or saved to, or that of the plan that it is an edit of; None where there is none, as for a plan that a planner made, or that was made for another machine."""
    problem: PlanningProblem | None = None
    """What it is a plan of: the open problem, or the last one that was open on its machine. None before it was evaluated."""
    made_for: PlanningProblem | None = None
    """What it was planned or edited for; :attr:`problem` may have another memory, or other rules. None before it was evaluated."""

    @property
    def shown_name(self) -> str:
        """Its name as it is shown."""
        return shown_name(self.name)

    @property
    def objective(self) -> float:
        """The first component, NaN where the plan does not fit."""
        return self.components[0] if self.components else float("nan")

    def keep(self, device_of: Ints, problem: PlanningProblem, name: str) -> None:
        """A file has it now, as this decision (int32, not changed afterwards) for this problem, by this name."""
        self.kept, self.kept_for, self.kept_name = device_of, problem, name

    def is_kept(self, device_of: Ints, problem: PlanningProblem | None) -> bool:
        """Whether its own file has just this decision (int32) for this problem, by the name that it has."""
        if self.path is None or self.kept is None or not np.array_equal(self.kept, device_of):
            return False
        if self.kept_name != self.name:
            return False
        return self.kept_for is problem or self.kept_for == problem

    @property
    def would_be_lost(self) -> bool:
        """Whether it is by hand and no file has it."""
        return self.origin == "hand" and (self.kept is None or not np.array_equal(self.kept, self.device_of))

    @property
    def gap(self) -> float | None:
        """The gap of the first component not yet proven: 0 where all are, None without a bound."""
        return None if self.standing is None else self.standing.gap

    @property
    def source(self) -> Provenance:
        """Where the plan came from; a plan that was edited is by hand."""
        planner = HAND if self.origin == "hand" else self.planner
        return self.provenance or Provenance(planner, seed=self.seed, seconds=self.seconds or 0.0)

    def set_figures(self, problem: PlanningProblem, evaluation: Evaluated, bounds: Sequence[Bound]) -> None:
        """Set the figures where the plan is evaluated already, and with them what it is a plan of."""
        self.made_for = self.made_for or self.problem or problem
        self.problem = problem
        self.components, self.broken = tuple(evaluation.values), len(evaluation.violations)
        self.valid = not self.broken
        self.standing = problem.standing(self.components, bounds)

    def forget_figures(self) -> None:
        """There are no figures: the plan does not fit the problem, or is being evaluated."""
        self.components, self.valid, self.standing, self.broken = (), False, None, 0

    def is_of(self, problem: PlanningProblem | None) -> bool:
        """Whether it is a plan of the machine of ``problem``, or of none yet."""
        return problem is not None and (self.problem is None or self.problem.same_machine(problem))

    def better_than(self, other: PlanEntry | None) -> bool:
        """Whether this is a valid plan and the other is none, or is worse by the objective's components in order.

        Plans of different machines are not compared.
        """
        if not self.valid or other is None or not other.valid:
            return self.valid
        return other.is_of(self.problem) and self.components < other.components


class PlanList(QObject):
    """Entries in the order in which they came, with their figures under the current problem."""

    plans_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.entries: list[PlanEntry] = []
        self.active_id = ""

    def reset(self, entries: list[PlanEntry], active: str) -> None:
        """Start over with these entries. Tells nobody; the document does."""
        self.entries = list(entries)
        self.active_id = active

    def get(self, id: str) -> PlanEntry | None:
        """The entry with this id, if it is in the list."""
        return next((entry for entry in self.entries if entry.id == id), None)

    @property
    def active(self) -> PlanEntry | None:
        """The entry that the canvas shows."""
        return self.get(self.active_id)

    def best(self, problem: PlanningProblem, but: PlanEntry | None = None) -> PlanEntry | None:
        """The best valid plan of the machine of ``problem``, ``but`` for one; None where there is none."""
        valid = [entry for entry in self.entries if entry is not but and entry.valid and entry.is_of(problem)]
        return min(valid, key=lambda entry: entry.components, default=None)

    def optimum(self, problem: PlanningProblem, bounds: Sequence[Bound]) -> PlanEntry | None:
        """Another valid plan of ``problem`` than the active one that ``bounds`` prove optimal; None where there is none."""
        best = self.best(problem, but=self.active)
        if best is None or best.problem != problem:
            return None
        return best if problem.standing(best.components, bounds).gap == 0.0 else None

    def name_by(self, planner: str, problem: Problem, besides: PlanEntry | None = None) -> str:
        """What a plan that a planner found for a problem is called in this list: the planner's title, and only what tells it from its other
        plans (all ``besides`` one): the machine (``Slice, 6 stages``), the objective in words."""
        others = [entry for entry in self.entries if entry is not besides]
        own = [
            cast("Problem", entry.problem) for entry in others if entry.planner == planner and entry.problem
        ]
        known = {entry.shown_name for entry in others}
        words = [method_name(planner)]
        if any(one.places != problem.places for one in own):
            words.append(problem.places)
        if any(one.objective != problem.objective for one in own):
            words.append(objective_in_words(problem.objective))
        if ", ".join(words) in known and problem.places not in words:
            words.append(problem.places)
        return ", ".join(words)

    def unused_name(self, name: str, path: Path | None = None) -> str:
        """``name``; if another entry has it, with that of the plan's file at ``path``, or with a number."""
        taken = {entry.name for entry in self.entries}
        if name not in taken:
            return name
        if path is not None and (own := filed(name, path)) not in taken:
            return own
        # One that has a number because another was there first gets the next one, not a second number.
        stem, _, number = name.rpartition(" ")
        base = stem if number.isdecimal() and stem in taken else name
        return next(f"{base} {i}" for i in range(2, len(taken) + 3) if f"{base} {i}" not in taken)

    def deserves(
        self, components: tuple[float, ...], problem: PlanningProblem, entry: PlanEntry | None
    ) -> bool:
        """Whether what a planner found may take the canvas by itself: a valid plan of ``problem`` with these ``components``.

        It has to be better than the plan there by what one can see, unless that breaks rules, and no valid plan of the list may be better;
        ``entry`` is its own.
        """
        active, best = self.active, self.best(problem, but=entry)
        if best is not None and best.components < components:
            return False
        if active is None or not active.valid:
            return True
        return components < active.components and not self.hardly_better(components, problem)

    def hardly_better(self, components: tuple[float, ...], problem: PlanningProblem) -> str:
        """By what share a plan of ``problem`` with these ``components`` is better than the valid one on the canvas, where figures do not show it:
        ``0.020 %``; else empty."""
        active = self.active
        if (
            active is None
            or not active.valid
            or active.problem != problem
            or not components < active.components
        ):
            return ""
        if components_text(problem, components) != components_text(problem, active.components):
            return ""
        now, before = next((a, b) for a, b in zip(components, active.components, strict=True) if a != b)
        return gap_percent(1 - now / before)

    def insert(self, entry: PlanEntry, index: int | None = None) -> None:
        """Put an entry into the list (at the end, or where it was)."""
        self.entries.insert(len(self.entries) if index is None else index, entry)
        self.plans_changed.emit()

    def take(self, entry: PlanEntry) -> int:
        """Take an entry out of the list; returns where it was."""
        index = self.entries.index(entry)
        del self.entries[index]
        self.plans_changed.emit()
        return index


def fits(device_of: Ints, problem: Problem) -> bool:
    """Whether the plan uses only devices that the problem has."""
    if device_of.shape != (problem.graph.n,):
        return False
    return not len(device_of) or (int(device_of.max()) < len(problem.devices) and int(device_of.min()) >= 0)


def fill_figures(entry: PlanEntry, problem: PlanningProblem, bounds: Sequence[Bound]) -> None:
    """Evaluate an entry under ``problem``, a plan of another machine under its own; it has no figures where it does not fit."""
    if entry.problem is not None and not entry.is_of(problem):
        problem = entry.problem
    try:
        evaluation: Evaluated = cast(Any, problem).evaluate(entry.device_of)
    except StageboardError:
        entry.forget_figures()
    else:
        entry.set_figures(problem, evaluation, bounds)


def bounds_with(entry: PlanEntry | None, bounds: Sequence[Bound]) -> list[Bound]:
    """What is proven, and what the file of a plan claims: what is said and kept of this plan."""
    return [*bounds, *(() if entry is None else claimed(entry.claims))]


def telling_of(
    entry: PlanEntry,
    problem: PlanningProblem,
    components: Sequence[float],
    valid: bool,
    bounds: Sequence[Bound],
) -> Bound | None:
    """What the file of a plan claims beyond what is proven; None where it claims nothing more. Figures are those of ``problem``."""
    if not entry.claims or not components:
        return None
    return telling_claim(problem, components, bounds_with(entry, bounds), valid)


def drop_refuted(entries: Sequence[PlanEntry], by: PlanEntry, problem: PlanningProblem) -> list[str]:
    """Drop the claims that a valid plan shows to be wrong; returns a sentence on each."""
    if not by.valid or not by.components:
        return []
    problem = by.problem or problem
    reached = dict(zip(problem.components, by.components, strict=True))
    notes = []
    for entry in entries:
        wrong = [claim for claim in entry.claims if refuted(claim, problem, reached)]
        if wrong:
            entry.claims = tuple(claim for claim in entry.claims if claim not in wrong)
            notes += [
                f"{claim_words(problem, claim)}: refuted by the plan “{by.shown_name}”" for claim in wrong
            ]
    return notes
