"""Plans that are found elsewhere: who takes them over ends no worse, says whose they are, and can be run again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from planner.machines.catalogue import planner
from planner.problem.bound import Bound, better
from planner.problem.provenance import Adoption, Again
from planner.runs.replay import replay
from planner.search.run import plan_of, run, run_bound
from planner.search.search import Callbacks, Exchange, Search, Shared
from planner.search.stop import GIVEN, FirstPlan, IterationLimit, Progress, TimeLimit
from tests.planner.runs.race.examples import PROBLEMS

ADOPTING = [
    ("anneal", "pipeline", {"rounds": 2, "moves": 200, "orders": 5}),
    ("brkga", "pipeline", {"generations": 3, "population": 10}),
    ("mla", "pipeline", {"generations": 3, "population": 10}),
    ("slice-random", "pipeline", {"orders": 200}),
    ("local-search", "pipeline", {"restarts": 3}),
    ("local-search", "pipeline", {"on": "orders", "restarts": 3, "orders": 70}),
    ("mtpp-cp-sat", "pipeline", {"split": 0.0}),
    ("brkga", "stage time", {"generations": 3, "population": 10}),
    ("edge-tpu-fastest", "inference time", {}),
    ("edge-tpu-ilp", "bytes", {}),
    ("dpl", "contiguous", {}),
    ("ideals-dp", "contiguous", {}),
    ("slice-random", "contiguous", {"orders": 5}),
    ("local-search", "in any shape", {"restarts": 2}),
    ("max-load-ip", "in any shape", {"workers": 1, "solver": "none"}),
    ("latency-ip", "latency", {"runs": 2, "moves": 50, "solver": "none"}),
    ("local-search", "latency", {"restarts": 2}),
    ("chip-anneal", "chips", {"samples": 30}),
    ("chip-random", "chips", {"samples": 30}),
    ("chip-learned", "chips", {"samples": 30}),
    ("chip-local-search", "chips", {"rounds": 2, "moves": 50, "orders": 2}),
    ("connection-reordering", "network", {"iterations": 50_000}),
]


@cache
def good(kind: str) -> Shared:
    """A good plan of a problem, as if a friend had found it."""
    problem: Any = PROBLEMS[kind]
    name = {"network": "order-portfolio", "in any shape": "local-search"}.get(kind)
    names = (
        [name]
        if name
        else ["chip-local-search", "ideals-dp", "brkga", "latency-ip", "edge-tpu-ilp", "edge-tpu-fastest"]
    )
    chosen = next(planner(n) for n in names if planner(n).refusal(problem) is None)
    run(chosen, problem, FirstPlan(), seed=3)  # kernels may have to be compiled until there is a plan
    result = run(chosen, problem, TimeLimit(2.0), seed=3)
    assert result.device_of is not None and result.components is not None
    return Shared(result.device_of, result.components, "friend")


class News:
    """Tells of a plan when it is asked for the ``at``-th time."""

    def __init__(self, plan: Shared, at: int) -> None:
        self._plan, self._at = plan, at

    def __call__(self) -> Sequence[Bound | Shared]:
        self._at -= 1
        return [self._plan] if self._at == 0 else []


class Own(Callbacks):
    """What a planner says is its own."""

    def __init__(self) -> None:
        self.found: list[tuple[float, ...]] = []
        self.adopted: list[Adoption] = []

    def on_best(self, device_of: Any, objective: float, progress: Progress) -> None:
        if not progress.by:
            assert progress.components is not None
            self.found.append(progress.components)

    def on_adopt(self, adoption: Adoption, progress: Progress) -> None:
        self.adopted.append(adoption)


@pytest.mark.parametrize("at", [1, 4])
@pytest.mark.parametrize(("name", "kind", "options"), ADOPTING)
def test_who_takes_over_a_better_plan_never_ends_worse_and_can_be_repeated(
    name: str, kind: str, options: dict[str, Any], at: int
) -> None:
    problem: Any = PROBLEMS[kind]
    shared, own = good(kind), Own()
    result = run(planner(name), problem, None, own, 1, options, news=News(shared, at))
    assert len(result.adopted) == len(own.adopted) <= 1
    assert result.device_of is not None and result.components is not None
    assert problem.evaluate(result.device_of).valid
    if result.adopted:
        assert not better(shared.components, result.components)
        assert (result.found_by == "friend") == (not own.found or better(shared.components, own.found[-1]))
    plan = plan_of(result)
    again = replay(plan)
    assert again.outcome == "identical", again.sentence
    assert len(again.result.adopted) == len(result.adopted)


def test_planners_of_every_target_really_take_plans_over() -> None:
    taken = set()
    for name, kind, options in ADOPTING:
        problem: Any = PROBLEMS[kind]
        result = run(planner(name), problem, None, None, 1, options, news=News(good(kind), 1))
        if result.adopted:
            taken.add((name, problem.target.kind))
    assert {kind for _, kind in taken} == {"pipeline", "pool", "edge-tpu", "mcm", "memory"}
    assert len({name for name, _ in taken}) >= 10


def search_on(kind: str, **given: Any) -> Search:
    from planner.search.stop import Never

    return Search(PROBLEMS[kind], Never(), Own(), 0, {}, **given)


def worse_plan(kind: str) -> np.ndarray:
    return np.zeros(PROBLEMS[kind].size, np.int32)


def test_a_shared_plan_is_offered_once_and_only_where_it_is_better() -> None:
    shared = good("pipeline")
    search = search_on("pipeline", news=News(shared, 1))
    assert search.incumbent(worse_plan("pipeline"))
    adopted = search.adopt()
    assert adopted is not None and (adopted == shared.decision).all()
    assert search.state.by == "friend" and search.state.warm and search.objective == shared.components[0]
    assert search.adopt() is None
    # A plan that is not better is no find of one's own.
    assert not search.incumbent(shared.decision)
    beaten = search_on("pipeline", news=News(Shared(worse_plan("pipeline"), (1e9,), "friend"), 2))
    assert beaten.incumbent(shared.decision) and not beaten.stopped()
    assert beaten.adopt() is None and beaten.state.by == ""


def test_a_plan_that_breaks_a_rule_or_lies_about_its_value_is_not_taken_over() -> None:
    broken = np.arange(PROBLEMS["pipeline"].size, dtype=np.int32)[::-1] % 4
    search = search_on("pipeline", news=News(Shared(broken.astype(np.int32), (0.5,), "liar"), 1))
    assert search.adopt() is None and search.best is None


def test_the_gap_stop_looks_at_the_best_plan_of_all() -> None:
    from planner.search.stop import GapReached

    problem: Any = PROBLEMS["pipeline"]
    shared = good("pipeline")
    bound = problem.bound("bottleneck", shared.components[0], "friend", frozenset())
    search = Search(problem, GapReached(0.0), Own(), 0, {}, news=lambda: [bound, shared])
    assert search.incumbent(worse_plan("pipeline"))
    assert search.stopped() and search.stop_reason == "gap"
    assert search.objective > shared.components[0], "the plan itself was not taken over"


def test_a_plan_to_start_from_is_not_a_find() -> None:
    shared = good("pipeline")
    result = run(
        planner("local-search"), PROBLEMS["pipeline"], starts=[shared.decision], options={"restarts": 1}
    )
    assert result.found_by == GIVEN or better(result.components or (), shared.components)
    # Also where it is only made again from the start, and is just as good.
    own = Own()
    run(
        planner("brkga"),
        PROBLEMS["pipeline"],
        None,
        own,
        0,
        {"generations": 1, "population": 3},
        starts=[shared.decision],
    )
    assert all(found != shared.components for found in own.found)


def test_who_finds_the_start_without_looking_at_it_has_found_it() -> None:
    alone = run(planner("slice"), PROBLEMS["pipeline"])
    assert alone.device_of is not None
    own = Own()
    run(planner("slice"), PROBLEMS["pipeline"], None, own, starts=[alone.device_of])
    assert own.found[-1] == alone.components


def test_bound_methods_take_over_no_plan() -> None:
    from planner.machines.catalogue import bound_method

    result = run_bound(bound_method("dp"), PROBLEMS["contiguous"], news=News(good("contiguous"), 1))
    assert result.device_of is None and result.bounds


def test_an_exchange_repeats_adoptions_at_their_looks_and_nothing_else() -> None:
    decision = worse_plan("pipeline")
    exchange = Exchange(News(good("pipeline"), 1), Again((Adoption(2, 9, decision, "friend"),)))
    exchange.arrived()
    assert [exchange.offer() is not None for _ in range(4)] == [False, False, True, False]


def test_a_better_plan_that_arrives_later_replaces_one_not_yet_taken_over() -> None:
    shared = good("pipeline")
    worse = Shared(worse_plan("pipeline"), (1e9,), "other")
    exchange = Exchange(lambda: [worse, shared, worse])
    exchange.arrived()
    offered = exchange.offer()
    assert offered is not None and offered[2] == "friend" and exchange.offer() is None


def test_iterations_count_on_across_a_limit() -> None:
    result = run(planner("slice-random"), PROBLEMS["pipeline"], IterationLimit(70), options={"orders": 1000})
    assert result.best_iteration is not None and result.best_iteration <= result.iterations
