"""What is compared: plans of the main window's list, which follow it, and plans from files, which stay as they are."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gui.document.history import Column
from gui.document.plan.taking import entry_of
from gui.document.plan_list import PlanEntry, fits
from planner.errors import StageboardError
from planner.problem.claims import claimed
from planner.problem.problem import Plan, Problem
from planner.reports.comparison.figures import filed, own_name

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from planner.model.graph import Graph
    from planner.problem.bound import Bound

_ids = itertools.count(1)


@dataclass(eq=False)
class Source:
    """One column: an ``entry`` of a plan list, or a ``plan`` that was read from a file at ``path``, with what that file claims.

    An entry may have a ``path``, too: that of the file that it was opened from.
    """

    entry: PlanEntry | None = None
    plan: Plan | None = None
    path: Path | None = None
    file_claims: tuple[Bound, ...] = ()
    notes: tuple[str, ...] = ()
    """What its file says that is not so here."""
    other_costs: bool = False
    """Whether it was made with other times of ops."""
    times: str = ""
    """The fingerprint of the graph that its file was read for: with other times it is read again."""
    id: int = field(default_factory=lambda: next(_ids))
    _kept: Plan | None = None
    _past: list[tuple[PlanEntry | None, Plan | None]] = field(default_factory=list)
    _followed: list[PlanEntry] = field(default_factory=list)

    def __post_init__(self) -> None:
        if (self.entry is None) == (self.plan is None):
            raise ValueError("a source is an entry of the plan list or a plan of a file, and not both")

    @property
    def name(self) -> str:
        """What the plan is called."""
        if self.entry is not None:
            return self.entry.name
        assert self.plan is not None
        return self.plan.name or ("plan" if self.path is None else self.path.stem)

    @property
    def column(self) -> Column:
        """What a journal keeps of it: the plan of the list, or where its file is."""
        return self.entry or self.path or Path(self.name)

    @property
    def claims(self) -> tuple[Bound, ...]:
        """What the plan's file says was proven; nothing where it is in no file."""
        return self.file_claims if self.entry is None else self.entry.claims

    def follow(self, entry: PlanEntry) -> None:
        """Show what became of the plan: an entry that an edit of it made."""
        self._past.append((self.entry, self.plan))
        self._followed.append(entry)
        self.entry, self.plan = entry, None

    def catch_up(self, document: Document) -> None:
        """After undo the plan from before the edit is shown again, after redo what the edit made."""
        while self._past and self.entry not in document.plans:
            self.entry, self.plan = self._past.pop()
        for entry in self._followed:
            if entry is not self.entry and entry is document.active and entry in document.plans:
                self._past.append((self.entry, self.plan))
                self.entry, self.plan = entry, None

    def found_in_list(self, document: Document) -> None:
        """The plan of a file that is in the list, too, is that of the list once it is on the canvas. Beside the plan on the canvas a file stays as it is."""
        active = document.active
        if self.plan is None or active is None or active.path is None or self.path is None:
            return
        if active.path == self.path.absolute() and entry_of(document, self.plan) is active:
            self.follow(active)

    def made_for(self, plan: Plan) -> Problem:
        """What ``plan``, the plan as it is now, was made for: that on the canvas is judged by the problem that is open."""
        made = None if self.entry is None else self.entry.made_for
        return made if isinstance(made, Problem) else plan.problem

    def live(self, document: Document) -> bool:
        """Whether this is the plan on the main canvas."""
        return self.entry is not None and self.entry is document.active

    @classmethod
    def of_file(cls, path: Path, graph: Graph) -> tuple[Source, tuple[Bound, ...]]:
        """The plan of a graph in a file, and the bounds stored with it. Raises :class:`planner.errors.PlanError`."""
        from planner.plan_files.plan_json import open_plan

        opened = open_plan(path, graph)
        source = cls(
            plan=opened.plan, path=path, file_claims=claimed(opened.bounds), notes=opened.notes, other_costs=opened.other_costs,
            times=graph.fingerprint,
        )  # fmt: skip
        return source, opened.bounds

    def _read_again(self, document: Document) -> None:
        """Evaluate the plan of a file with the times that the document has now; one that is gone stays as it was read."""
        graph, before = document.graph, self.plan
        if (
            graph is None
            or before is None
            or self.path is None
            or not self.times
            or graph.fingerprint == self.times
        ):
            return
        self.times = graph.fingerprint
        try:
            source, _ = Source.of_file(self.path, graph)
        except StageboardError:
            return
        assert source.plan is not None
        self.plan = replace(source.plan, name=before.name)
        self.file_claims, self.notes, self.other_costs = source.file_claims, source.notes, source.other_costs

    def now(self, document: Document) -> Plan | None:
        """The plan as it is at present; None where it is gone or does not fit the document's problem."""
        if self.entry is None:
            self._read_again(document)
            return self.plan
        problem, entry = document.problem, self.entry
        if problem is None or entry not in document.plans:
            return None
        device_of = document.device_of if self.live(document) else entry.device_of
        if isinstance(entry.problem, Problem) and not entry.is_of(problem):
            problem = entry.problem
        elif not self.live(document):
            problem = own_problem(entry, problem)
        if not fits(device_of, problem):
            return None
        kept = self._kept
        same = kept is not None and kept.problem is problem and kept.name == entry.name
        if kept is not None and same and np.array_equal(kept.decision.device_of, device_of):
            return kept
        self._kept = problem.plan(device_of.copy(), entry.source, entry.name)
        return self._kept


def own_problem(entry: PlanEntry, problem: Problem) -> Problem:
    """What a plan of the list was made for, with the constraints of now, which come and go: what it is judged by beside others.

    ``problem``, which is open, where it was made for another objective or with other times: figures of those say nothing beside these.
    """
    made = entry.made_for
    if not isinstance(made, Problem) or made.objective != problem.objective or not made.same_machine(problem):
        return problem
    if (made.graph.fingerprint, made.graph.cost_model) != (
        problem.graph.fingerprint,
        problem.graph.cost_model,
    ):
        return problem
    own = made.with_constraints(problem.constraints)
    return problem if own == problem else own


def told_apart(plans: Sequence[Plan], paths: Sequence[Path | None]) -> list[Plan]:
    """Plans under names that tell them apart: where two are called alike, with their machines, else with their files."""
    names = [own_name(plan) for plan in plans]
    places = [plan.problem.places for plan in plans]
    alike = [{places[j] for j, other in enumerate(names) if other == name} for name in names]
    names = [
        f"{name}, {place}" if len(words) > 1 and not name.endswith(place) else name
        for name, place, words in zip(names, places, alike, strict=True)
    ]
    # One whose name was taken in the plan list is called by its file already: f4 (chain-dp).
    shared = {name for name in names if sum(name == one or one.endswith(f"({name})") for one in names) > 1}
    names = [
        filed(name, path) if path is not None and name in shared else name
        for name, path in zip(names, paths, strict=True)
    ]
    return [
        plan if own_name(plan) == name else replace(plan, name=name)
        for plan, name in zip(plans, names, strict=True)
    ]
