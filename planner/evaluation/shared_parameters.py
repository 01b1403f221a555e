"""Parameters that several ops read, such as an embedding that is also the output layer of a language model.

A graph counts them at the first of these ops. A device must hold what each of its ops reads, so a plan counts them at each op: as if
every op had a copy of its own. Ops that every valid plan keeps together, by constraints or pins, share one. So no valid plan
needs more memory than it says; one that puts ops which are free to part on one device all the same needs less.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from planner.model.graph import Floats, Graph
from planner.model.ops import Shared
from planner.problem.problem import Problem


def copies(problem: Problem, size: Callable[[Shared], float] = lambda one: one.param_bytes) -> Floats:
    """Bytes of the parameters that each op reads and another op of the graph counts (float64[n]); of ops that are kept together once.

    ``size``: the bytes that shared parameters take on the machine.
    """
    out = np.zeros(problem.graph.n)
    for number, v in problem.copied:
        out[v] += size(problem.graph.shared[number])
    return out


def params_read(graph: Graph) -> Floats:
    """How many parameters each op reads, whoever counts them (float64[n])."""
    out = graph.params.copy()
    for one in graph.shared:
        out[[graph.index[op] for op in one.ops[1:]]] += one.params
    return out
