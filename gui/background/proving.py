"""What a window offers where the file of its plan claims more than is proven: to prove it, beside the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject

from gui.document.values import Message
from gui.widgets.later import Later
from gui.words.methods import method_words
from gui.words.objectives import amount
from planner.errors import StageboardError
from planner.problem.claims import claim_words
from planner.runs.messages import Order
from planner.search.method import BoundMethod

if TYPE_CHECKING:
    from gui.background.job import Job
    from gui.background.jobs import Jobs
    from gui.widgets.notice import NoticeBar
    from planner.problem.bound import Bound


class Provable(Protocol):
    """The window of a graph, or of a network."""

    document: Any
    jobs: Jobs
    notice: NoticeBar
    docks: Any


class Proving(QObject):
    """Offers once for each plan from a file to prove what that file claims; a job like any other does it."""

    def __init__(self, window: Provable, parent: QObject) -> None:
        super().__init__(parent)
        self._window, self._document = window, window.document
        self._offered: set[str] = set()
        self._said = ""
        self._job: Job | None = None
        self._claim: Bound | None = None
        self._later = Later(self._offer, self)
        self._document.plans_changed.connect(self._look)
        window.jobs.ended.connect(self._ended)

    def _look(self) -> None:
        """Notices that come with a plan come first."""
        active = self._document.active
        if active is not None and active.claims and active.id not in self._offered:
            self._later.ask()
        elif self._said and self._document.claim is None:
            self._withdraw()

    def _withdraw(self) -> None:
        """What the notice says is proven by now, or about another plan."""
        if self._window.notice.text == self._said:
            self._window.notice.dismiss()
        self._said = ""

    def _offer(self) -> None:
        active, claim, notice = self._document.active, self._document.claim, self._window.notice
        if active is None or claim is None or active.id in self._offered:
            return
        self._offered.add(active.id)
        if not notice.isHidden() and notice.level != "info":
            return  # a warning about the same file; the readouts tell of the claim
        self._said = f"{claim_words(self._document.problem, claim)}."
        notice.show_message("info", self._said, action="Prove It", run=self.prove, until_change=True)

    # ------------------------------------------------------------------ proving
    def prove(self) -> Job | None:
        """Start what proves the claim of the plan on the canvas; None where nothing is claimed, or nothing can prove it."""
        from planner.runs.proving import method_to_prove

        document, jobs = self._document, self._window.jobs
        claim, problem = document.claim, document.problem
        if claim is None:
            return None
        if self._job is not None and self._job.alive and self._claim == claim:
            self._window.docks.reveal("planners")
            return self._job
        method = method_to_prove(problem, claim)
        if method is None:
            self._tell("warning", f"no method proves bounds for this problem: {claim_words(problem, claim)}")
            return None
        is_bound = isinstance(method, BoundMethod)
        starts = [] if is_bound or not document.evaluation.valid else [document.device_of.copy()]
        order = Order(method.name, problem, is_bound, starts=starts, bounds=list(document.bounds))
        try:
            job = jobs.start(order, method.title, follow=False)
        except StageboardError as error:
            self._tell("error", str(error))
            return None
        self._job, self._claim = job, claim
        self._window.docks.reveal("planners")
        return job

    def _tell(self, level: str, text: str) -> None:
        self._document.message.emit(Message(level, text))

    def _ended(self, job: Job) -> None:
        """Say what came of it, unless the user stopped it or went on to something else."""
        if job is not self._job or self._claim is None:
            return
        claim, self._job, self._claim = self._claim, None, None
        active = self._document.active
        if job.state != "done" or job.problem != self._document.problem or active is None:
            return
        if claim not in active.claims:  # refuted, which was said, or another plan is on the canvas
            return
        if self._document.claim is None:
            known = self._document.problem.standing(self._document.evaluation.values, self._document.bounds)
            part = next(part for part in known.components if part.name == claim.component)
            least = (
                "" if part.bound is None else f"at least {amount(job.problem, part.name, part.bound.value)}, "
            )
            self._tell(
                "info",
                f"{least}proven here now by {method_words(job.planner)}: as much as {claim.claimed_by} claims",
            )
        else:
            self._tell("warning", f"{claim_words(job.problem, claim)}: {job.title} ended without it")
