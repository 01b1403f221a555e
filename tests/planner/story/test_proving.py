"""What a story's file claims is proven again before it is shown, and its words say what is proven by then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planner.machines.catalogue import planner
from planner.model.samples import STORIES
from planner.problem.claims import claim_of, claimed
from planner.problem.problem import Pin, Plan
from planner.problem.provenance import Provenance
from planner.runs.proving import Again, known_at_once
from planner.search.run import plan_of, run
from planner.search.search import Callbacks
from planner.search.stop import Progress, Stop
from planner.story import proving
from planner.story.files.json import read_story, write_story
from planner.story.files.plans import resolve, resolve_with
from planner.story.machines import machine_phrase
from planner.story.making import Told, story_of_plans
from planner.story.proving import as_proven, bounds_as_told, prove_story, told_with, unproven_words
from planner.story.story import Resolved
from planner.story.subject import StoryModel
from tests.planner.forging import claim, problem

PROVEN = "Proven: no plan takes less time."


def best() -> Plan:
    plan = plan_of(run(planner("chain-dp"), problem()))
    assert isinstance(plan, Plan)
    return plan


def told(folder: Path, value: float, plan: Plan, words: str = "", method: str = "chain-dp") -> Resolved:
    """A story of a plan whose file says that ``value`` was proven, as somebody else opens it."""
    bounds = (*known_at_once(plan.problem), claim(plan, value, method))
    model = StoryModel(("model.json",), plan.problem.graph.fingerprint)
    file = write_story(folder / "talk.story.json", story_of_plans(model, [Told(plan, bounds, caption=words)]))
    return resolve_with(read_story(file), [plan.problem.graph])


def said(found: Resolved) -> str:
    return found.story.keyframes[1].caption


def test_what_is_proven_again_is_said_as_it_was_written(tmp_path: Path) -> None:
    plan = best()
    read = told(tmp_path, plan.objective, plan)
    assert PROVEN in said(read) and claimed(read.bounds[0])
    found = prove_story(read)
    assert said(found) == said(read) and found.story.summary == read.story.summary
    assert plan.problem.standing(plan.evaluation.values, found.bounds[0]).status == "optimal"
    assert claim_of(plan, found.bounds[0]) is None
    assert all(bound.seconds == 0.0 for bound in found.bounds[0] if not bound.claimed_by)


def test_what_is_not_proven_is_told_as_a_claim(tmp_path: Path) -> None:
    plan = best()
    read = told(tmp_path, plan.objective, plan)
    found = prove_story(read, 0.0)
    assert found.bounds == bounds_as_told(read)
    assert PROVEN not in said(found) and "is left to gain" in said(found)
    assert "The plan's file claims" in said(found) and "not proven here." in said(found)
    assert PROVEN not in found.story.summary and "claims" in found.story.summary
    # Proving it later says again what was written.
    assert said(as_proven(read, prove_story(read).bounds)) == said(read)


def test_proofs_name_the_constraints_that_plans_must_keep(tmp_path: Path) -> None:
    free = best()
    of = free.problem
    pins = tuple(
        Pin(of.graph.op_ids[op], of.devices[device].name)
        for op, device in enumerate(free.decision.device_of.tolist()[:2])
    )
    plan = of.with_constraints(pins).plan(free.decision.device_of, free.provenance)
    read = told(tmp_path, plan.objective, plan)
    assert "Proven: with 2 pins no plan takes less time." in said(read)
    unproven = prove_story(read, 0.0)
    assert "With 2 pins no plan can do with less than" in said(unproven)
    # Older stories do not name them, and are not believed either.
    first, second, *rest = read.story.keyframes
    for words in ("no plan is better", "with 2 pins no plan is better"):
        then = said(read).replace("with 2 pins no plan takes less time", words)
        older = replace(
            read, story=replace(read.story, keyframes=(first, replace(second, caption=then), *rest))
        )
        assert f"Proven: {words}." in said(older)
        assert said(prove_story(older, 0.0)) == said(unproven)


def test_proofs_name_the_machine_where_they_did(tmp_path: Path) -> None:
    plan = best()
    on = machine_phrase(plan.problem)
    read = told(tmp_path, plan.objective, plan, f"Fewer than before. Proven: {on} no plan takes less time.")
    unproven = said(prove_story(read, 0.0))
    assert unproven.startswith(f"Fewer than before. {on[:1].upper()}{on[1:]} no plan can do with less than")
    assert said(prove_story(read)) == said(read)


def test_what_another_file_claimed_when_the_story_was_made_is_proven_again(tmp_path: Path) -> None:
    plan = best()
    known = known_at_once(plan.problem)
    bounds = (*known, replace(claim(plan, plan.objective, "chain-dp"), claimed_by="best.plan.json"))
    model = StoryModel(("model.json",), plan.problem.graph.fingerprint)
    file = write_story(tmp_path / "talk.story.json", story_of_plans(model, [Told(plan, bounds)]))
    read = resolve_with(read_story(file), [plan.problem.graph])
    assert "is left to gain" in said(read) and "The plan's file claims" in said(read)
    found = prove_story(read)
    assert PROVEN in said(found) and PROVEN in found.story.summary
    for words in (said(found), found.story.summary):
        assert "is left to gain" not in words and "not proven here" not in words
    # Older stories have the name of the file.
    older = replace(
        read,
        story=replace(
            read.story,
            keyframes=tuple(
                replace(k, caption=k.caption.replace("The plan's file claims", "best.plan.json claims"))
                for k in read.story.keyframes
            ),
        ),
    )
    assert "best.plan.json claims" in said(older)
    assert said(prove_story(older)) == said(found)
    # Nothing was proven in time: the claim is that of the file that is shown.
    early = said(prove_story(read, 0.0))
    assert "is left to gain" in early and "The plan's file claims" in early and PROVEN not in early


def test_what_is_proven_elsewhere_stands_beside_the_claims_of_the_same_problem(tmp_path: Path) -> None:
    plan = best()
    read = told(tmp_path, plan.objective, plan)
    early = prove_story(read, 0.0)
    proof = plan.problem.bound(
        plan.problem.components[0], plan.objective, "chain-dp", frozenset({"rule:order"})
    )
    found = told_with(early, plan.problem, [proof])
    assert PROVEN in said(found) and claim_of(plan, found.bounds[0]) is None
    again = resolve_with(replace(found.story, claimed_by=""), [plan.problem.graph])
    assert claim_of(plan, again.bounds[0]) is None, "it is written, too"
    pin = Pin(plan.problem.graph.op_ids[0], plan.problem.devices[0].name)
    other = plan.problem.with_constraints((pin,))
    assert told_with(early, other, [proof]) is early
    assert told_with(early, plan.problem, []) is early


def test_a_plan_is_weighed_against_what_the_story_has_proven_before_it(tmp_path: Path) -> None:
    plan = best()
    of = plan.problem
    proof = of.bound(of.components[0], plan.objective, "chain-dp", frozenset({"rule:order"}))
    worse = of.plan(np.zeros(of.graph.n, np.int32), Provenance("hand"), "edited")
    model = StoryModel(("model.json",), of.graph.fingerprint)
    for order in ((Told(plan, (proof,)), Told(worse)), (Told(worse), Told(plan, (proof,)))):
        story = story_of_plans(model, order)
        first, second = bounds_as_told(resolve_with(story, [of.graph]))
        assert first == ((proof,) if order[0].plan is plan else ())
        assert second == (proof,)


def test_a_forged_claim_is_never_said_to_be_proven(tmp_path: Path) -> None:
    of = problem()
    plan = of.plan(np.zeros(of.graph.n, np.int32), Provenance("by hand"), "all on one")
    read = told(tmp_path, plan.objective, plan)
    assert PROVEN in said(read)
    found = prove_story(read)
    assert PROVEN not in said(found) and PROVEN not in found.story.summary


@pytest.mark.parametrize("words", ["My own words.", "Nothing was proven of it, some say."])
def test_words_of_a_person_stay(tmp_path: Path, words: str) -> None:
    plan = best()
    assert said(prove_story(told(tmp_path, plan.objective, plan, words), 0.0)) == words


def test_a_long_caption_still_is_one(tmp_path: Path) -> None:
    plan = best()
    words = f"{'x ' * 182}{PROVEN}"
    assert len(said(prove_story(told(tmp_path, plan.objective, plan, words), 0.0))) <= 400


def test_the_stories_that_come_along_stay_as_they_are() -> None:
    file = STORIES / "device-placement.story.json"
    read = resolve(read_story(file), file.parent)
    assert prove_story(read).story == read.story


def told_of_two(folder: Path) -> tuple[Resolved, Plan, Plan]:
    """A story of a plan that is not the best, with a claim that took long to prove, and of the best one of another problem, whose claim
    took a moment."""
    plan = best()
    device_of = np.zeros(plan.problem.graph.n, np.int32)
    worse = plan.problem.plan(device_of, Provenance("by hand"))
    pinned = plan.problem.with_constraints((Pin(plan.problem.graph.op_ids[0], plan.problem.devices[0].name),))
    other = pinned.plan(plan.decision.device_of, plan.provenance)
    assert other.evaluation.valid
    slow = replace(claim(worse, plan.objective, "chain-dp"), seconds=5.0)
    quick = replace(claim(other, plan.objective, "chain-dp"), seconds=0.01)
    both = [
        Told(worse, (*known_at_once(plan.problem), slow)), Told(other, (*known_at_once(pinned), quick)),
    ]  # fmt: skip
    model = StoryModel(("model.json",), plan.problem.graph.fingerprint)
    file = write_story(folder / "talk.story.json", story_of_plans(model, both))
    return resolve_with(read_story(file), [plan.problem.graph]), worse, other


def test_quick_proofs_are_first_and_none_takes_more_than_its_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, worse, other = told_of_two(tmp_path)
    asked: list[tuple[Plan, float]] = []

    def nothing(plan: Plan, bounds: tuple, stop: Stop, callbacks: Callbacks) -> Again:
        left = next(share for share in range(1, 100) if stop(Progress(seconds=float(share))))
        asked.append((plan, left))
        return Again(tuple(bounds), frozenset())

    monkeypatch.setattr(proving, "prove_again", nothing)
    found = prove_story(read, 10.0)
    assert [plan.problem for plan, _ in asked] == [other.problem, worse.problem]
    assert asked[0][1] == 5 and 5 < asked[1][1] <= 10, "what one leaves the other may take"
    assert unproven_words(found, 10.0) == (
        "2 of 2 plans not proven again in 10 s; --prove 60 gives them longer"
    )
    assert unproven_words(found, 0.0) == "2 of 2 plans not proven again; --prove 10 gives them 10 s"


def test_a_proof_ends_when_it_has_what_is_claimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a plan that is not the best a method would go on until its time is up, and leave none for the next."""
    read, _, _ = told_of_two(tmp_path)
    ended: list[bool] = []

    def goes_on(plan: Plan, bounds: tuple, stop: Stop, callbacks: Callbacks) -> Again:
        most = max(bound.value for bound in bounds if bound.claimed_by)
        part, progress = plan.problem.components[0], Progress()
        for value in (0.9 * most, most):
            bound = plan.problem.bound(part, value, "chain-dp", frozenset({"rule:order"}))
            callbacks.on_bound(bound, progress)
            ended.append(stop(progress))
        return Again((*bounds, bound), frozenset({bound}))

    monkeypatch.setattr(proving, "prove_again", goes_on)
    found = prove_story(read, 10.0)
    assert ended[:2] == [False, True]
    assert all(claim_of(plan, own) is None for plan, own in zip(found.plans, found.bounds, strict=True))
    assert not unproven_words(found, 10.0)
