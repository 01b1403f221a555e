"""The searches on multi-chip modules by name, each with its options: what planners run and what is traced."""

from __future__ import annotations

from collections.abc import Callable

from planner.machines.mcm.learned.network import random_weights
from planner.machines.mcm.learned.policy import Learned
from planner.machines.mcm.learned.tuning import TuningSettings
from planner.machines.mcm.learned.weights import SHIPPED, read_weights
from planner.machines.mcm.search.local import GUIDES, POLICY, SHARES, LocalChips, LocalSettings
from planner.machines.mcm.search.policy import Annealed, Uniform
from planner.machines.mcm.search.samples import (
    COST,
    cut_at_random,
    file_order,
    filled_greedily,
    fix_candidate,
    run_corrected,
    run_policy,
    solver_of,
)
from planner.methods.obvious_infeasibility import report_infeasible
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.search import Search

SAMPLES = Option(
    "samples", 5_000, "how many valid partitions are drawn and evaluated", low=1, high=1_000_000_000
)

RANDOM_OPTIONS = (SAMPLES, COST)

GREEDY_OPTIONS = (
    Option(
        "partition", "greedy",
        "what is corrected: chips filled to an equal share of the work, or the same order cut at random places",
        choices=("greedy", "random"),
    ),
    COST,
)  # fmt: skip

ANNEAL_OPTIONS = (
    SAMPLES,
    Option("share", 0.3, "share of the ops that get a new random distribution at a time", low=0.0, high=1.0),
    Option("alpha", 0.1, "Dirichlet parameter of new distributions: 1 = any as likely; less = more peaked", low=1e-3, high=1e3),
    Option("hot", 0.1, "first temperature, as a share of the objective", low=1e-9, high=100.0),
    Option("cold", 0.02, "last temperature, as a share of the objective", low=1e-12, high=100.0),
    COST,
)  # fmt: skip

WEIGHTS = "file of weights that were trained here (Plan, Train the Learned Policy; or stageboard train); empty: those that come with Stageboard"
WEIGHTS_FILES = "Weights (*.npz)"

ZERO_SHOT, FINE_TUNE, SCRATCH = "zero-shot", "fine-tune", "scratch"
LEARNED_OPTIONS = (
    Option("samples", 500, "how many valid partitions are drawn and evaluated", low=1, high=1_000_000_000),
    Option(
        "mode", ZERO_SHOT,
        "zero-shot: as trained; fine-tune: goes on learning on this problem; scratch: learns on this problem alone, from random weights",
        choices=(ZERO_SHOT, FINE_TUNE, SCRATCH),
    ),
    Option("weights", "", WEIGHTS, file=WEIGHTS_FILES, only_with=("mode", (ZERO_SHOT, FINE_TUNE))),
    Option(
        "correction", "fix",
        "how the solver corrects: fix keeps the chips that are drawn where rules allow it; sample draws them within the rules",
        choices=("fix", "sample"),
    ),
    Option("rollouts", 20, "samples between two times that it learns", low=2, high=1_000),
    Option("epochs", 10, "how often it goes through them when it learns", low=1, high=100),
    Option("rate", 1e-3, "size of the steps in which it learns", low=1e-6, high=1.0),
    COST,
)  # fmt: skip

LOCAL_OPTIONS = (
    Option("rounds", 8, "rounds of annealing, each longer than the one before", low=0, high=1_000),
    Option(
        "moves", 0, "steps of the first round; 0 = 100 per op, 5,000 to 100,000", low=0, high=1_000_000_000
    ),
    Option("growth", 1.8, "how much longer each round is than the one before", low=1.0, high=10.0),
    Option("orders", 60, "variations of the best plan (cuts, corrections) before each round and after the last", low=0, high=1_000_000),
    Option("hot", 0.02, "first temperature, as a share of the objective", low=1e-9, high=100.0),
    Option("cold", 0.0005, "last temperature, as a share of the objective", low=1e-12, high=100.0),
    Option(
        "guide", SHARES,
        "first candidates to correct, beside the greedy one: equal shares of the work along orders, the learned policy's likeliest plan, or none",
        choices=GUIDES,
    ),
    Option("weights", "", f"for guide {POLICY}: {WEIGHTS}", file=WEIGHTS_FILES, only_with=("guide", (POLICY,))),
)  # fmt: skip


def greedy(problem: Problem, search: Search) -> None:
    """The greedy heuristic (or a random cut of the same order), corrected by FIX."""
    if report_infeasible(problem, search, "chip-greedy"):
        return
    order = file_order(problem)
    if search.options["partition"] == "random":
        fix_candidate(problem, search, cut_at_random(problem, order, search.rng), order, "chip-greedy", True)
    else:
        fix_candidate(problem, search, filled_greedily(problem, order), order, "chip-greedy", False)


def random(problem: Problem, search: Search) -> None:
    """SAMPLE from the uniform distribution."""
    if not report_infeasible(problem, search, "chip-random"):
        run_policy(problem, search, Uniform(), int(search.options["samples"]), "chip-random")


def annealed(problem: Problem, search: Search) -> None:
    """SAMPLE from distributions that are annealed."""
    if report_infeasible(problem, search, "chip-anneal"):
        return
    samples, options = int(search.options["samples"]), search.options
    policy = Annealed(
        problem.evaluator.n, problem.evaluator.k, float(options["share"]), float(options["alpha"]),
        float(options["hot"]), float(options["cold"]), samples,
    )  # fmt: skip
    run_policy(problem, search, policy, samples, "chip-anneal")


def learned(problem: Problem, search: Search) -> None:
    """FIX (or SAMPLE) of what the learned policy draws."""
    if report_infeasible(problem, search, "chip-learned"):
        return
    solver = solver_of(problem, search, "chip-learned")
    if solver is None:
        return
    options = search.options
    mode = options["mode"]
    weights = (
        random_weights(search.seed) if mode == SCRATCH else read_weights(str(options["weights"]) or SHIPPED)
    )
    tuning = None
    if mode != ZERO_SHOT:
        tuning = TuningSettings(
            int(options["rollouts"]), epochs=int(options["epochs"]), rate=float(options["rate"])
        )
    policy = Learned(problem, solver, weights, tuning, options["correction"] == "sample", search.seed)
    run_corrected(problem, search, policy, int(options["samples"]), solver)


def local(problem: Problem, search: Search) -> None:
    """Orders cut exactly, candidates corrected by FIX, and annealing of assignments."""
    given = str(search.options["weights"])
    # Whatever the problem: a damaged file is said at once, not only where cuts leave the policy something to do.
    found = LocalChips(problem, search, read_weights(given) if given else None)
    found.run(LocalSettings.of(search.options, found.units.count), "chip-local-search")


METHODS: dict[str, tuple[tuple[Option, ...], Callable[[Problem, Search], None]]] = {
    "chip-greedy": (GREEDY_OPTIONS, greedy),
    "chip-random": (RANDOM_OPTIONS, random),
    "chip-anneal": (ANNEAL_OPTIONS, annealed),
    "chip-local-search": (LOCAL_OPTIONS, local),
    "chip-learned": (LEARNED_OPTIONS, learned),
}
