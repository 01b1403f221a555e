"""Is there a valid plan at all, and if not, why? Asked in a process of its own, which loads solvers and can be ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.background.asking import Asking
from planner.evaluation.memory_words import fitting_words
from planner.problem.problem import Problem
from planner.processes.question import Answer

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from planner.methods.feasibility.verdict import Status

SECONDS = 20.0
"""How long an explanation may be looked for."""

RULE_WORDS = {
    "order": "order: a {one} only sends to later ones",
    "no_skip": "no skipped {one}: no empty {one} below the highest used one",
    "triangle": "triangle: no {one} sends to another both directly and through others",
    "every_chip": "every {one} holds an op",
    "path": "path: a {one} sends to the next one at most",
    "memory": "memory: {held} fit the {one}",
    "shared_children": "shared children: all readers of an op share a {one}",
    "contiguous": "contiguous devices",
    "support": "ops run on devices that support them",
    "chip-count": "the number of {many}",
}
"""Rules in a few words, where their names do not say it all; ``{one}`` and ``{many}`` are what the target calls its devices,
``{held}`` is what their memory holds."""


class Checking(Asking):
    """Asks for the explanation of one problem at a time. Call :meth:`stop` before the window goes.

    ``found(Problem, Explanation)``, after the document was told of a proof that no plan is valid; ``failed(str)`` with a sentence. An edit of the problem ends the search without a word.
    """

    found = Signal(object, object)
    failed = Signal(str)

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._problem: Problem | None = None
        self.answered.connect(self._take)
        for signal in (document.model_changed, document.problem_changed):
            signal.connect(self.stop)

    def start(self) -> None:
        """Look for the explanation of the open problem. Raises :class:`StageboardError` where nothing is open."""
        from planner.feasibility import explain

        self._problem = self._document.board.open_problem
        self.ask(explain, self._problem, seconds=SECONDS)

    def _take(self, answer: Answer) -> None:
        if answer.sentence:
            self.failed.emit(f"no explanation was found: {answer.sentence}")
            return
        if answer.value.status == "infeasible":
            assert self._problem is not None
            self._document.proved_infeasible(self._problem, answer.value)
        self.found.emit(self._problem, answer.value)


def rule_text(problem: Problem, rule: str) -> str:
    """A rule's name, or the token of a constraint, as a person reads it."""
    graph = problem.graph
    kind, _, rest = rule.partition(":")
    if kind == "rule":
        return rule_text(problem, rest)
    if kind == "pin":
        op, _, device = rest.rpartition("=")
        title = next((known.title for known in problem.devices if known.name == device), device)
        return f"pin: {graph.op_names[graph.index[op]] if op in graph.index else op} on {title}"
    if kind == "together":
        ops = rest.replace("\0", ",").split(",")
        shown = ", ".join(graph.op_names[graph.index[op]] if op in graph.index else op for op in ops[:3])
        return f"keep together: {shown}" + (f" and {len(ops) - 3} more" if len(ops) > 3 else "")
    words = problem.target.words
    said = RULE_WORDS.get(rule, rule.replace("_", " ").replace("-", " "))
    return (
        said.format(one=words.one, many=words.many, held=fitting_words(problem))
        if rule in RULE_WORDS
        else said
    )


def status_text(status: Status) -> str:
    """Whether there is a valid plan, as a heading."""
    return {
        "feasible": "There is a valid plan",
        "infeasible": "There is no valid plan: proven",
        "unknown": "Not settled: neither a valid plan nor a proof was found",
    }[status]
