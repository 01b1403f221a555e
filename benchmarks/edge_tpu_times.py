"""Estimated times of Edge TPU pipelines against measured ones: Tables I and II of the Edge TPU paper, row by row, and single inferences.

The measured times of pipelines lie beside the checkout (``../shared/oracles/edge_tpu_times.tsv``); without them only the others are printed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.models import ROOT
from planner.formats import read_model
from planner.machines.catalogue import planner
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.model.cost_model import fill
from planner.model.graph import Floats, Graph, Ints, Op, Tensor
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.search.run import run
from planner.text_table import table

MEASURED = ROOT.parent / "shared" / "oracles" / "edge_tpu_times.tsv"
SAMPLES = ROOT / "sample_models"
OVERHEAD = 1.5e-3
"""Fixed time of a single inference in s, fitted on those published of networks that fit the cache."""
FILES = {"ResNet101": "resnet101", "ResNet152": "resnet152", "ResNet50V2": "resnet50_v2"}
READINGS: dict[str, Callable[[Evaluation], float]] = {
    "slowest stage": lambda e: float(e.cost.max()),
    "sum of stages": lambda e: float(e.cost.sum()),
    "shared link": lambda e: 1.0 / e.figures["throughput"],
    "and scratch": lambda e: 1.0 / e.figures["throughput"],
}
"""What the time of a pipeline might be. The last is what Stageboard shows; the others leave something out."""
BLOCK = "conv4_block6_"
LAST_OF_STAGE_0 = {
    "I": (BLOCK + "out", True),
    "II": (BLOCK + "3_conv", True),
    "III": (BLOCK + "2_relu", True),
    "IV": (BLOCK + "1_relu", True),
    "V": (BLOCK + "preact_relu", True),
    "VI": (BLOCK + "preact_bn", True),
    "VII": (BLOCK + "3_conv", False),
    "VIII": (BLOCK + "preact_relu", False),
    "IX": ("conv4_block5_out", False),
}
"""Table II's choices: the last op of stage 0, and whether the pooled shortcut beside it is there, too. Found by the bytes that
the paper gives for stages 0 and 1; they leave one cut for each choice."""
LAST_OF_STAGE_1, SHORTCUT = "conv5_block1_out", "max_pooling2d_2"


@dataclass(frozen=True)
class Row:
    """A measured pipeline: its name, its plan, the time in seconds, and MiB of parameters on stages 0 and 1 where given."""

    name: str
    problem: Problem
    device_of: Ints
    seconds: float
    given: tuple[float, float] | None

    def estimate(self, reading: str) -> float:
        """The time that a reading gives, in seconds."""
        target = EdgeTpuPipeline(len(self.problem.devices), scratch=reading == "and scratch")
        e = Problem(self.problem.graph, target, "stage-time").evaluate(self.device_of)
        return READINGS[reading](e)


def choice(graph: Graph, name: str) -> Ints:
    """The plan of one of Table II's choices (int32[n])."""
    place = np.empty(graph.n, np.int32)
    place[graph.topological_order] = np.arange(graph.n)
    last, pooled = LAST_OF_STAGE_0[name]
    stage = np.full(graph.n, 2, np.int32)
    stage[place <= place[graph.find(LAST_OF_STAGE_1)]] = 1
    stage[place <= place[graph.find(last)]] = 0
    stage[graph.find(SHORTCUT)] = 0 if pooled else 1
    return stage


def measured(path: Path = MEASURED) -> list[Row]:
    """All rows of both tables."""
    graphs = {name: read_model(SAMPLES / f"{file}.json") for name, file in FILES.items()}
    rows = []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith(("#", "table\t")):
            continue
        number, model, stages, name, ms, dram0, cache0, dram1, cache1 = line.split("\t")
        problem = Problem(graphs[model], EdgeTpuPipeline(int(stages)), "stage-time")
        given = None
        if number == "I":
            device_of = run(planner("edge-tpu-balanced"), problem).device_of
            assert device_of is not None
            label = f"I {model} on {stages}"
        else:
            device_of = choice(problem.graph, name)
            given = (float(dram0) + float(cache0), float(dram1) + float(cache1))
            label = f"II {model} {name}"
        rows.append(Row(label, problem, device_of, float(ms) / 1e3, given))
    return rows


def ranks(values: Floats) -> Floats:
    """Ranks from 0, equal values sharing their mean (float64[n])."""
    less = (values[:, None] > values[None, :]).sum(axis=1)
    same = (values[:, None] == values[None, :]).sum(axis=1)
    mean: Floats = less + (same - 1) / 2
    return mean


def rank_correlation(a: Floats, b: Floats) -> float:
    """Spearman's coefficient."""
    return float(np.corrcoef(ranks(np.round(a, 6)), ranks(np.round(b, 6)))[0, 1])


def summary(rows: Sequence[Row]) -> list[list[str]]:
    """For each reading: root of the mean squared error in per cent and rank correlation, for Table I, II and both."""
    out = []
    real = np.array([row.seconds for row in rows])
    second = np.array([row.given is not None for row in rows])
    for reading in READINGS:
        found = np.array([row.estimate(reading) for row in rows])
        error = 100 * (found / real - 1)
        cells = [reading]
        for mask in (~second, second, second | True):
            cells.append(f"{np.sqrt((error[mask] ** 2).mean()):.1f} %")
            cells.append(f"{rank_correlation(found[mask], real[mask]):.3f}")
        out.append(cells)
    return out


def tables() -> dict[str, tuple[list[str], list[list[str]]]]:
    """Heads and cells of the tables, by title; those of measured pipelines only where their times are at hand."""
    alone = {"Single inferences on one Edge TPU": single()}
    if not MEASURED.exists():
        return alone
    rows = measured()
    cells = []
    for row in rows:
        line = [row.name, f"{1e3 * row.seconds:.1f}"]
        for reading in READINGS:
            found = row.estimate(reading)
            line += [f"{1e3 * found:.1f}", f"{100 * (found / row.seconds - 1):+.0f} %"]
        held = row.problem.evaluate(row.device_of).memory / 2**20
        line += (
            ["-"] * 2
            if row.given is None
            else [f"{g / m:.3f}" for g, m in zip(row.given, held, strict=False)]
        )
        cells.append(line)
    head = ["row", "measured ms"]
    for reading in READINGS:
        head += [reading, "error"]
    return {
        "Tables I and II: estimated times": ([*head, "bytes 0", "bytes 1"], cells),
        "Tables I and II: how each reading does": (
            ["reading", "I error", "I rank", "II error", "II rank", "all error", "all rank"],
            summary(rows),
        ),
        **alone,
    }


PUBLISHED = {
    "Inception v1": ("googlenet", 3.4),
    "MobileNet v1": ("", 2.4),
    "MobileNet v2": ("mobilenet_v2", 2.6),
    "SqueezeNet": ("squeezenet", 2.1),
    "DenseNet": ("densenet121", 20.0),
}
"""Milliseconds of single inferences on one USB accelerator, as its maker publishes them (coral.ai/docs/edgetpu/benchmarks), of networks
whose parameters fit the cache or nearly do; files of benchmarks/graphs."""
SEPARABLE = (
    (32, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2), *[(512, 512, 1)] * 5,
    (512, 1024, 2), (1024, 1024, 1),
)  # fmt: skip
"""MobileNet v1: channels in and out and the stride of its thirteen separable convolutions."""


def mobilenet_v1() -> Graph:
    """MobileNet v1 for pictures of 224 x 224, batch normalisation folded, everything in one byte."""
    side, channels = 112, 32
    layers = [("input", 0.0, 0.0, 224 * 224 * 3), ("conv", 27.0 * 32 * side**2, 27.0 * 32 + 32, side**2 * 32)]
    for i, (into, out, stride) in enumerate(SEPARABLE):
        side //= stride
        layers.append((f"depthwise{i}", 9.0 * into * side**2, 10.0 * into, side**2 * into))
        layers.append((f"pointwise{i}", float(into * out * side**2), (into + 1.0) * out, side**2 * out))
        channels = out
    layers.append(("pool", 0.0, 0.0, channels))
    layers.append(("dense", channels * 1000.0, (channels + 1) * 1000.0, 1000))
    ops = [
        Op(name, name, "Input" if i == 0 else "Conv", params=params, param_bytes=params, macs=macs)
        for i, (name, macs, params, _) in enumerate(layers)
    ]
    names = [name for name, *_ in layers]
    tensors = [Tensor(names[i], tuple(names[i + 1 : i + 2]), float(layers[i][3])) for i in range(len(layers))]
    return Graph.build("mobilenet_v1", ops, tensors, time_unit="s")


def single() -> tuple[list[str], list[list[str]]]:
    """Head and a row per network: published and estimated time of one inference on one Edge TPU, without and with the fixed time."""
    rows = []
    for name, (file, published) in PUBLISHED.items():
        graph = fill(read_model(ROOT / "benchmarks" / "graphs" / f"{file}.json") if file else mobilenet_v1())
        cells = [name, f"{published:.1f}"]
        for overhead in (0.0, OVERHEAD):
            problem = Problem(graph, EdgeTpuPipeline(1, overhead=overhead), "stage-time")
            found = 1e3 * problem.evaluate(np.zeros(graph.n, np.int32)).figures["latency"]
            cells += [f"{found:.1f}", f"{100 * (found / published - 1):+.0f} %"]
        rows.append(cells)
    return ["network", "published ms", "without", "error", "with a fixed time", "error"], rows


def main() -> None:
    """Print both."""
    for title, (head, cells) in tables().items():
        print(f"{title}\n{table(head, cells)}\n")


if __name__ == "__main__":
    main()
