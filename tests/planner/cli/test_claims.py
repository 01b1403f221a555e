"""A forged plan file is exposed by ``evaluate``, ``compare``, ``export`` and ``repair``; what is true is proven when asked for."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gui.app.launch import main
from planner.cli import proving
from planner.plan_files.plan_json import open_plan, write_plan
from planner.story.proving import SECONDS as TALKS
from tests.planner.cli.calling import caller
from tests.planner.forging import claim, files

WORDS = "forged.plan.json claims a bound of 7.00 ms (exact), not proven here"


@pytest.fixture
def stageboard(capsys: pytest.CaptureFixture[str]) -> Any:
    return caller(main, capsys)


def test_evaluate_says_what_is_proven_and_what_is_claimed(tmp_path: Path, stageboard: Any) -> None:
    made = files(tmp_path)
    ran = stageboard("evaluate", made.model, made.forged, "--prove", "off")
    assert ran.status == 0 and "optimal" not in ran.out
    assert re.search(r"lower bound +3\.00 ms \(simple\)", ran.out) and WORDS in ran.out
    assert "to prove it here: --prove 2\n" in ran.out
    told = json.loads(stageboard("evaluate", made.model, made.forged, "--prove", "off", "--json").out)
    assert json.loads(stageboard("evaluate", made.model, made.forged, "--prove", "0", "--json").out) == told
    assert stageboard("evaluate", made.model, made.forged, "--prove", "soon").status == 2
    assert (told["lower_bound"], told["bound_method"]) == (0.003, "simple")
    assert told["gap"] == pytest.approx(4 / 7)
    assert (told["claimed_bound"], told["claimed_by"], told["claimed_method"]) == (
        made.plan.objective, "forged.plan.json", "exact",
    )  # fmt: skip
    honest = json.loads(stageboard("evaluate", made.model, made.honest, "--prove", "off", "--json").out)
    assert (honest["claimed_bound"], honest["claimed_by"], honest["gap"]) == (None, None, told["gap"])


def test_evaluate_proves_beside_unasked_and_says_what_takes_longer(tmp_path: Path, stageboard: Any) -> None:
    made = files(tmp_path)
    told = json.loads(stageboard("evaluate", made.model, made.forged, "--json").out)
    assert told["lower_bound"] > 0.003 and told["bound_method"] != "simple" and told["gap"] < 4 / 7
    assert told["claimed_by"] == "forged.plan.json"
    text = stageboard("evaluate", made.model, made.forged).out
    assert WORDS in text and "10 s of proving did not do: --prove 100 takes longer" in text
    assert "--prove" not in stageboard("evaluate", made.model, made.honest).out


def test_compare_does_not_believe_either_plan(tmp_path: Path, stageboard: Any) -> None:
    made = files(tmp_path)
    for pair in ((made.forged, made.honest), (made.honest, made.forged)):
        told = json.loads(stageboard("compare", made.model, *pair, "--prove", "off", "--json").out)["plans"]
        for one in told:
            assert (one["status"], one["lower_bound"], one["bound_method"]) == ("feasible", 0.003, "simple")
            assert one["gap"] == pytest.approx(4 / 7)
        by_file = {Path(one["plan_file"]).name: one for one in told}
        assert by_file["forged.plan.json"]["claimed_bound"] == made.plan.objective
        assert by_file["forged.plan.json"]["claimed_by"] == "forged.plan.json"
        assert by_file["honest.plan.json"]["claimed_bound"] is None
    text = stageboard("compare", made.model, made.forged, made.honest, "--prove", "off").out
    assert "\n  claimed of A; to prove it here: --prove 2\n" in text
    assert "claimed by its file" in text and "7.00 ms (exact), not proven" in text and "optimal" not in text


def test_compare_proves_beside_unasked(tmp_path: Path, stageboard: Any) -> None:
    made = files(tmp_path)
    told = json.loads(stageboard("compare", made.model, made.forged, made.honest, "--json").out)["plans"]
    for one in told:
        assert one["lower_bound"] > 0.003 and one["bound_method"] != "simple"
        assert one["gap"] < 4 / 7 and one["status"] == "feasible"
    assert [one["claimed_by"] for one in told] == ["forged.plan.json", None]


def test_compare_says_what_takes_longer(tmp_path: Path, stageboard: Any) -> None:
    made = files(tmp_path)
    text = stageboard("compare", made.model, made.honest, made.forged).out
    assert "\n  claimed of B; 10 s of proving did not do: --prove 100 takes longer\n" in text
    assert "of proving" not in stageboard("compare", made.model, made.honest, made.honest).out


def test_compare_proves_when_asked(tmp_path: Path, stageboard: Any) -> None:
    made = files(tmp_path)
    true = write_plan(tmp_path / "true.plan.json", made.plan, [claim(made.plan, 0.0030001)])
    said = json.loads(stageboard("compare", made.model, true, made.forged, "--prove", "60", "--json").out)[
        "plans"
    ]
    for one in said:
        assert one["status"] == "feasible" and one["bound_method"] != "simple"
        assert 0.0030001 <= one["lower_bound"] <= made.best
    assert [one["claimed_by"] for one in said] == [None, "forged.plan.json"]


@pytest.mark.parametrize("prove", [(), ("--prove", "off")])
def test_a_certificate_of_a_forged_file_claims(
    tmp_path: Path, stageboard: Any, prove: tuple[str, ...]
) -> None:
    made = files(tmp_path)
    out = tmp_path / "c.txt"
    assert stageboard("export", made.model, made.forged, "--to", "certificate", "-o", out, *prove).status == 0
    text = " ".join(out.read_text().split())
    assert text.startswith("CERTIFICATE: small, valid; gap ≤ 57.2 %") and "proven optimal" not in text
    assert WORDS in text and ("proven here now by simple in " in text) == bool(prove)
    assert "proven here now by " in text
    data = tmp_path / "c.json"
    stageboard("export", made.model, made.forged, "--to", "certificate", "-o", data, *prove)
    told = json.loads(data.read_text())
    assert told["claim"]["claimed_by"] == "forged.plan.json" and told["claim"]["words"] == WORDS
    assert told["status"] == "feasible" and told["parts"][0]["proof"]["now"] is True


def test_a_certificate_proves_what_is_true(tmp_path: Path, stageboard: Any) -> None:
    made = files(tmp_path)
    true = write_plan(tmp_path / "true.plan.json", made.plan, [claim(made.plan, 0.0030001)])
    data = tmp_path / "c.json"
    assert (
        stageboard("export", made.model, true, "--to", "certificate", "-o", data, "--prove", "60").status == 0
    )
    told = json.loads(data.read_text())
    assert told["claim"] is None and told["parts"][0]["proof"]["value"] >= 0.0030001


@pytest.mark.parametrize("view", ["flow", "stages", "memory", "certificate"])
def test_pictures_of_one_plan_prove_alike_and_say_what_takes_longer(
    view: str, tmp_path: Path, stageboard: Any, qapp: Any
) -> None:
    made = files(tmp_path)
    words = ["render", made.model, made.forged, "--view", view, "-o", tmp_path / "a.svg"]
    ran = stageboard(*words)
    assert ran.status == 0 and f"{WORDS}; 10 s of proving did not do: --prove 100 takes longer\n" in ran.err
    assert WORDS not in stageboard(*words, "--prove", "off").err
    if view != "memory":  # which says it of each plan
        assert "claims a bound" not in stageboard("render", made.model, made.honest, *words[3:]).err


def test_prove_is_about_certificates(tmp_path: Path, stageboard: Any) -> None:
    made = files(tmp_path)
    ran = stageboard(
        "export", made.model, made.forged, "--to", "csv", "-o", tmp_path / "a.csv", "--prove", "5"
    )
    assert ran.status == 2 and "--prove is about certificates" in ran.err
    ran = stageboard("compare", made.model, made.forged, made.honest, "--prove", "soon")
    assert ran.status == 2 and "not a number of seconds" in ran.err


def test_a_repaired_plan_does_not_inherit_a_claim(tmp_path: Path, stageboard: Any) -> None:
    made = files(tmp_path)
    of = made.plan.problem
    broken = of.plan(np.array([1, 0, 0, 0, 0], np.int32), made.plan.provenance, "broken")
    assert not broken.evaluation.valid
    file = write_plan(tmp_path / "broken.plan.json", broken, [claim(broken, 1.0)])
    out = tmp_path / "repaired.plan.json"
    assert stageboard("repair", made.model, file, "-o", out).status == 0
    assert [b["method"] for b in json.loads(out.read_text())["bounds"]] == ["simple"]
    same = tmp_path / "same.plan.json"
    assert stageboard("repair", made.model, made.forged, "-o", same).status == 0
    kept = json.loads(same.read_text())["bounds"]
    assert [(b["method"], b["claimed_by"]) for b in kept] == [("exact", "forged.plan.json")]
    assert open_plan(same, of.graph).bounds[0].claimed_by == "same.plan.json"


def test_what_claims_more_is_proven_for_as_long_as_in_talks(tmp_path: Path) -> None:
    made = files(tmp_path)
    opened = [open_plan(file, made.plan.problem.graph) for file in (made.forged, made.honest)]
    assert [proving.seconds_for(one.plan, one.bounds, None) for one in opened] == [TALKS, proving.BESIDE]
    assert [proving.seconds_for(one.plan, one.bounds, 3.0) for one in opened] == [3.0, 3.0]
    assert proving.SECONDS == TALKS
