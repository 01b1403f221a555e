"""The guided tour: what is done at each step, when the step is over, and what is said about it.

The same steps run in a window that a person looks at and headless, where pictures are taken. Nothing is acted: models
are read, planners run in their processes, and every figure that is told is read from the document.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gui.background.job import Job
from gui.background.jobs import Jobs
from gui.document.plan import opening, reading
from gui.document.plan.document import Document
from gui.look.numbers import gap_text, percent, time_column
from planner.errors import StageboardError
from planner.machines.spec import parse_target
from planner.model.samples import sample
from planner.quantity import time_text
from planner.runs.messages import Order
from planner.runs.start_plan import even_cut
from planner.text_table import gap_percent

PIPELINE = "pipeline:4,bandwidth=4e9"
SEED = 1


@dataclass(frozen=True)
class Figures:
    """What the readouts show at the end of a step."""

    objective: float
    bound: float | None
    gap: float | None
    valid: bool
    unit: str | None
    name: str

    @property
    def text(self) -> str:
        """Objective, bound and gap in words."""
        parts = [f"{self.name} {time_text(self.objective, self.unit)}"]
        if self.bound is not None and self.gap is not None:
            parts.append(
                f"at least {time_text(self.bound, self.unit)} is needed, so at most {gap_percent(self.gap)} can be saved"
            )
        return ", ".join(parts)


class Tour:
    """The state of a tour: the document it works on, its jobs, and what it remembers from step to step."""

    def __init__(self, document: Document, jobs: Jobs, out: Path | None = None) -> None:
        self.document = document
        self.jobs = jobs
        self.out = out
        self.job: Job | None = None
        self.before: Figures | None = None
        self.op = -1
        self.device = -1
        self.sentence = ""
        self.along = 0
        self.written: list[Path] = []

    # ------------------------------------------------------------------ reading
    @property
    def figures(self) -> Figures:
        """The readouts now."""
        document = self.document
        assert document.problem is not None
        bound = document.bound
        return Figures(
            document.evaluation.objective,
            None if bound is None else bound.value,
            document.gap,
            document.evaluation.valid,
            document.problem.graph.time_unit,
            document.problem.objective,
        )

    def name_of(self, op: int) -> str:
        """An op's name."""
        assert self.document.graph is not None
        return self.document.graph.op_names[op]

    def title_of(self, device: int) -> str:
        """A device's title."""
        assert self.document.problem is not None
        return self.document.problem.devices[device].title

    def time(self, value: float) -> str:
        """A time of the open model in words."""
        assert self.document.graph is not None
        return time_text(value, self.document.graph.time_unit)

    # ------------------------------------------------------------------ acting
    def open(self, names: tuple[str, ...], target: str, shares: bool = False) -> None:
        """Open sample models on a target; with ``shares`` cut into equal shares of the work, so that something is left to do."""
        self.job = None
        graph = reading.read_graph([sample(name) for name in names])
        paths = [sample(name) for name in names]
        opened = opening.prepare_graph(graph, paths, target=parse_target(target, graph))
        # No plan is to follow where equal shares are what somebody starts from.
        self.document.install(replace(opened, stands_in=False) if shares else opened)
        problem = self.document.problem
        if shares and problem is not None:
            self.document.set_assignment(even_cut(problem), "edit", "Equal shares of the work")

    def start(self, planner: str, **options: object) -> None:
        """Start a planner in the background; the canvas follows what it finds."""
        problem = self.document.problem
        assert problem is not None
        self.before = self.figures
        order = Order(planner, problem, seed=SEED, options=options, bounds=tuple(self.document.bounds))
        self.job = self.jobs.start(order)

    def searched(self) -> bool:
        """Whether the planner has ended."""
        return self.job is None or not self.job.alive

    def take_best(self) -> None:
        """Put the planner's best plan on the canvas where it did not arrive there by itself."""
        entry = None if self.job is None else self.job.entry
        if (
            entry is not None
            and entry is not self.document.active
            and entry.objective < self.figures.objective
        ):
            self.document.apply_plan(entry)

    def break_a_rule(self) -> None:
        """Move one op, alone, to the next stage, which breaks the order rule; the op is chosen so that this can be mended."""
        self.before = self.figures
        self.op, self.device = telling_move(self.document)
        self.document.select([self.op])
        self.document.move([self.op], self.device)
        self.sentence = self.document.evaluation.violations[0].sentence

    def take_along(self) -> None:
        """Mend it: what the op's move needs comes along."""
        before = self.document.device_of.copy()
        self.document.move([self.op], self.device, along=True)
        self.along = int(np.count_nonzero(before != self.document.device_of))

    def go_back(self) -> None:
        """Undo both steps, pin the op where it was, save the plan."""
        self.document.undo_stack.undo()
        self.document.undo_stack.undo()
        self.document.pin([self.op])
        if self.out is not None:
            self.save("resnet50.plan.json")

    def save(self, name: str) -> None:
        """Save the plan among the tour's files."""
        assert self.out is not None
        path = self.out / name
        self.document.save_plan(path)
        self.written.append(path)


def telling_move(document: Document) -> tuple[int, int]:
    """An op and the stage after its own to which it cannot go alone, but with two to eight others.

    The first such op in the graph's order whose move makes the plan only a little worse.
    """
    best: tuple[float, int, int] | None = None
    k = len(document.evaluation.cost)
    for op in range(document.device_of.size):
        device = int(document.device_of[op]) + 1
        if device >= k or document.check([op]).legal[device]:
            continue
        along = document.closure([op], device)
        if not 3 <= len(along) <= 9:
            continue
        preview = document.check(along)
        if preview.legal[device] and (best is None or preview.objective[device] < best[0]):
            best = (float(preview.objective[device]), op, device)
    if best is None:
        raise StageboardError("the sample has no op that shows the order rule; the tour cannot go on")
    return best[1], best[2]


# ---------------------------------------------------------------------- the steps
@dataclass(frozen=True)
class Step:
    """One step. ``act`` begins it, ``over`` says when it is done, ``finish`` ends it, ``text`` says what was seen."""

    key: str
    title: str
    act: Callable[[Tour], None]
    text: Callable[[Tour], str]
    view: str = "lanes"
    over: Callable[[Tour], bool] = lambda tour: True
    finish: Callable[[Tour], None] = lambda tour: None
    theme: str = "light"


def _opened(tour: Tour) -> str:
    graph = tour.document.graph
    assert graph is not None
    known = "The best plan was found and proven at once; to" if tour.document.optimum is not None else "To"
    return (
        f"{graph.name} has {graph.n} ops. Four stages in a row pass tensors on at 4 GB/s; each colour is a stage."
        f" {known} begin with, equal shares of the work: {tour.figures.text}."
    )


def _searched(tour: Tour) -> str:
    assert tour.before is not None and tour.job is not None
    was, now = tour.before.objective, tour.figures.objective
    orders = tour.job.order.options.get("orders", "")
    if now >= was:
        return f"The planner cut {orders} random orders of the ops and found nothing better than {tour.time(was)}."
    gap = tour.figures.gap
    left = "That is optimal: proven." if gap == 0.0 else f"The gap is now {gap_text(gap)}."
    return (
        f"The planner cut up to {orders} random orders of the ops in the background. Each better plan moved onto the canvas:"
        f" from {tour.time(was)} to {tour.time(now)}, {percent(1 - now / was)} less. {left}"
    )


def _broken(tour: Tour) -> str:
    return (
        f"{tour.name_of(tour.op)} alone was moved to {tour.title_of(tour.device)}. That is allowed to be tried, and said:"
        f" “{tour.sentence}”. Invalid plans are marked until they are mended."
    )


def _mended(tour: Tour) -> str:
    assert tour.before is not None
    others = "1 op that it feeds" if tour.along == 1 else f"{tour.along} ops that it feeds"
    now, was = tour.figures.objective, tour.before.objective
    times = time_column([now, was], tour.figures.unit).telling_apart([now, was])
    same = times.text(now) == times.text(was)
    than = "as before" if same else f"instead of {times.text(was)}"
    return (
        f"“Take along” moved {others} as well, as one step. The plan is {'valid' if tour.figures.valid else 'still invalid'}"
        f" again and takes {times.text(now)} {than}."
    )


def _back(tour: Tour) -> str:
    moves = tour.document.best_moves(1)
    helps = (
        f"the best single move would give {tour.time(moves[0].objective)}"
        if moves
        else "no single move would make it better, which the panel on the right says too"
    )
    return (
        f"Two undos brought the better plan back, {tour.name_of(tour.op)} was pinned to {tour.title_of(tour.device - 1)} so that"
        f" planners leave it there, and the plan was saved; {helps}."
    )


def _two(tour: Tour) -> str:
    graph = tour.document.graph
    assert graph is not None
    return (
        f"Two networks deployed together, {graph.name}, {graph.n} ops. Cut into equal shares of the work, they do"
        f" not share the stages well: {tour.figures.text}."
    )


def _pool(tour: Tour) -> str:
    document = tour.document
    assert document.graph is not None
    _, why = document.why_bottleneck()
    return (
        f"{document.graph.name}, {document.graph.n} ops, on two accelerators and a CPU that exchange tensors through memory."
        f" The attention mask feeds every layer, and still the picture stays readable. {why}"
    )


def _pool_searched(tour: Tour) -> str:
    return f"{_searched(tour)} What is proven stays on screen: {tour.figures.text}."


STEPS: tuple[Step, ...] = (
    Step("opened", "A network, split over four stages", lambda t: t.open(("resnet50.json",), PIPELINE, shares=True), _opened),
    Step(
        "searched", "A planner at work", lambda t: t.start("slice-random", orders=400), _searched,
        over=Tour.searched, finish=Tour.take_best,
    ),
    Step("broken", "A rule is broken by hand", Tour.break_a_rule, _broken),
    Step("mended", "Take along what must come along", Tour.take_along, _mended),
    Step("back", "Undo, pin, save", Tour.go_back, _back, view="flow"),
    Step(
        "two", "Two networks on one machine", lambda t: t.open(("resnet50.json", "unet.onnx"), "pipeline:4,bandwidth=12e9", shares=True),
        _two,
    ),
    Step(
        "two-searched", "Better plans move onto the canvas", lambda t: t.start("slice-random", orders=400), _searched,
        over=Tour.searched, finish=Tour.take_best,
    ),
    Step(
        "pool", "A transformer on accelerators and a CPU", lambda t: t.open(("transformer_encoder.onnx",), "pool:2+1"),
        _pool, view="flow", theme="dark",
    ),
    Step(
        "pool-searched", "How good is it, provably?", lambda t: t.start("slice-random", orders=200), _pool_searched,
        over=Tour.searched, finish=Tour.take_best, theme="dark",
    ),
)  # fmt: skip
"""The tour, in order."""
