"""Rates of this computer, measured at once: a matrix product, a stream through memory, and ops so small that only starting them takes time.

They run under onnxruntime on one thread in a process of their own, as stages do, and are timed by the thread's processor time, in which other programs have no
part. The rates are those of a roofline: what the best op reaches. A machine that is fitted to a measured model
(:mod:`planner.runs.calibration.calibrate`) knows more: what ops of each kind reach.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable

import numpy as np

from planner.errors import StageboardError
from planner.export.onnx.runtime import OnnxModel
from planner.export.stages.child import in_child
from planner.model.cost_model import Rates
from planner.model.named_machines import NamedMachine, check_name
from planner.runs.measuring.measuring import processor

SIDE = 768
"""Rows and columns of the matrices: their product takes some ten milliseconds, and they stay in a cache."""
LONG = 8_000_000
"""Numbers of each vector of the stream: far more than caches hold."""
SMALL = 400
"""Ops of one number, one after another."""
WARM_UP, RUNS = 2, 15
OPSET, FORMAT = 17, 8
"""Versions of ONNX that every onnxruntime of the last years reads."""


def this_computer(name: str, title: str = "", stopped: Callable[[], bool] | None = None) -> NamedMachine:
    """This computer's rates as a machine called ``name``, a CPU. Raises :class:`StageboardError`, and as :func:`in_child` where ``stopped`` says so."""
    check_name(name)

    def crashed(status: int | None) -> StageboardError:
        return StageboardError(
            f"what measures this computer ended (status {status}); fit rates to a measured model instead (stageboard calibrate)"
        )

    rates, runtime = in_child(measured_rates, RUNS, crashed=crashed, stopped=stopped)
    source = f"measured on {processor()}: matrix product, memory stream, small ops; {runtime}, 1 thread"
    today = datetime.date.today().isoformat()
    return NamedMachine(name, title or name, "cpu", source, today, rates, own=True)


def measured_rates(runs: int) -> tuple[Rates, str]:
    """The rates, each the median of so many ``runs``, and who measured."""
    import onnxruntime  # type: ignore[import-untyped]

    rng = np.random.default_rng(0)
    square = [rng.random((SIDE, SIDE), np.float32) for _ in range(2)]
    vectors = [rng.random(LONG, np.float32) for _ in range(2)]
    product = _seconds(["MatMul"], square, runs)
    stream = _seconds(["Add"], vectors, runs)
    small = _seconds(["Neg", "Abs"] * (SMALL // 2), [np.ones(1, np.float32)], runs)
    # Two vectors are read and one is written.
    rates = Rates(2.0 * SIDE**3 / product, 3.0 * vectors[0].nbytes / stream, small / SMALL)
    return rates, f"onnxruntime {onnxruntime.__version__}"


def _seconds(kinds: list[str], values: list[np.ndarray], runs: int) -> float:
    """What a chain of ops takes, the first of which reads ``values``: the processor time of a run, the median of ``runs``."""
    model = OnnxModel(_chain(kinds, values), " ".join(dict.fromkeys(kinds)))
    took = []
    for _ in range(WARM_UP + runs):
        start = time.thread_time()
        model.run(values)
        took.append(time.thread_time() - start)
    return float(np.median(took[WARM_UP:]))


def _chain(kinds: list[str], values: list[np.ndarray]) -> bytes:
    """An ONNX model of ops in a row, all tensors of the shape of ``values``."""
    from onnx import TensorProto, helper

    shape = list(values[0].shape)
    names = [f"input{i}" for i in range(len(values))]
    given = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in names]
    nodes = []
    for i, kind in enumerate(kinds):
        nodes.append(helper.make_node(kind, names, [f"t{i}"], name=f"op{i}"))
        names = [f"t{i}"]
    result = helper.make_tensor_value_info(names[0], TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, "rates", given, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=FORMAT)
    content: bytes = model.SerializeToString()
    return content
