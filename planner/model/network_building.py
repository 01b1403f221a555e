"""Networks from their connections: what is given is checked, what is not is derived.

Where what was given is wrong, :class:`NetworkError` says in one sentence which file, what is wrong and what it must be.
Shapes: N neurons, W connections, I inputs, S outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planner.errors import NetworkError
from planner.model.graph import Ints
from planner.model.network import ACTIVATIONS, Codes, Network, Singles, frozen

MOST_NEURONS = 2**31 - 2
MOST_CONNECTIONS = 2**31 - 2


def network_of(
    name: str,
    source: ArrayLike,
    target: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    neurons: int | None = None,
    activation: str | Sequence[str] | ArrayLike = "relu",
    inputs: ArrayLike | None = None,
    feature: ArrayLike | None = None,
    features: int | None = None,
    outputs: ArrayLike | None = None,
    layer: ArrayLike | None = None,
    ids: ArrayLike | None = None,
    path: str = "",
    format: str = "network",
    warnings: Sequence[str] = (),
) -> Network:
    """A network from its connections; what is not given is derived.

    ``neurons`` is N (default: as long as ``bias``, or one more than the largest neuron). ``activation`` is one name for
    every neuron with connections into it, or a name or code per neuron. ``inputs`` are neurons that are fed, in the order of the
    batch's columns (default: all without connections into them); ``feature`` says the column of each (default: its place in
    ``inputs``), ``features`` how many columns there are. ``outputs`` default to the neurons that nothing reads. ``layer``
    is kept where every connection leads to a higher one, else longest paths take its place.

    Neurons without any connection are left out, which ``warnings`` say. Raises :class:`NetworkError`.
    """
    where = path or name
    source, target, weight, bias = _connections(source, target, weight, bias, neurons, where)
    neurons = len(bias)
    in_degree, out_degree = np.bincount(target, minlength=neurons), np.bincount(source, minlength=neurons)
    codes = _codes(activation, in_degree, where)
    fed, columns, features = _feeding(inputs, feature, features, in_degree, where)
    notes = list(warnings)
    results = _results(outputs, in_degree, out_degree, notes, where)
    column = np.full(neurons, -1, np.int32)
    column[fed] = columns
    layers = None if layer is None else _layer(layer, source, target, neurons, where)
    numbers = np.arange(neurons, dtype=np.int64) if ids is None else np.asarray(ids, np.int64)
    if numbers.shape != (neurons,):
        raise NetworkError(f"{where}: ids has {numbers.size} entries for {neurons} neurons")
    kept = (in_degree > 0) | (out_degree > 0)
    if not kept.all():
        alone = int(np.count_nonzero(~kept))
        notes.append(
            f"{alone} neuron{'s' if alone > 1 else ''} without any connection {'are' if alone > 1 else 'is'} left out"
        )
        place = np.cumsum(kept, dtype=np.int64) - 1
        source, target, results = place[source], place[target], place[results]
        bias, codes, column = bias[kept], codes[kept], column[kept]
        numbers, in_degree = numbers[kept], in_degree[kept]
        layers = None if layers is None else layers[kept]
    source, target = frozen(source, np.int32), frozen(target, np.int32)
    derived = _longest(source, target, in_degree, column, where)
    # Layers that lost all their neurons leave no empty place.
    layers = derived if layers is None else np.unique(layers, return_inverse=True)[1]
    starts = np.flatnonzero(in_degree == 0)
    # Fed neurons come in the order of their columns, constants behind them.
    starts = starts[
        np.argsort(np.where(column[starts] < 0, np.iinfo(np.int32).max, column[starts]), kind="stable")
    ]
    return Network(
        name=name,
        source=source,
        target=target,
        weight=frozen(weight, np.float32),
        bias=frozen(bias, np.float32),
        activation=frozen(codes, np.uint8),
        inputs=frozen(starts, np.int32),
        feature=frozen(column[starts], np.int32),
        features=features,
        outputs=frozen(results, np.int32),
        layer=frozen(layers, np.int32),
        ids=frozen(numbers, np.int64),
        path=path,
        format=format,
        warnings=tuple(notes),
    )


# ---------------------------------------------------------------------- checking what was given
def _connections(
    source: ArrayLike,
    target: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None,
    neurons: int | None,
    where: str,
) -> tuple[NDArray[Any], NDArray[Any], Singles, Singles]:
    """(source [W], target [W], weight float32[W], bias float32[N]); without ``neurons``, N is what the others show."""
    source, target = _ends(source, "source", where), _ends(target, "target", where)
    if len(source) != len(target):
        raise NetworkError(
            f"{where}: source has {len(source)} entries and target {len(target)}; one each per connection"
        )
    if not len(source):
        raise NetworkError(f"{where} has no connection; there is nothing to order")
    weight = _values(weight, "weight", where)
    if len(weight) != len(source):
        raise NetworkError(f"{where}: weight has {len(weight)} entries for {len(source)} connections")
    highest = int(max(source.max(), target.max()))
    if bias is not None:
        bias = _values(bias, "bias", where)
        neurons = len(bias) if neurons is None else neurons
    neurons = highest + 1 if neurons is None else neurons
    if neurons > MOST_NEURONS:
        raise NetworkError(f"{where} has {neurons} neurons; at most {MOST_NEURONS} are possible")
    bias = np.zeros(neurons, np.float32) if bias is None else bias
    if len(bias) != neurons:
        raise NetworkError(f"{where}: bias has {len(bias)} entries for {neurons} neurons")
    if highest >= neurons or min(source.min(), target.min()) < 0:
        wrong = highest if highest >= neurons else int(min(source.min(), target.min()))
        raise NetworkError(
            f"{where}: a connection names neuron {wrong}; neurons are numbered 0 to {neurons - 1}"
        )
    loops = np.flatnonzero(source == target)
    if len(loops):
        raise NetworkError(
            f"{where}: connection {loops[0]} leads from neuron {source[loops[0]]} to itself; a feed-forward network has no loops"
        )
    return source, target, weight, bias


def _ends(values: ArrayLike, what: str, where: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise NetworkError(f"{where}: {what} must be one row of whole numbers, one per connection")
    if len(array) > MOST_CONNECTIONS:
        raise NetworkError(f"{where} has {len(array)} connections; at most {MOST_CONNECTIONS} are possible")
    return array


def _values(values: ArrayLike, what: str, where: str) -> Singles:
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "fiub":
        raise NetworkError(f"{where}: {what} must be one row of numbers")
    with np.errstate(over="ignore"):
        single = array.astype(np.float32, copy=False)
    if not np.isfinite(single).all():
        i = int(np.flatnonzero(~np.isfinite(single))[0])
        raise NetworkError(f"{where}: {what} {i} is {array[i]}; it must be a finite 32-bit number")
    return single


def _codes(activation: str | Sequence[str] | ArrayLike, in_degree: NDArray[Any], where: str) -> Codes:
    """Activation codes uint8[N]; one name stands for every neuron that has connections into it."""
    if isinstance(activation, str):
        if activation not in ACTIVATIONS:
            raise NetworkError(
                f"{where}: there is no activation '{activation}'; choose from {', '.join(ACTIVATIONS)}"
            )
        return np.where(in_degree > 0, ACTIVATIONS.index(activation), 0).astype(np.uint8)
    given = np.asarray(activation)
    if given.shape != in_degree.shape:
        raise NetworkError(f"{where}: activation has {given.size} entries for {len(in_degree)} neurons")
    if given.dtype.kind == "U":
        codes = np.full(len(given), len(ACTIVATIONS), np.uint8)
        for code, name in enumerate(ACTIVATIONS):
            codes[given == name] = code
        if (codes == len(ACTIVATIONS)).any():
            unknown = str(given[codes == len(ACTIVATIONS)][0])
            raise NetworkError(
                f"{where}: there is no activation '{unknown}'; choose from {', '.join(ACTIVATIONS)}"
            )
        return codes
    if given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= len(ACTIVATIONS):
        raise NetworkError(f"{where}: activation must hold names, or codes from 0 to {len(ACTIVATIONS) - 1}")
    return given.astype(np.uint8)


def _neurons(values: ArrayLike, what: str, count: int, where: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise NetworkError(f"{where}: {what} must be one row of neuron numbers")
    if array.size and (array.min() < 0 or array.max() >= count):
        raise NetworkError(f"{where}: {what} names a neuron that is not between 0 and {count - 1}")
    if len(np.unique(array)) != len(array):
        raise NetworkError(f"{where}: {what} names a neuron twice")
    return array.astype(np.int64)


def _feeding(
    inputs: ArrayLike | None,
    feature: ArrayLike | None,
    features: int | None,
    in_degree: NDArray[Any],
    where: str,
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """(neurons that are fed, the column of each, how many columns there are)."""
    fed = (
        np.flatnonzero(in_degree == 0)
        if inputs is None
        else _neurons(inputs, "inputs", len(in_degree), where)
    )
    if (in_degree[fed] > 0).any():
        wrong = int(fed[in_degree[fed] > 0][0])
        raise NetworkError(f"{where}: neuron {wrong} is an input, but connections lead into it")
    columns = np.arange(len(fed)) if feature is None else np.asarray(feature)
    if columns.shape != fed.shape or (columns.size and columns.dtype.kind not in "iu"):
        raise NetworkError(f"{where}: feature has {columns.size} entries for {len(fed)} inputs")
    highest = int(columns.max(initial=-1))
    features = highest + 1 if features is None else features
    if not 0 <= features < 2**31 or highest >= features or columns.min(initial=-1) < -1:
        raise NetworkError(
            f"{where}: feature must hold columns from 0 to {features - 1}, or -1 for constants"
        )
    return fed, columns, features


def _results(
    outputs: ArrayLike | None,
    in_degree: NDArray[Any],
    out_degree: NDArray[Any],
    notes: list[str],
    where: str,
) -> NDArray[Any]:
    """Neurons that are results, [S]. Those without a connection into them are left out, which ``notes`` then say."""
    if outputs is None:
        results = np.flatnonzero((out_degree == 0) & (in_degree > 0))
    else:
        results = _neurons(outputs, "outputs", len(in_degree), where)
    unread = int(np.count_nonzero(in_degree[results] == 0))
    if unread:
        notes.append(
            f"{unread} output{'s have' if unread > 1 else ' has'} no connection into {'them' if unread > 1 else 'it'} and"
            f" {'are' if unread > 1 else 'is'} left out"
        )
        results = results[in_degree[results] > 0]
    if not len(results):
        raise NetworkError(f"{where} has no output that a connection leads into; there is nothing to compute")
    return results


def _layer(
    values: ArrayLike, source: NDArray[Any], target: NDArray[Any], count: int, where: str
) -> NDArray[Any] | None:
    """Layers as given, or None where a connection does not lead to a higher one."""
    array = np.asarray(values)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise NetworkError(f"{where}: layer must hold one whole number for each of the {count} neurons")
    return array if bool((array[source] < array[target]).all()) else None


def _longest(
    source: Ints, target: Ints, in_degree: NDArray[Any], column: NDArray[Any], where: str
) -> NDArray[Any]:
    """Layers by longest paths; constants stand one below the first that reads them. Raises on a cycle."""
    from planner.model.network_arrays import group_by, longest_paths, nearest_consumer

    offsets, ids = group_by(source, len(in_degree))
    layer, reached = longest_paths(target, offsets, ids, in_degree.astype(np.int32))
    if reached < len(layer):
        stuck = np.flatnonzero(layer < 0)
        raise NetworkError(
            f"{where}: the connections form a cycle at or before neuron {stuck[0]}; a feed-forward network has none"
        )
    constant = (in_degree == 0) & (column < 0)
    if constant.any():
        layer = np.where(constant, nearest_consumer(source, target, layer, len(layer)) - 1, layer)
    return np.asarray(layer)
