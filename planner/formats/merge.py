"""Several models in one graph, for deployments that share a machine: ops know their model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from planner.errors import ModelError
from planner.model.graph import Floats, Graph, Ints, Measured
from planner.model.ops import Shared


def merge(graphs: Sequence[Graph]) -> Graph:
    """One graph of all ops and tensors; ``model`` and ``model_names`` say which op is whose. One graph is returned as is.

    Where two models have an op id in common, all ids and names become ``model/id``. Colour classes and layers stay
    apart. Models of one name are numbered. Estimated times are dropped: fill the merged graph. Raises
    :class:`ModelError` where the files' time units differ.
    """
    if not graphs:
        raise ModelError("no model was given; name at least one model file")
    if len(graphs) == 1:
        return graphs[0]
    # A file that gives no time at all takes whatever unit the others have.
    units = {graph.time_unit for graph in graphs if not _timeless(graph)}
    if len(units) > 1:
        named = ", ".join(f"{graph.name} ({graph.time_unit or 'unknown'})" for graph in graphs)
        raise ModelError(
            f"the models give times in different units and cannot share a machine: {named}; plan them apart"
        )
    names = _distinct([graph.name for graph in graphs])
    ids = [op for graph in graphs for op in graph.op_ids]
    ambiguous = len(set(ids)) < len(ids)
    first = np.cumsum([0, *(graph.n for graph in graphs)])
    reading = dict(option for graph in graphs for option in graph.read_options)
    deployments = {graph.deployment for graph in graphs}

    consumer_ptr = np.concatenate(
        [[0], np.cumsum(np.concatenate([np.diff(graph.consumer_ptr) for graph in graphs]))]
    )
    merged = Graph(
        name=" + ".join(names),
        op_ids=_named(graphs, names, "op_ids", ambiguous),
        op_names=_named(graphs, names, "op_names", ambiguous),
        kinds=tuple(kind for graph in graphs for kind in graph.kinds),
        work=np.concatenate([graph.given_times[0] for graph in graphs]),
        work_cpu=np.concatenate([graph.given_times[1] for graph in graphs]),
        params=_joined(graphs, "params"),
        param_bytes=_joined(graphs, "param_bytes"),
        macs=_joined(graphs, "macs"),
        memory=_joined(graphs, "memory"),
        supported=np.concatenate([graph.supported for graph in graphs]),
        backward=np.concatenate([graph.backward for graph in graphs]),
        colour_class=_shifted(graphs, "colour_class"),
        layer=_shifted(graphs, "layer"),
        model=np.repeat(np.arange(len(graphs)), [graph.n for graph in graphs]).astype(np.int32),
        tensor_producer=np.concatenate(
            [g.tensor_producer + k for g, k in zip(graphs, first, strict=False)]
        ).astype(np.int32),
        tensor_bytes=_joined(graphs, "tensor_bytes"),
        tensor_time=_joined(graphs, "tensor_time"),
        consumer_ptr=consumer_ptr.astype(np.int32),
        consumer_idx=np.concatenate([g.consumer_idx + k for g, k in zip(graphs, first, strict=False)]).astype(
            np.int32
        ),
        tensor_shapes=tuple(shape for graph in graphs for shape in graph.tensor_shapes),
        tensor_dtypes=tuple(dtype for graph in graphs for dtype in graph.tensor_dtypes),
        tensor_names=tuple(name for graph in graphs for name in graph.tensor_names),
        attrs=tuple(attrs for graph in graphs for attrs in graph.attrs),
        model_names=tuple(names),
        time_unit=next(iter(units), None),
        format=graphs[0].format if len({graph.format for graph in graphs}) == 1 else "several formats",
        warnings=tuple(f"{name}: {w}" for name, g in zip(names, graphs, strict=True) for w in g.warnings),
        read_options=tuple(sorted(reading.items())),
        deployment=graphs[0].deployment if len(deployments) == 1 else (),
        measured=_measured(graphs),
        device_times=_device_times(graphs),
        scopes=_scopes(graphs, names, ambiguous),
        shared=_shared(graphs, names, ambiguous),
        own_names=_named(graphs, names, "file_names", ambiguous) if any(g.scopes for g in graphs) else (),
    )
    if len(set(merged.op_ids)) < merged.n:
        raise ModelError(
            "the models' op ids stay ambiguous when their names are put before them; rename a model file"
        )
    for value in vars(merged).values():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    return merged


def _timeless(graph: Graph) -> bool:
    return all(bool(np.isnan(times).all()) for times in graph.given_times)


def _named(graphs: Sequence[Graph], models: Sequence[str], attribute: str, apart: bool) -> tuple[str, ...]:
    """Ids or names of all graphs' ops; with their model's name before them where they are told ``apart`` by it."""
    each = zip(models, graphs, strict=True)
    return tuple(f"{m}/{op}" if apart else op for m, graph in each for op in getattr(graph, attribute))


def _shared(graphs: Sequence[Graph], models: Sequence[str], apart: bool) -> tuple[Shared, ...]:
    """What ops of each graph share."""
    each = ((m, one) for m, graph in zip(models, graphs, strict=True) for one in graph.shared)
    return tuple(replace(one, ops=tuple(f"{m}/{op}" if apart else op for op in one.ops)) for m, one in each)


def _scopes(graphs: Sequence[Graph], models: Sequence[str], apart: bool) -> tuple[str, ...]:
    """The scopes of all graphs' ops, where any has some; those of a model that is told apart lie in its own."""
    if not any(graph.scopes for graph in graphs):
        return ()
    each = [(m, scope) for m, g in zip(models, graphs, strict=True) for scope in g.scopes or ("",) * g.n]
    return tuple(f"{m}/{scope}" if apart and scope else scope for m, scope in each)


def _device_times(graphs: Sequence[Graph]) -> tuple[tuple[str, Floats], ...]:
    """Times measured on single devices, side by side; NaN where a model has none of a device."""
    names = sorted({name for graph in graphs for name, _ in graph.device_times})
    parts = [(dict(graph.device_times), np.full(graph.n, np.nan)) for graph in graphs]
    return tuple((name, np.concatenate([own.get(name, unknown) for own, unknown in parts])) for name in names)


def _measured(graphs: Sequence[Graph]) -> Measured | None:
    """What was measured of all graphs' ops; None where nothing was."""
    if all(graph.measured is None for graph in graphs):
        return None
    each = [
        graph.measured
        or Measured(
            np.zeros(graph.n, bool), np.zeros(graph.n, bool), np.full(graph.n, np.nan), (), (*graph.given_times, graph.time_unit),
            np.zeros(graph.n, bool),
        )
        for graph in graphs
    ]  # fmt: skip
    sources = dict.fromkeys(source for one in each for source in one.sources)
    return Measured(
        np.concatenate([one.ops for one in each]),
        np.concatenate([one.shared for one in each]),
        np.concatenate([one.spread for one in each]),
        tuple(sources),
        (
            np.concatenate([one.file[0] for one in each]),
            np.concatenate([one.file[1] for one in each]),
            next((one.file[2] for one in each if one.file[2] is not None), None),
        ),
        np.concatenate([one.scaled for one in each]),
    )


def _joined(graphs: Sequence[Graph], attribute: str) -> Floats:
    """One figure of all graphs' ops or tensors, graph by graph."""
    return np.concatenate([getattr(graph, attribute) for graph in graphs])


def _shifted(graphs: Sequence[Graph], attribute: str) -> Ints:
    """Labels of each graph moved beyond those of the graphs before it; -1 stays."""
    parts, offset = [], 0
    for graph in graphs:
        labels = getattr(graph, attribute).astype(np.int64)
        parts.append(np.where(labels >= 0, labels + offset, -1))
        offset += int(labels.max(initial=-1)) + 1
    together = np.concatenate(parts)
    if together.max(initial=-1) > np.iinfo(np.int32).max:
        # Labels are arbitrary numbers: count them instead.
        known, numbered = np.unique(together, return_inverse=True)
        together = numbered - (1 if known[0] == -1 else 0)
    return together.astype(np.int32)


def _distinct(names: list[str]) -> list[str]:
    out: list[str] = []
    for name in names:
        number, candidate = 1, name
        while candidate in out:
            number += 1
            candidate = f"{name} ({number})"
        out.append(candidate)
    return out
