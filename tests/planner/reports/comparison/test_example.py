"""The example: both plans are proven optimal and valid, and contiguity really costs something."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.errors import PlanError
from planner.formats import read_models
from planner.plan_files.plan_json import open_plan
from planner.reports.comparison import Comparison, compare
from planner.reports.comparison.example import example_files
from tests.shared_files import shared

SAMPLES = Path(__file__).resolve().parents[4] / "sample_models"


def opened(model: Path, plans: tuple[Path, ...]) -> Comparison:
    found = [open_plan(plan, read_models([model])) for plan in plans]
    assert not any(each.notes for each in found)
    return compare([each.plan for each in found], [bound for each in found for bound in each.bounds])


def test_both_plans_of_the_shipped_example_are_proven_optimal() -> None:
    model, plans = example_files()
    comparison = opened(model, plans)
    first, second = comparison.figures(0), comparison.figures(1)
    assert (first.status, second.status) == ("optimal", "optimal")
    assert comparison.plans[0].problem.target.spec() == "pool:2+1"
    assert comparison.plans[1].problem.target.spec() == "pool:2+1,contiguous=false"
    assert second.objective < 0.8 * first.objective
    assert comparison.why_incomparable == "" and comparison.notes == ()
    assert 0 < len(comparison.moved(1)) < comparison.graph.n


def test_the_profiled_bert_is_27_92_against_21_91() -> None:
    model = shared("workloads/device-placement/throughput/OperatorGraphs/bert_l-3_inference.json")
    comparison = opened(*example_files(model))
    assert [round(plan.objective, 2) for plan in comparison.plans] == [27.92, 21.91]
    assert [comparison.figures(i).status for i in (0, 1)] == ["optimal", "optimal"]
    assert f"{comparison.objective_difference(1) / comparison.plans[0].objective:.1%}" == "-21.5%"


def test_the_example_is_found_by_content(tmp_path: Path) -> None:
    copy = tmp_path / "renamed.json"
    copy.write_bytes((SAMPLES / "bert_3.json").read_bytes())
    model, plans = example_files(copy)
    assert (model, plans) == (copy, example_files()[1])


def test_a_model_without_example_plans_is_refused() -> None:
    with pytest.raises(PlanError, match=r"no example plans are shipped for resnet50\.json; name two to four"):
        example_files(SAMPLES / "resnet50.json")
