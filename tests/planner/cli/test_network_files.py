"""``generate`` and ``info`` for sparse networks: fields, files, one sentence for what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.cli.info_network import fields
from planner.formats.networks.npz import write_network
from planner.formats.networks.read import read_network
from planner.generate.catalogue import generate_network
from planner.machines.two_level_memory.export import to_order
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.problem.provenance import Provenance

ROOT = Path(__file__).resolve().parents[3]
ENCODER = ROOT / "sample_models" / "transformer_encoder.onnx"


@pytest.fixture
def network(tmp_path: Path) -> Path:
    return write_network(generate_network("mlp", {"width": 20}, 1), tmp_path / "net.npz")


def test_generate_writes_a_network_that_reads_back_the_same(stageboard: Any, tmp_path: Path) -> None:
    out = tmp_path / "made.npz"
    ran = stageboard("generate", "mlp", "--set", "width=20", "--seed", "1", "-o", out, "--json")
    made = read_network(out)
    assert ran.status == 0 and ran.json == {
        "kind": "mlp", "seed": 1, "name": "mlp 20 x 4, 10 %, seed 1", "neurons": made.neuron_count,
        "connections": 145, "inputs": len(made.inputs), "outputs": 1, "file": str(out),
    }  # fmt: skip
    assert made.fingerprint == generate_network("mlp", {"width": 20}, 1).fingerprint
    assert (
        "145 connections)" in stageboard("generate", "mlp", "--set", "width=20", "--seed", "1", "-o", out).out
    )


def test_generate_prunes_files_but_never_the_one_it_reads(
    stageboard: Any, network: Path, tmp_path: Path
) -> None:
    settings = ("--set", f"file={network}", "--set", "density=0.05")
    ran = stageboard("generate", "pruned", *settings, "-o", tmp_path / "less.npz", "--json")
    assert ran.status == 0 and ran.json["connections"] < 145 and "pruned by magnitude" in ran.err
    ran = stageboard("generate", "pruned", *settings, "-o", network)
    assert ran.status == 2 and "would be lost" in ran.sentence
    assert "'pruned' needs a file" in stageboard("generate", "pruned", "-o", tmp_path / "x.npz").sentence


def test_info_on_a_network(stageboard: Any, network: Path) -> None:
    data = stageboard("info", network, "--json").json
    read = read_network(network)
    w, n, i, s = read.connection_count, read.neuron_count, len(read.inputs), len(read.outputs)
    assert (data["ops"], data["edges"], data["macs"], data["depth"]) == (n, w, w, 4)
    assert (data["neurons"], data["connections"], data["inputs"], data["outputs"]) == (n, w, i, s)
    assert data["params"] == w + n - i and data["param_bytes"] == 4 * data["params"]
    assert (data["lower_bound"], data["upper_bound"]) == (w + n + s, 2 * (w + n - i))
    assert data["ios"]["reads"] == {"at_least": w + n, "at_most": 2 * w + n - i}
    assert data["ios"]["writes"] == {"at_least": s, "at_most": n - i}
    assert data["max_degree"] == read.in_degree.max() and data["layers"] == 5
    assert data["constants"] == np.count_nonzero(read.feature < 0)
    said = stageboard("info", network).out
    assert said.startswith("mlp 20 x 4, 10 %, seed 1 (network)\n") and f"{w + n + s:,}" in said


def test_info_on_a_pruned_network_and_on_the_dense_layers_of_a_model(stageboard: Any, network: Path) -> None:
    assert stageboard("info", network, "--density", "5%", "--json").json["connections"] < 145
    ran = stageboard("info", ENCODER, "--density", "0.001", "--block", "layer.3", "--json")
    assert ran.json["format"] == "onnx" and ran.json["connections"] == 2 * 2359
    assert (
        stageboard("info", ENCODER, "--json").json["ops"] > 400
    )  # a graph of ops as long as nothing is said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--batch", "2"], "--batch is about graphs"),
        (["--density", "2"], "not a share from 0 to 1"),
        (["--density", "0"], "density is 0"),
        (["--block", "a"], "no blocks to choose from"),
    ],
)
def test_what_does_not_fit_is_one_sentence(
    stageboard: Any, network: Path, arguments: list[str], says: str
) -> None:
    ran = stageboard("info", network, *arguments)
    assert ran.status == 2 and says in ran.sentence


def test_an_order_is_exported_with_its_connections_in_that_order(tmp_path: Path) -> None:
    network = generate_network("mlp", {"width": 12, "density": 0.3})
    problem = NetworkProblem(network, TwoLevelMemory(8))
    order = np.argsort(network.rank[network.target] * 1000 - network.rank[network.source], kind="stable")
    plan = problem.plan(order, Provenance("test"))
    back = read_network(to_order(plan, tmp_path / "order.npz"))
    assert np.array_equal(back.source, network.source[order])
    assert np.array_equal(back.weight, network.weight[order])
    again = NetworkProblem(back, TwoLevelMemory(8)).evaluate(np.arange(back.connection_count))
    assert (again.reads, again.writes) == (plan.evaluation.reads, plan.evaluation.writes)
    assert fields(back)["lower_bound"] == fields(network)["lower_bound"]
