"""Claims are proven again by the method that they name, and what cannot be proven stays a claim."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.plan_files.plan_json import open_plan, write_plan
from planner.problem.bound import proven
from planner.problem.claims import claim_of, claimed
from planner.problem.problem import Plan
from planner.problem.provenance import Provenance
from planner.reports.certificate.certificate import certificate
from planner.reports.certificate.text import certificate_text, status_words
from planner.runs import proving
from planner.runs.proving import Again, method_to_prove, prove_again, prove_within
from planner.runs.replay import replay
from planner.search.run import plan_of, run
from planner.search.stop import TimeLimit
from tests.planner.forging import claim, files, problem


def test_a_true_claim_is_proven_and_goes(tmp_path: Path) -> None:
    made = files(tmp_path)
    file = write_plan(tmp_path / "true.plan.json", made.plan, [claim(made.plan, 0.0030001)])
    opened = open_plan(file, made.plan.problem.graph)
    again = prove_again(opened.plan, opened.bounds, TimeLimit(60))
    assert (again.method, again.stop_reason, again.notes) == ("exact", "finished", ())
    assert claim_of(opened.plan, again.bounds) is None
    found = certificate(opened.plan, again.bounds, again.new)
    proof = found.parts[0].proof
    assert found.claim is None and proof is not None and proof.now
    assert 0.0030001 <= proof.value <= made.best
    assert "proven here now by exact in " in certificate_text(found)
    assert not certificate(opened.plan, proven(again.bounds)).parts[0].proof.now  # type: ignore[union-attr]


def test_a_forged_claim_stays_one(tmp_path: Path) -> None:
    made = files(tmp_path)
    opened = open_plan(made.forged, made.plan.problem.graph)
    again = prove_again(opened.plan, opened.bounds, TimeLimit(60))
    found = certificate(opened.plan, again.bounds, again.new)
    assert found.status == "feasible" and found.parts[0].proof is not None
    assert found.parts[0].proof.value <= made.best
    assert found.claim is not None and found.claim.claimed_by == "forged.plan.json"
    text = certificate_text(found)
    assert "forged.plan.json claims a bound of 7.00 ms (exact), not proven here" in " ".join(text.split())
    assert "exact was run here now and proved no more" in text and "run it longer: " in text
    assert status_words(found).startswith("valid; gap")


def test_a_better_plan_on_the_way_refutes_a_claim(tmp_path: Path) -> None:
    made = files(tmp_path)
    named = claim(made.plan, made.plan.objective, "mtpp-cp-sat")
    opened = open_plan(write_plan(tmp_path / "a.plan.json", made.plan, [named]), made.plan.problem.graph)
    again = prove_again(opened.plan, opened.bounds, TimeLimit(60))
    assert again.method == "mtpp-cp-sat"
    assert not claimed(again.bounds) and "that a.plan.json claims was dropped" in again.notes[0]
    found = certificate(opened.plan, again.bounds, again.new, again.notes)
    assert found.claim is None and again.notes[0] in found.notes


def test_a_bound_method_is_told_of_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, told = files(tmp_path), []
    real = proving.run_bound

    def heard(method: Any, *arguments: Any, **named: Any) -> Any:
        if "news" in named:
            told.extend([(method.name, *named["news"]()), *named["news"]()])
        return real(method, *arguments, **named)

    monkeypatch.setattr(proving, "run_bound", heard)
    opened = open_plan(made.forged, made.plan.problem.graph)
    prove_again(opened.plan, opened.bounds, TimeLimit(60))
    ((name, best),) = told
    assert name == "exact" and np.array_equal(best.decision, made.plan.decision.device_of)
    assert best.components == made.plan.evaluation.values


@pytest.mark.parametrize("left_out", ["proven_beside", "prove_again"])
def test_what_is_told_of_a_plan_is_proven_in_both_ways(
    left_out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = files(tmp_path)
    file = write_plan(tmp_path / "true.plan.json", made.plan, [claim(made.plan, 0.0030001)])
    opened = open_plan(file, made.plan.problem.graph)
    none = {
        "proven_beside": lambda problem, best, bounds, *_: tuple(bounds),
        "prove_again": lambda plan, bounds, *_: Again(tuple(bounds), frozenset()),
    }
    monkeypatch.setattr(proving, left_out, none[left_out])
    found = prove_within(opened.plan, opened.bounds, 60.0)
    assert claim_of(opened.plan, found.bounds) is None
    strongest = made.plan.problem.strongest_bound(found.bounds)
    assert strongest in found.new and strongest.value >= 0.0030001
    without = prove_within(opened.plan, proven(opened.bounds), 60.0)
    assert without.new >= frozenset(proven(without.bounds)) and without.bounds


def test_nothing_runs_where_what_is_claimed_is_known_at_once(tmp_path: Path) -> None:
    made = files(tmp_path)
    opened = open_plan(made.honest, made.plan.problem.graph)
    again = prove_again(opened.plan, opened.bounds)
    assert again.method == "" and {b.method for b in again.new} == {"simple"}


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("exact", "exact"),
        ("mtpp-cp-sat", "mtpp-cp-sat"),
        ("slice", "auto"),
        ("magic", "auto"),
    ],
)
def test_what_proves_a_claim(name: str, method: str) -> None:
    of = problem()
    plan = of.plan(np.zeros(of.graph.n, np.int32), Provenance("x"))
    chosen = method_to_prove(of, claim(plan, 1.0, name))
    assert chosen is not None and chosen.name == method


# ---------------------------------------------------------------------- replays
def searched(tmp_path: Path, value: float) -> Plan:
    """A plan whose file says that its search was given a bound."""
    from planner.machines.catalogue import planner

    of = problem()
    made = plan_of(run(planner("slice"), of, bounds=()))
    bound = replace(claim(made, value, "simple"), assumes=frozenset())
    made = replace(made, provenance=replace(made.provenance, bounds=(bound,)))
    return open_plan(write_plan(tmp_path / "s.plan.json", made), of.graph).plan


def test_a_replay_behaves_by_claims_and_is_not_proven_by_them(tmp_path: Path) -> None:
    plan = searched(tmp_path, problem().evaluate(np.zeros(5, np.int32)).objective)
    plan = replace(
        plan,
        provenance=replace(
            plan.provenance, bounds=(replace(plan.provenance.bounds[0], value=plan.objective),)
        ),
    )
    again = replay(plan)
    assert again.outcome == "identical"
    assert again.result.status == "feasible"
    assert [b.claimed_by for b in again.result.bounds if b.value == plan.objective] == ["s.plan.json"]


def test_a_replay_with_what_is_known_at_once_is_proven_as_ever(tmp_path: Path) -> None:
    plan = searched(tmp_path, 0.003)
    again = replay(plan)
    assert again.outcome == "identical" and not claimed(again.result.bounds)
