"""The tables of the device-placement paper's latency part and appendix A: what is costed as what, and what is left out."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks import gpipe_table, latency_table
from benchmarks.bars import bars
from benchmarks.placement import WORKLOADS
from planner.model.graph import Graph, Op, Tensor

needs_workloads = pytest.mark.skipif(
    not WORKLOADS.exists(), reason="the published workloads are not beside this checkout"
)


def chain(memory: float) -> Graph:
    """Three ops of 1, 2 and 3 whose tensors take 5 each way, on two accelerators of a memory of 10 and a CPU."""
    ops = [Op(str(i), f"op {i}", "op", work=i + 1.0, work_cpu=100.0, memory=memory) for i in range(3)]
    tensors = [Tensor(str(i), (str(i + 1),), 1.0, time=5.0) for i in range(2)]
    machine = {"accelerators": 2, "cpus": 1, "memory": 10.0}
    return Graph.build("chain", ops, tensors, time_unit=None, deployment=machine)


@pytest.mark.parametrize(("memory", "shown"), [(4.0, "16.00"), (6.0, "16.00+"), (31.0, "OOM")])
def test_a_plan_is_costed_as_latency_and_what_does_not_fit_is_marked(memory: float, shown: str) -> None:
    # Two ops, then a transfer out and in, then one.
    assert (
        latency_table.costed(chain(memory), np.array([0, 0, 1], np.int32), "pool,contiguous=false") == shown
    )


def test_baselines_that_refuse_leave_a_dash_and_say_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert latency_table.baseline(chain(1.0), "pool", "slice") == "-"
    assert "slice: " in capsys.readouterr().err


@needs_workloads
def test_the_row_of_a_small_workload_has_the_papers_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert latency_table.main(["--workload", "LayerGraphs/bert24_inference", "--cpu", "5"]) == 0
    cells = capsys.readouterr().out.splitlines()[-1].split()
    assert cells[:2] == ["LayerGraphs/bert24_inference", "32"]
    greedy, dp, expert, program = cells[2:4], cells[4:6], cells[8:10], cells[10:12]
    assert (
        greedy == ["100.22"] * 2
        and dp == ["108.03"] * 2
        and expert == ["111.94"] * 2
        and program == ["100.22"] * 2
    )


def step() -> Graph:
    """Forward ops 1, 2 and 4; backward ops 3 and 6 of the class of 1, and 8 of that of 2. The op of 4 has no backward one."""
    given = [
        (1.0, 0, False),
        (2.0, 1, False),
        (4.0, 2, False),
        (8.0, 1, True),
        (3.0, 0, True),
        (6.0, 0, True),
    ]
    ops = [
        Op(str(i), f"op {i}", "op", work=work, work_cpu=10 * work, backward=backward, colour_class=group)
        for i, (work, group, backward) in enumerate(given)
    ]
    tensors = [Tensor(str(i), (str(i + 1),), 1.0, time=0.0) for i in range(len(ops) - 1)]
    return Graph.build("step", ops, tensors, time_unit=None, deployment={"accelerators": 2, "cpus": 1})


def test_activations_made_again_add_each_forward_op_to_its_backward_ones() -> None:
    again = gpipe_table.rematerialized(step())
    assert again.work.tolist() == pytest.approx([1, 2, 4, 10, 3 + 1 / 3, 6 + 2 / 3])
    assert again.work_cpu.tolist() == pytest.approx(10 * again.work)


def test_times_add_up_op_by_op_and_a_class_counts_once() -> None:
    series = gpipe_table.accumulated(step())
    assert [(p.x, p.median) for p in series["forward"]] == [(1, 1), (2, 3), (3, 7)]
    assert [p.median for p in series["backward"]] == [9, 17, 17]


@needs_workloads
def test_splits_for_either_schedule_differ_by_no_more_than_the_paper_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gpipe_table.main(["--workload", "bert24_training", "--out", str(tmp_path)]) == 0
    kept, again = capsys.readouterr().out.splitlines()[-2:]
    losses = [float(loss) for loss in re.findall(r"([\d.]+) %", again)]
    assert " kept " in kept and " made again " in again and len(losses) == 2 and max(losses) <= 6.0
    assert "<svg" in (tmp_path / "bert24_training.svg").read_text()


def test_bars_leave_out_what_is_not_known() -> None:
    picture = bars("a & b", "x", ["one", "two"], {"first": [1.0, None], "second": [0.5, 2.0]})
    assert picture.count('fill-opacity="1.0"') == 3 + 2 and "a &amp; b" in picture
