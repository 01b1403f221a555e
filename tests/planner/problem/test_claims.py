"""What a file says was proven is a claim of that file, and changes nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.formats import read_model
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.model.samples import STORIES, ships
from planner.plan_files.plan_json import open_plan, read_plan, write_plan
from planner.problem.base import refuted, says_more
from planner.problem.bound import Bound, proven
from planner.problem.claims import as_claims, claim_of, claim_words, claimed, telling_claim
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.reports.comparison import compare
from planner.reports.comparison.example import example_files
from planner.runs.proving import known_at_once, with_known
from planner.runs.race import Entrant, Race
from planner.search.method import Planner, Source
from planner.search.run import plan_of, run
from planner.search.search import Search
from planner.story.files.json import read_story, write_story
from planner.story.files.plans import pack, resolve
from planner.story.keyframe import Keyframe
from planner.story.story import Story
from planner.story.subject import StoryModel
from planner.story.telling import caption, facts
from tests.planner.forging import SMALL, claim, files, problem

pytestmark = pytest.mark.coverage

VALUES = st.floats(0.0, 1e3, allow_nan=False) | st.just(float("inf"))


class Told(Planner):
    """Proposes everything on one device, proves what it is told to, and tells what it knew when it began."""

    name = "told"
    title = summary = "told"
    source = Source("nowhere")
    targets = frozenset({"pipeline", "edge-tpu"})
    objectives = frozenset({"bottleneck", "memory-1-2-3"})
    gives_bounds = True

    def __init__(self, proves: Sequence[Bound]) -> None:
        self.proves, self.knew = proves, []  # type: ignore[var-annotated]

    def search(self, problem: Problem, search: Search) -> None:
        self.knew.append(list(search.bounds))
        search.incumbent(np.zeros(problem.graph.n, np.int32))
        for bound in self.proves:
            search.prove(bound)
        self.knew.append([b.value for b in search.bounds])


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_claims_of_any_value_change_nothing(data: st.DataObject) -> None:
    target, objective = data.draw(
        st.sampled_from([(Pipeline(3), "bottleneck"), (EdgeTpuPipeline(3), "memory-1-2-3")])
    )
    of = Problem(read_model(SMALL), target, objective)

    def bound(value: float, index: int, limits: bool) -> Bound:
        name = of.components[min(index, len(of.components) - 1)]
        given = tuple((other, 1e4) for other in of.components[:index]) if limits else ()
        return of.bound(name, value, "x", frozenset(), given=given)

    drawn = st.lists(st.builds(bound, VALUES, st.integers(0, 2), st.booleans()), max_size=5)
    known = data.draw(drawn)
    claims = [replace(b, claimed_by="a.plan.json") for b in data.draw(drawn)]
    both = data.draw(st.permutations([*known, *claims]))
    # Permuting what is proven may put another of equals first.
    known = [b for b in both if not b.claimed_by]
    values = of.evaluate(np.zeros(of.graph.n, np.int32)).values
    assert of.standing(values, both) == of.standing(values, known)
    assert of.strongest_bound(both) == of.strongest_bound(known)
    assert list(proven(both)) == known and list(claimed(both)) == [b for b in both if b.claimed_by]
    new = data.draw(st.builds(bound, VALUES, st.integers(0, 2), st.booleans()))
    assert says_more(new, of, both) == says_more(new, of, known)
    assert not any(says_more(c, of, []) for c in claims)
    heard: list[list[float]] = []
    ran = []
    for given_bounds in (both, known):
        method = Told([new])
        result = run(method, of, bounds=given_bounds)
        ran.append((result.status, result.bounds, result.given_bounds, result.components, method.knew))
        heard.append([value for _, kind, value in result.history if kind == "bound"])
        assert plan_of(result).provenance.bounds == tuple(known)
    assert ran[0] == ran[1] and heard[0] == heard[1]


def test_what_others_say_in_a_race_is_proven_or_nothing() -> None:
    of = problem()
    plan = of.plan(np.zeros(of.graph.n, np.int32), Provenance("x"))
    forged = replace(claim(plan, plan.objective), claimed_by="forged.plan.json")
    race = Race(of, [Entrant("slice")], bounds=[forged], starts=[plan.decision.device_of])
    assert race.bounds == [] and race.gap is None and race.outcome == ""


def test_a_claim_is_told_where_it_says_more(tmp_path: Path) -> None:
    made = files(tmp_path)
    opened = open_plan(made.forged, made.plan.problem.graph)
    known = known_at_once(made.plan.problem)
    found = claim_of(opened.plan, (*opened.bounds, *known))
    assert found is not None and found.claimed_by == "forged.plan.json"
    assert claim_words(made.plan.problem, found) == (
        "forged.plan.json claims a bound of 7.00 ms (exact), not proven here"
    )
    # Proven to the same, but for a solver's tolerance, it is no claim any more; and a better valid plan refutes it.
    assert claim_of(opened.plan, (*opened.bounds, replace(found, claimed_by=""))) is None
    near = replace(found, claimed_by="", value=found.value * (1 - 1e-6))
    assert claim_of(opened.plan, (*opened.bounds, near)) is None
    standing = made.plan.problem.standing(opened.plan.evaluation.values, (*opened.bounds, near))
    assert standing.status == "feasible"
    assert telling_claim(made.plan.problem, (0.004,), opened.bounds) is None
    assert telling_claim(made.plan.problem, (0.004,), opened.bounds, valid=False) is not None
    assert refuted(found, made.plan.problem, {"bottleneck": 0.004})
    assert not refuted(found, made.plan.problem, {"bottleneck": 0.007})
    # The honest file claims what is proven at once, and so says nothing.
    honest = open_plan(made.honest, made.plan.problem.graph)
    assert claimed(honest.bounds) and claim_of(honest.plan, (*honest.bounds, *known)) is None


def test_every_component_has_claims_of_its_own() -> None:
    of = Problem(read_model(SMALL), EdgeTpuPipeline(3), "memory-1-2-3")
    plan = of.plan(np.zeros(of.graph.n, np.int32), Provenance("x"))
    first, second = plan.evaluation.values[:2]
    met = of.bound(of.components[0], first, "ilp", frozenset())
    later = replace(
        of.bound(of.components[1], second, "ilp", frozenset(), given=((of.components[0], first),)),
        claimed_by="a.plan.json",
    )
    assert claim_of(plan, [met, later]) == later
    elsewhere = replace(later, given=((of.components[0], first / 2),))
    assert claim_of(plan, [met, elsewhere]) is None


# ---------------------------------------------------------------------- files
def test_files_of_the_program_are_proven_and_their_copies_are_not(tmp_path: Path) -> None:
    model, plans = example_files()
    graph = read_model(model)
    bounds = open_plan(plans[0], graph).bounds
    assert bounds and not claimed(bounds) and ships(plans[0])
    copy = tmp_path / plans[0].name
    shutil.copy(plans[0], copy)
    assert claimed(open_plan(copy, graph).bounds) == as_claims(bounds, copy.name)
    link = tmp_path / "link.plan.json"
    link.symlink_to(plans[0])
    assert ships(link) and not ships(copy)
    assert not claimed(open_plan(link, graph).bounds)
    assert read_plan(copy, graph, own_record=True)[1] == bounds


def test_a_claim_stays_one_when_it_is_saved(tmp_path: Path) -> None:
    made = files(tmp_path)
    graph = made.plan.problem.graph
    opened = open_plan(made.forged, graph)
    again = write_plan(tmp_path / "again.plan.json", opened.plan, opened.bounds)
    assert json.loads(again.read_text())["bounds"][0]["claimed_by"] == "forged.plan.json"
    # Even a record of our own does not make it proven; in anybody's file it is that file's.
    assert open_plan(again, graph, own_record=True).bounds == opened.bounds
    assert open_plan(again, graph).bounds == as_claims(
        proven([replace(b, claimed_by="") for b in opened.bounds]), "again.plan.json"
    )


def test_what_a_search_was_given_is_a_claim_too(tmp_path: Path) -> None:
    made = files(tmp_path)
    given = claim(made.plan, 0.0030001)
    plan = replace(made.plan, provenance=Provenance("slice", seed=0, iteration=1, bounds=(given,)))
    file = write_plan(tmp_path / "a.plan.json", plan)
    read = open_plan(file, made.plan.problem.graph).plan
    assert read.provenance.bounds == (replace(given, claimed_by="a.plan.json"),)


def story(folder: Path, forged: bool) -> Path:
    made = files(folder)
    shutil.copy(SMALL, folder / SMALL.name)
    bounds = [claim(made.plan, made.plan.objective)] if forged else known_at_once(made.plan.problem)
    talk = Story(
        "talk", "", (StoryModel((SMALL.name,), made.plan.problem.graph.fingerprint),), (pack(made.plan, bounds),),
        (Keyframe("one", "", 0),),
    )  # fmt: skip
    return write_story(folder / "talk.story.json", talk)


def test_a_story_claims_and_a_shipped_one_proves(tmp_path: Path) -> None:
    path = story(tmp_path, forged=True)
    found = resolve(read_story(path), tmp_path)
    assert [b.claimed_by for b in found.bounds[0]] == ["talk.story.json"]
    bounds = with_known(found.plans[0].problem, found.bounds[0])
    assert found.plans[0].problem.standing(found.plans[0].evaluation.values, bounds).status == "feasible"
    told = facts(found.plans[0], bounds)
    assert (told["bound"], told["claimed_bound"], told["claimed_by"]) == (
        "3.00 ms",
        "7.00 ms",
        "talk.story.json",
    )
    words = caption(found.plans[0], bounds)
    assert "No plan can do with less than 3.00 ms" in words
    assert "The plan's file claims 7.00 ms, not proven here." in words
    assert "Proven" not in words
    shipped = read_story(STORIES / "pipeline.story.json")
    assert shipped.claimed_by == "" and shipped == read_story(STORIES / "pipeline.story.json")
    assert not any(claimed(bounds) for bounds in resolve(shipped, STORIES).bounds)


# ---------------------------------------------------------------------- comparisons
def test_a_claim_does_not_spread_to_the_plan_beside_it(tmp_path: Path) -> None:
    made = files(tmp_path)
    graph = made.plan.problem.graph
    opened = [open_plan(file, graph) for file in (made.forged, made.honest)]
    known = known_at_once(made.plan.problem)
    pooled = [b for each in opened for b in each.bounds]
    for bounds in ([*pooled, *known], known):
        found = compare([each.plan for each in opened], bounds, [each.bounds for each in opened])
        for i in range(2):
            figures = found.figures(i)
            assert figures.status == "feasible" and figures.bound is not None
            assert figures.bound.method == "simple" and figures.gap == pytest.approx(4 / 7)
        assert found.figures(0).claim is not None and found.figures(1).claim is None
    assert compare([each.plan for each in opened], pooled).figures(0).bound is None


def test_a_valid_plan_beside_it_refutes_a_claim(tmp_path: Path) -> None:
    made = files(tmp_path)
    of = made.plan.problem
    better = of.plan(np.array([0, 0, 1, 1, 2], np.int32), Provenance("x"), "better")
    assert better.evaluation.valid and better.objective < made.plan.objective
    forged = open_plan(made.forged, of.graph)
    found = compare([forged.plan, better], (), [forged.bounds, ()])
    assert found.figures(0).claim is None
    assert "that forged.plan.json claims was dropped: the valid plan 'better'" in found.notes[0]
