"""``stageboard robust`` as people script it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planner.formats import read_graph
from planner.plan_files.plan_json import read_plan
from tests.planner.cli.calling import RESNET

FIELDS = {
    "format", "version", "model", "target", "objective_name", "time_unit", "plan", "objective", "highest", "gap", "bound_method",
    "spread", "samples", "seed", "plans", "outlooks", "ops", "ops_changing", "ops_changing_within_spread", "ops_asked", "ops_looked_at", "most_factor", "margin", "notes", "report", "plan_file",
}  # fmt: skip
QUICK = ("--samples", "50", "--time-limit", "0")


@pytest.fixture
def plan_file(stageboard: Any, tmp_path: Path) -> Path:
    file = tmp_path / "base.json"
    assert stageboard("plan", RESNET, "--target", "pipeline:4", "--planner", "slice", "-o", file).status == 0
    return file


def test_a_plan_is_told_of_in_text_and_json(stageboard: Any, plan_file: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    ran = stageboard("robust", RESNET, plan_file, "--samples", "50", "--json", "-o", report)
    assert ran.status == 0 and set(ran.json) == FIELDS
    assert ran.json["gap"] == 0.0 and any(each["longer"]["exact"] for each in ran.json["ops"])
    assert {**json.loads(report.read_text()), "report": str(report), "plan_file": None} == ran.json
    text = stageboard("robust", RESNET, plan_file, "--samples", "50").out
    for words in (
        "optimal, proven by", "a factor of 2 assumed for each op", "all ops, independently", "no dearer up to", "ops of a kind alike", "all ops alike",
        "how often each is the bottleneck", "ops whose errors matter most", "proven optimal", "plans compared", "mean regret",
    ):  # fmt: skip
        assert words in text


def test_several_plans_and_measured_times(stageboard: Any, plan_file: Path, tmp_path: Path) -> None:
    times, other = tmp_path / "t.csv", tmp_path / "other.json"
    times.write_text("op,seconds\nconv1_conv,0.001\n")
    assert (
        stageboard("plan", RESNET, "--target", "pipeline:4", "--planner", "one-device", "-o", other).status
        == 0
    )
    ran = stageboard(
        "robust", RESNET, plan_file, other, "--times", times, "--spread", "1.5", *QUICK, "--json"
    )
    assert ran.status == 0
    assert [each["origin"] for each in ran.json["plans"]] == ["given", "given"]
    assert len(ran.json["outlooks"][0]["plans"]) == 2
    assert ran.json["spread"]["assumed"] == 1.5
    assert "made with other times of ops" in ran.err, "the plans were made without the profile"
    assert ran.json["ops"][0]["longer"] == {
        "optimal_until": None, "proven_by": None, "exact": False, "better_beyond": None, "better": None,
    }  # fmt: skip


def test_a_named_machine_estimates_the_times(stageboard: Any, plan_file: Path) -> None:
    usual, faster = (
        stageboard("robust", RESNET, plan_file, *QUICK, *more, "--json").json
        for more in ((), ("--machine", "l4"))
    )
    assert faster["objective"] < usual["objective"]


def test_the_plan_of_least_regret_is_written(stageboard: Any, plan_file: Path, tmp_path: Path) -> None:
    other, best = tmp_path / "other.json", tmp_path / "best.json"
    assert (
        stageboard("plan", RESNET, "--target", "pipeline:4", "--planner", "one-device", "-o", other).status
        == 0
    )
    ran = stageboard("robust", RESNET, other, plan_file, *QUICK, "--least-regret", best, "--json")
    assert ran.status == 0 and ran.json["plan_file"] == str(best)
    written, _ = read_plan(best, read_graph(RESNET))
    assert written.provenance.planner == "slice", "a plan that was given stays what it was"
    assert written.objective == pytest.approx(ran.json["plans"][1]["objective"])
    ran = stageboard("robust", RESNET, other, "--samples", "50", "--least-regret", best)
    assert ran.status == 0 and str(best) in ran.out
    made = json.loads(best.read_text())["provenance"]
    assert made["planner"] == "least-regret" and "of least regret among" in made["note"]
    assert stageboard("evaluate", RESNET, best).status == 0
    assert stageboard("robust", RESNET, other, *QUICK, "--least-regret", other).status == 2, (
        "it would be lost"
    )


def test_without_time_it_says_what_is_not_proven(stageboard: Any, plan_file: Path) -> None:
    text = stageboard("robust", RESNET, plan_file, *QUICK).out
    assert "not proven optimal under the model's times" in text
    assert "plans compared" not in text
    assert "no op was looked at in the time given" in text and "ops would change the plan" not in text
    assert "No other plan was looked for to compare with." in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--spread", "0.5"), "is not a factor from 1 to 100"),
        (("--samples", "0"), "is not from 1 to 1,000,000"),
        (("--time-limit", "-1"), "not a number of seconds"),
        (("--density", "0.5"), "prunes sparse networks"),
        (("-o", "/nowhere/at/all.json"), "there is no folder"),
    ],
)
def test_wrong_options_are_said(
    stageboard: Any, plan_file: Path, arguments: tuple[str, ...], words: str
) -> None:
    ran = stageboard("robust", RESNET, plan_file, *arguments)
    assert ran.status == 2 and words in ran.err


def test_files_that_will_not_do_are_said(stageboard: Any, plan_file: Path, tmp_path: Path) -> None:
    network, order, memory = tmp_path / "net.npz", tmp_path / "order.json", tmp_path / "memory.json"
    assert stageboard("generate", "tree", "--set", "inputs=7", "-o", network).status == 0
    assert (
        stageboard("plan", network, "--target", "memory:10", "--planner", "theorem-1", "-o", order).status
        == 0
    )
    target = ("--target", "edge-tpu:4", "--objective", "memory-1-3", "--planner", "edge-tpu-balanced")
    assert stageboard("plan", RESNET, *target, "-o", memory).status == 0
    for files, words in (
        ((RESNET,), "none of the files is a plan"),
        ((plan_file,), "name its model before it"),
        ((RESNET, tmp_path / "nothing.json"), "does not exist"),
        ((network, order), "do not depend on the times of ops"),
        ((RESNET, memory), "counts bytes"),
        ((RESNET, plan_file, memory), "not of one problem"),
    ):
        ran = stageboard("robust", *files)
        assert ran.status == 2 and words in ran.err, files
