"""Running: every width and thread count, other libraries, the reference and what it allows, times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlanError, StageboardError
from planner.generate.catalogue import generate_network
from planner.machines.two_level_memory.execution import mkl
from planner.machines.two_level_memory.execution import program as runner_module
from planner.machines.two_level_memory.execution.compare import MKL, SCIPY, compare, random_batch
from planner.machines.two_level_memory.execution.layers import layers_of
from planner.machines.two_level_memory.execution.program import Runner, aligned, block_width, compile_order
from planner.machines.two_level_memory.execution.reference import reference
from planner.machines.two_level_memory.execution.scipy_csr import ScipyCsr
from planner.machines.two_level_memory.execution.timing import in_turn
from planner.model.network import Network
from planner.model.network_building import network_of
from tests.conftest import PLAIN_KERNELS
from tests.planner.machines.two_level_memory.execution.networks import by_hand, networks, some_order

pytestmark = pytest.mark.skipif(PLAIN_KERNELS, reason="the registers' kernel has no plain Python")


@pytest.fixture(scope="module")
def mlp() -> Network:
    return generate_network("mlp", {"width": 60, "depth": 3, "density": 0.2, "outputs": 7}, 1)


@settings(max_examples=40, deadline=None)
@given(networks(), st.integers(0, 100), st.integers(1, 5))
def test_reference_scipy_and_hand_agree(network: Network, seed: int, samples: int) -> None:
    batch = np.random.default_rng(seed).normal(size=(network.features, samples)).astype(np.float32)
    expected, by_scipy = by_hand(network, batch), ScipyCsr(layers_of(network)).run(batch)
    found = reference(network, batch)
    # The reference's constants went through 32 bits.
    assert (np.abs(found.values - expected) <= found.tolerance).all()
    assert found.excess(by_scipy) <= 1.0
    assert found.excess(compile_order(network, some_order(network, seed)).run(batch)) <= 1.0


@pytest.mark.parametrize("width", [16, 32, 64, 128])
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("samples", [1, 100, 256])
def test_every_width_and_thread_count(
    mlp: Network, width: int, threads: int, samples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "WORTH", 1)
    program = compile_order(mlp, np.arange(mlp.connection_count), tile=20, shortest=2)
    batch = random_batch(mlp, samples)
    with Runner(program, samples, threads, width) as runner:
        assert runner.threads == min(threads, -(-samples // width))
        outputs = runner.run(batch).copy()
        assert reference(mlp, batch).excess(outputs) <= 1.0
        # Again, from an array that is not contiguous, over what the first batch left.
        np.testing.assert_array_equal(runner.run(np.asfortranarray(batch)), outputs)


def test_grouping_does_not_change_what_comes_out_much(mlp: Network) -> None:
    batch = random_batch(mlp, 32)
    expected = reference(mlp, batch)
    for seed in range(3):
        assert expected.excess(compile_order(mlp, some_order(mlp, seed)).run(batch)) <= 1.0


def test_a_wrong_output_is_noticed(mlp: Network) -> None:
    batch = random_batch(mlp, 8)
    expected = reference(mlp, batch)
    outputs = compile_order(mlp, np.arange(mlp.connection_count)).run(batch)
    for wrong in (outputs + np.float32(1e-3), np.full_like(outputs, np.nan)):
        assert expected.excess(wrong) > 1.0
    # One weight off by a thousandth.
    other = network_of(
        "other", mlp.source, mlp.target, mlp.weight * np.where(np.arange(len(mlp.weight)) == 5, 1.001, 1.0),
        mlp.bias, activation=mlp.activation, inputs=mlp.inputs, outputs=mlp.outputs, layer=mlp.layer,
    )  # fmt: skip
    assert expected.excess(compile_order(other, np.arange(other.connection_count)).run(batch)) > 1.0


@settings(max_examples=30, deadline=None)
@given(st.floats(-200, 200, width=32))
def test_activations_at_all_sizes(value: float) -> None:
    names = ("identity", "relu", "tanh", "sigmoid", "gelu")
    network = network_of(
        "one", np.zeros(5, int), np.arange(1, 6), np.ones(5), activation=("identity", *names)
    )
    batch = np.array([[value]], np.float32)
    found = reference(network, batch)
    assert found.excess(compile_order(network, np.arange(5)).run(batch)) <= 1.0
    np.testing.assert_allclose(found.values, by_hand(network, batch), rtol=1e-12, atol=1e-300)


def test_what_is_not_a_number_stays_so() -> None:
    network = network_of("two", [0, 1], [1, 2], [1.0, 1.0])
    for column in (np.nan, np.inf):
        out = compile_order(network, [0, 1]).run(np.array([[column, 1.0]], np.float32))
        np.testing.assert_array_equal(out, [[column, 1.0]])


def test_batches_that_cannot_be_run_are_refused(mlp: Network) -> None:
    program = compile_order(mlp, np.arange(mlp.connection_count))
    with pytest.raises(PlanError, match="60 features x 4 samples"), Runner(program, 4) as runner:
        runner.run(np.zeros((4, 60), np.float32))
    with pytest.raises(PlanError, match="two dimensions"):
        program.run(np.zeros(60))
    with pytest.raises(PlanError, match="at least one"):
        Runner(program, 0)
    with pytest.raises(PlanError, match="at least one"):
        Runner(program, 4, 0)
    with pytest.raises(PlanError, match="columns, not 8"):
        Runner(program, 4, width=8)


def test_little_work_is_not_shared(mlp: Network) -> None:
    with Runner(compile_order(mlp, np.arange(mlp.connection_count)), 128, threads=8) as runner:
        assert (runner.threads, runner.width) == (1, 128)


def test_blocks_are_as_wide_as_a_thread_needs() -> None:
    assert [block_width(*case) for case in ((1, 1), (128, 1), (128, 2), (100, 2), (33, 1), (1000, 4))] == [
        16, 128, 64, 64, 64, 128,
    ]  # fmt: skip
    assert aligned((3, 5)).ctypes.data % 64 == 0


def test_a_layer_reads_its_own_rows_only(mlp: Network) -> None:
    layers = layers_of(mlp)
    assert [(one.low, one.high) for one in layers.layers] == list(
        zip(layers.starts[:-2], layers.starts[1:-1], strict=True)
    )
    assert layers.start(batch := random_batch(mlp, 3)) is batch and layers.last


def test_comparison_names_all_ways_and_says_what_is_missing(
    mlp: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing() -> list[Any]:
        return []

    monkeypatch.setattr(mkl, "_candidates", nothing)
    mkl.library.cache_clear()
    program = compile_order(mlp, np.arange(mlp.connection_count))
    found = compare(mlp, {"order": program}, random_batch(mlp, 16), threads=1, seconds=0.001)
    mkl.library.cache_clear()
    assert list(found.ways) == ["order", SCIPY] and all(way.right for way in found.ways.values())
    assert found.left_out is not None and "pip install mkl" in found.left_out
    assert MKL not in found.ways


@settings(max_examples=20, deadline=None)
@given(networks(), st.integers(1, 20))
def test_mkl_agrees_where_it_is_installed(network: Network, samples: int) -> None:
    if mkl.missing():
        pytest.skip(str(mkl.missing()))
    batch = random_batch(network, samples)
    with mkl.Mkl(layers_of(network), samples) as library:
        assert reference(network, batch).excess(library.run(batch)) <= 1.0


def test_a_file_that_is_no_library_is_a_reason(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libmkl_rt.so.2").write_bytes(b"no library")
    monkeypatch.setenv("MKLROOT", str(tmp_path))
    monkeypatch.setattr(mkl.metadata, "files", lambda name: None)
    mkl.library.cache_clear()
    with pytest.raises(StageboardError, match=r"libmkl_rt\.so\.2 cannot be loaded"):
        mkl.library()
    mkl.library.cache_clear()


def test_times_are_taken_in_turn() -> None:
    called: list[str] = []
    found = in_turn({"a": lambda: called.append("a"), "b": lambda: called.append("b")}, 0.001, rounds=2)
    assert set(found) == {"a", "b"} and all(0 < t.least <= t.wall and t.calls >= 4 for t in found.values())
    turns = "".join(called)
    assert turns.startswith("ab") and turns[2:].count("ab") == 2
