"""How long a pipeline of Edge TPUs takes per inference, as measured ones do (docs/edge-tpu.md tells how well).

The objective ``stage-time`` is the time of the slowest stage as if it had the host to itself. Measured pipelines hang on one
USB hub: what all stages stream passes the same link, one after another, while the rest of each stage overlaps. And a cache
that holds activations as well has less room for parameters. Both go into the estimated throughput, and into the objective
``inference-time`` (:mod:`planner.machines.edge_tpu.inference_time`).
"""

from __future__ import annotations

import numpy as np

from planner.model.graph import Floats, Graph, Ints


def working_sets(graph: Graph, size: Floats) -> Floats:
    """Bytes of the tensors that each op with multiply-accumulates reads and writes; 0 for all others (float64[n]).

    ``size`` float64[t]: bytes of the tensors. Other ops are taken for part of the one before them, as compilers fuse them.
    """
    found = np.zeros(graph.n)
    np.add.at(found, graph.tensor_producer, size)
    np.add.at(found, graph.consumer_idx, np.repeat(size, np.diff(graph.consumer_ptr)))
    return np.where(graph.macs > 0, found, 0.0)


def scratch_of(sets: Floats, device_of: Ints, stages: int) -> Floats:
    """Bytes that the largest working set on each stage takes (float64[k])."""
    found = np.zeros(stages)
    np.maximum.at(found, device_of, sets)
    return found


def streaming_times(held: Floats, scratch: Floats, cache: float, rate: float) -> Floats:
    """Seconds that each stage streams parameters for an inference (any shape).

    ``held`` bytes of parameters, ``scratch`` bytes of the ``cache`` that these cannot have, ``rate``: bytes per second. No
    more is streamed than there is.
    """
    found: Floats = np.minimum(held, np.maximum(0.0, held + scratch - cache)) / rate
    return found


def interval(streaming: Floats, rest: Floats, shared: bool) -> float:
    """Seconds from one inference to the next.

    Per stage (float64[k]): ``streaming`` seconds, one after another where they are ``shared`` by all, and ``rest``, the
    seconds that it receives, computes and sends.
    """
    if shared:
        return float(streaming.sum() + rest.max(initial=0.0))
    return float((streaming + rest).max(initial=0.0))
