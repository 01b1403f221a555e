"""The learned policy inside the assignment search: what it proposes is corrected and kept valid, and searches without it stay as they were."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.cli import main
from planner.errors import PlannerRefusal, StageboardError
from planner.machines.catalogue import planner
from planner.machines.mcm.learned.policy import Learned
from planner.machines.mcm.learned.weights import SHIPPED, packed, read_weights
from planner.machines.mcm.search import local as search
from planner.machines.mcm.search.local import GUIDES, NONE, POLICY, SHARES
from planner.machines.mcm.search.policy import Proposal
from planner.machines.mcm.search.trace import trace
from planner.machines.mcm.target import McmPackage
from planner.model.graph import Graph, Ints, Op
from planner.problem.problem import Pin, Problem, Together
from planner.search.run import run
from tests.planner.machines.mcm import reference
from tests.planner.machines.mcm.learned.problems import small_problem
from tests.planner.machines.mcm.strategies import mcm_problems
from tests.planner.machines.mcm.test_search import layered, side_by_side

NAME = "chip-local-search"
FEW = {"rounds": 2, "moves": 300, "orders": 5}


@pytest.mark.parametrize("objective", ["chip-latency", "latency"])
@pytest.mark.parametrize("guide", GUIDES)
@settings(max_examples=30)
@given(data=st.data(), seed=st.integers(0, 99))
def test_every_plan_is_valid_and_costs_what_the_reference_says(
    guide: str, objective: str, data: st.DataObject, seed: int
) -> None:
    problem = data.draw(mcm_problems(objective=objective))
    result = run(planner(NAME), problem, seed=seed, options={**FEW, "guide": guide})
    if result.device_of is None:
        return
    device_of = result.device_of.tolist()
    assert not reference.violations(problem, device_of)
    assert result.components == pytest.approx(tuple(reference.components(problem, device_of).values()))


@pytest.mark.parametrize("guide", GUIDES)
def test_constraints_are_honoured(guide: str) -> None:
    constraints = (Pin("o5", "chip 1"), Together(("o2", "o3")))
    problem = Problem(layered(), McmPackage(3, every_chip=True), "", constraints)
    result = run(planner(NAME), problem, options={**FEW, "guide": guide})
    assert result.device_of is not None
    assert result.device_of[5] == 1 and result.device_of[2] == result.device_of[3]
    assert set(result.device_of.tolist()) == {0, 1, 2}


@pytest.mark.parametrize("guide", GUIDES)
def test_a_seed_gives_the_same_samples_again(guide: str) -> None:
    one, other = (trace(small_problem(1), NAME, 3_000, 5, {"guide": guide}) for _ in range(2))
    assert np.array_equal(one, other) and np.isfinite(one[-1])


@pytest.mark.parametrize("options", [{}, {"guide": SHARES}])
def test_the_unguided_search_draws_what_it_drew_before_there_were_guides(options: dict[str, str]) -> None:
    problem = Problem(side_by_side(), McmPackage(12))
    for seed, expected in (
        (0, {1: 32.9, 10: 16.6, 17: 12.5, 67: 12.4, 72: 8.4}),
        (1, {1: 32.9, 9: 24.8, 11: 24.7, 12: 20.7, 13: 12.5, 290: 12.4}),
    ):
        values = trace(problem, NAME, 3_000, seed, options)
        better = np.flatnonzero(values < np.append(math.inf, values[:-1]))
        assert {int(at) + 1: float(values[at]) for at in better} == pytest.approx(expected)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Ints]:
    """The candidates that the policy gives from now on."""
    given: list[Ints] = []
    propose = Learned.propose

    def noted(self: Learned, rng: np.random.Generator) -> Proposal:
        proposal = propose(self, rng)
        assert proposal.candidate is not None
        given.append(proposal.candidate)
        return proposal

    monkeypatch.setattr(Learned, "propose", noted)
    return given


@pytest.mark.parametrize("guide", GUIDES)
def test_only_the_policy_asks_the_network_and_for_the_likeliest_plan(
    guide: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = counted(monkeypatch)
    problem = Problem(side_by_side(), McmPackage(12))
    run(planner(NAME), problem, options={"rounds": 0, "orders": 0, "guide": guide})
    assert len(given) == (guide == POLICY)
    if guide == POLICY:
        solver = search.McmSolver(problem)
        likeliest = Learned(problem, solver, read_weights(SHIPPED), None, False, 9).propose(
            np.random.default_rng(9)
        )
        assert likeliest.candidate is not None and (given[0] == likeliest.candidate).all()


def test_what_the_policy_proposes_is_taken_up(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(side_by_side(), McmPackage(12))
    best = run(planner(NAME), problem).device_of
    assert best is not None
    monkeypatch.setattr(Learned, "propose", lambda *_: Proposal(candidate=best))
    found = {
        guide: run(planner(NAME), problem, options={"rounds": 0, "orders": 0, "guide": guide}).objective
        for guide in GUIDES
    }
    assert found[POLICY] == problem.evaluator.objective(best)
    assert found[SHARES] is not None and found[POLICY] < found[SHARES]


def test_the_policy_is_not_asked_where_a_cut_is_as_good_as_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0) for i in range(6)]
    graph = Graph.build("apart", ops, [], time_unit="s")
    given = counted(monkeypatch)
    result = run(planner(NAME), Problem(graph, McmPackage(3)), options={"guide": POLICY})
    assert result.objective == 2.0 and not given


def test_rules_that_contradict_one_another_are_not_laid_before_the_policy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = counted(monkeypatch)
    monkeypatch.setattr(search.McmSolver, "_propagate_root", lambda *_: False)
    run(planner(NAME), Problem(side_by_side(), McmPackage(12)), options={**FEW, "guide": POLICY})
    assert not given


def test_a_guide_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PlannerRefusal, match="option 'guide' is 'oracle'; choose from shares, policy, none"):
        run(planner(NAME), Problem(layered(), McmPackage(3)), options={"guide": "oracle"})
    arguments = ["plan", "tests/data/small.json", "--target", "mcm:3", "--planner", NAME]
    assert main([*arguments, "--set", "guide=oracle"]) == 2
    assert "choose from shares, policy, none" in capsys.readouterr().err


def test_the_command_line_takes_a_guide(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given = counted(monkeypatch)
    plan = tmp_path / "plan.json"
    arguments = [
        "plan",
        "tests/data/small.json",
        "--target",
        "mcm:3,sram=4MiB",
        "--planner",
        NAME,
        "-o",
        str(plan),
    ]
    options = [f"--set={option}" for option in ("guide=policy", "rounds=0", "orders=0")]
    assert main([*arguments, *options]) == 0
    assert len(given) == 1 and '"guide": "policy"' in plan.read_text("utf-8")


def mine(folder: Path) -> Path:
    """Weights that are not the shipped ones."""
    path = folder / "mine.npz"
    path.write_bytes(packed({name: -2 * array for name, array in read_weights(SHIPPED).items()}))
    return path


def test_the_policy_proposes_by_the_weights_that_are_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given = counted(monkeypatch)
    problem = Problem(side_by_side(), McmPackage(12))
    few = {"rounds": 0, "orders": 0, "guide": POLICY}
    path = mine(tmp_path)
    for options in (few, {**few, "weights": str(path)}):
        assert run(planner(NAME), problem, options=options).device_of is not None
    shipped, own = given
    policy = Learned(problem, search.McmSolver(problem), read_weights(path), None, False, 9)
    likeliest = policy.propose(np.random.default_rng(9)).candidate
    assert likeliest is not None and (own == likeliest).all() and (shipped != likeliest).any()


@pytest.mark.parametrize("content", [None, b"no weights at all"])
def test_weights_that_cannot_be_read_are_said_whatever_the_problem(
    content: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "damaged.npz"
    if content is not None:
        path.write_bytes(content)
    ops = [Op(f"o{i}", f"o{i}", work=1.0, work_cpu=1.0) for i in range(6)]
    settled = Problem(Graph.build("apart", ops, [], time_unit="s"), McmPackage(3))
    with pytest.raises(StageboardError, match="weights of the policy"):
        run(planner(NAME), settled, options={"guide": POLICY, "weights": str(path)})
    arguments = ["plan", "tests/data/small.json", "--target", "mcm:3,sram=4MiB", "--planner", NAME]
    assert main([*arguments, "--set", "guide=policy", "--set", f"weights={path}"]) == 2
    said = capsys.readouterr().err.strip()
    assert str(path) in said and len(said.splitlines()) == 1


@pytest.mark.parametrize("guide", [SHARES, NONE])
def test_weights_without_the_policy_are_refused(
    guide: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["plan", "tests/data/small.json", "--target", "mcm:3,sram=4MiB", "--planner", NAME]
    assert main([*arguments, "--set", f"weights={mine(tmp_path)}", "--set", f"guide={guide}"]) == 2
    said = f"option 'weights' means nothing with guide={guide}; leave it out, or choose guide=policy"
    assert said in capsys.readouterr().err


def test_sweeps_and_races_take_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = mine(tmp_path)
    model = Path("tests/data/small.json").resolve()
    sweep = tmp_path / "sweep.toml"
    options = f'rounds = 0, orders = 0, guide = "policy", weights = "{path.as_posix()}"'
    sweep.write_text(
        f'models = ["{model.as_posix()}"]\ntargets = ["mcm:3,sram=4MiB"]\n'
        f'planners = [{{ name = "{NAME}", set = {{ {options} }} }}]\n'
    )
    assert main(["sweep", str(sweep), "-o", str(tmp_path / "rows.csv")]) == 0
    assert str(path) in (tmp_path / "rows.csv").read_text("utf-8")
    race = ["race", str(model), "--target", "mcm:3,sram=4MiB", "--planners", NAME, "--time-limit", "20"]
    given = ("guide=policy", f"weights={path}", "rounds=0", "orders=0")
    assert main([*race, *(f"--set={NAME}.{option}" for option in given), "--json"]) == 0
    assert str(path) in capsys.readouterr().out
