"""Training runs on tiny problems: curves, checkpoints, going on, the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.cli.main import main
from planner.errors import StageboardError
from planner.machines.mcm.learned.weights import packed, read_weights
from planner.machines.mcm.learning import twin
from planner.machines.mcm.learning.options import CORRECTIONS, NONE
from planner.machines.mcm.learning.scoring import Arena
from planner.machines.mcm.learning.training import BEST, CURVE, STATE, Point, Training, TrainingSettings
from tests.planner.machines.mcm.learned.problems import roller_of, rollouts_of, rough_weights, small_problem

TINY = {"samples": 24, "rollouts": 4, "problems_each": 2, "epochs": 2, "tries": 2, "training": 3, "validation": 1, "most_ops": 62}  # fmt: skip


@pytest.fixture
def libraries() -> None:
    pytest.importorskip("jax", reason="the extra `learn` is not installed")
    pytest.importorskip("optax", reason="the extra `learn` is not installed")


def trained(folder: Path, resume: bool = False, most: int = 99, **more: Any) -> list[Point]:
    """The curve of a tiny run in ``folder`` that is stopped after ``most`` checkpoints."""
    training = Training(TrainingSettings(**{**TINY, **more}), folder, resume)
    training.run(lambda point, of: None, lambda: len(training.curve) >= most)
    return training.curve


def test_the_same_seed_gives_the_same_curve_and_so_does_going_on(libraries: None, tmp_path: Path) -> None:
    whole = trained(tmp_path / "whole")
    assert [point.samples for point in whole] == [8, 16, 24]
    assert trained(tmp_path / "again") == whole
    assert trained(tmp_path / "parts", most=1) == whole[:1]
    assert trained(tmp_path / "parts", resume=True) == whole
    assert trained(tmp_path / "other", seed=1) != whole
    lines = (tmp_path / "whole" / CURVE).read_text().splitlines()
    assert len(lines) == 4 and lines[0].startswith("samples,reward")
    read_weights(tmp_path / "whole" / BEST)


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_every_correction_trains(libraries: None, correction: str, tmp_path: Path) -> None:
    curve = trained(tmp_path, correction=correction, samples=8)
    assert all(np.isfinite([p.reward, p.validation, p.first]).all() for p in curve)


def test_there_is_a_step_for_each_part_of_each_epoch(libraries: None, tmp_path: Path) -> None:
    """Every rollout of every problem is in one part of an epoch."""
    settings = TrainingSettings(**{**TINY, "samples": 8, "epochs": 3, "parts": 2})
    training = Training(settings, tmp_path, False)
    step, seen = training._step, []

    def counted(weights: Any, state: Any, batches: Any) -> Any:
        seen.append([arrays[-1].tolist() for _, arrays in batches])
        return step(weights, state, batches)

    training._step = counted
    training.run(lambda point, of: None, lambda: False)
    assert len(seen) == 6
    assert all(len(part) == 2 and all(len(one) == 2 for one in part) for part in seen)
    epochs = [[sorted(a + b) for a, b in zip(*seen[i : i + 2], strict=True)] for i in (0, 2, 4)]
    assert epochs[0] == epochs[1] == epochs[2]


def test_the_reward_rises(libraries: None, tmp_path: Path) -> None:
    """What is rewarded on one problem over and over is drawn more often."""
    curve = trained(
        tmp_path, samples=400, rollouts=20, problems_each=1, epochs=6, training=1, rate=1e-3, tries=1
    )
    rewards = [point.reward for point in curve]
    assert np.mean(rewards[-5:]) > np.mean(rewards[:5])


def test_what_a_folder_holds_is_looked_at(libraries: None, tmp_path: Path) -> None:
    with pytest.raises(StageboardError, match="holds no training run to go on with"):
        trained(tmp_path, resume=True)
    trained(tmp_path, samples=8)
    with pytest.raises(StageboardError, match="go on with --resume"):
        trained(tmp_path)
    with pytest.raises(StageboardError, match="has seed 0, not 4"):
        trained(tmp_path, resume=True, seed=4)
    content = (tmp_path / STATE).read_bytes()
    with np.load(tmp_path / STATE, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    earlier = {k: v for k, v in json.loads(str(arrays["settings"])).items() if k != "parts"}
    (tmp_path / STATE).write_bytes(packed({**arrays, "settings": np.array(json.dumps(earlier))}))
    with pytest.raises(StageboardError, match="is of an earlier version"):
        trained(tmp_path, resume=True)
    for damaged in (b"", content[:-4000], content[:4000]):
        (tmp_path / STATE).write_bytes(damaged)
        with pytest.raises(StageboardError, match="is damaged"):
            trained(tmp_path, resume=True)


def test_the_command_trains_and_says_what_came_of_it(libraries: None, tmp_path: Path, capsys: Any) -> None:
    words = ["train", "--out", str(tmp_path), "--samples", "100", "--problems", "2", "--validation", "1", "--most-ops", "62", "--epochs", "1"]  # fmt: skip
    assert main([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["samples"] == 100 and data["checkpoints"] == 1 and not data["ended_early"]
    assert Path(data["weights"]).is_file()
    assert main([*words, "--resume"]) == 0
    said = capsys.readouterr().out
    assert "validation" in said and "times greedy's throughput" in said
    assert main(words) == 2
    assert "holds a training run already" in capsys.readouterr().err


def test_without_jax_one_sentence_says_what_to_install(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "jax", None)
    twin.shared_twin.cache_clear()
    assert main(["train", "--out", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "pip install 'stageboard[learn]'" in said and said.count("\n") == 1
    with pytest.raises(StageboardError, match="needs JAX"):
        twin.learning_libraries()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--samples", "0"], "must lie between 1 and"),
        (["--most-ops", "10"], "must lie between 60 and 2000"),
        (["--rate", "x"], "a number was expected"),
        (["--without-solver", "--correction", "fix"], "not allowed with"),
        ([], "--out"),
    ],
)
def test_bad_arguments_are_refused(words: list[str], said: str, tmp_path: Path, capsys: Any) -> None:
    out = [] if not words else ["--out", str(tmp_path)]
    assert main(["train", *out, *words]) == 2
    assert said in capsys.readouterr().err


def test_a_broken_rule_is_worth_nothing_without_the_solver() -> None:
    problem = small_problem()
    arena = Arena(problem)
    roller = roller_of(problem, rough_weights())
    e = problem.evaluator
    for rollout in rollouts_of(roller, 4):
        reward, _ = arena.reward(rollout, NONE, 0)
        assert (reward > 0) == (not e.violations(rollout.place))
        fixed, _ = arena.reward(rollout, "fix", 0)
        assert fixed > 0
