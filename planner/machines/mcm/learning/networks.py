"""Made-up neural networks to train the policy of multi-chip modules on: convolutional, recurrent and transformer-like ones.

Sizes, bytes and multiply-accumulates of each op follow from the layers, so that the cost model gives them times as it does to
networks from files. None is a copy of a published network, and none is among those that searches are measured with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from planner.model.graph import Graph, Op, Tensor

FLOAT = 4
"""Bytes of a value or parameter."""
FAMILIES = ("convolutional", "recurrent", "transformer")
SHARES = (0.4, 0.4, 0.2)
"""How often each family is drawn."""


class _Builder:
    """Ops and tensors of a network under construction; an op is named by its number, and has one output."""

    def __init__(self) -> None:
        self.ops: list[Op] = []
        self._bytes: list[float] = []
        self._readers: list[list[str]] = []

    def op(
        self, kind: str, values: float, inputs: Sequence[int] = (), params: float = 0.0, macs: float = 0.0
    ) -> int:
        """An op with an output of ``values`` values that reads ``inputs``."""
        number = len(self.ops)
        name = f"{kind}_{number}"
        self.ops.append(Op(name, name, kind, params=params, param_bytes=FLOAT * params, macs=macs))
        self._bytes.append(FLOAT * values)
        self._readers.append([])
        for i in dict.fromkeys(inputs):
            self._readers[i].append(name)
        return number

    def graph(self, name: str) -> Graph:
        """The network as a graph."""
        tensors = [
            Tensor(op.id, tuple(readers), size)
            for op, readers, size in zip(self.ops, self._readers, self._bytes, strict=True)
            if readers
        ]
        return Graph.build(name, self.ops, tensors)


class _Image:
    """A feature map of a convolutional network: which op makes it, its channels and its side."""

    def __init__(self, op: int, channels: int, side: int) -> None:
        self.op, self.channels, self.side = op, channels, side

    @property
    def values(self) -> float:
        """How many values it holds."""
        return float(self.channels * self.side**2)


class _Convolutions:
    """Layers of convolutional networks."""

    def __init__(self, build: _Builder, rng: np.random.Generator) -> None:
        self.build, self.rng = build, rng

    def conv(
        self, x: _Image, channels: int, kernel: int, stride: int = 1, groups: int = 1, act: str = "Relu"
    ) -> _Image:
        """A convolution, and an activation unless ``act`` is empty."""
        side = max(1, x.side // stride)
        weights = kernel * kernel * x.channels * channels // groups
        values = float(channels * side**2)
        op = self.build.op("Conv", values, [x.op], weights + channels, float(weights) * side**2)
        if act:
            op = self.build.op(act, values, [op])
        return _Image(op, channels, side)

    def pool(self, x: _Image) -> _Image:
        """A pooling that halves the side."""
        side = max(1, x.side // 2)
        return _Image(self.build.op("MaxPool", float(x.channels * side**2), [x.op]), x.channels, side)

    def joined(self, kind: str, parts: Sequence[_Image], channels: int) -> _Image:
        """Several maps added or concatenated."""
        side = parts[0].side
        op = self.build.op(kind, float(channels * side**2), [p.op for p in parts])
        return _Image(op, channels, side)

    def basic(self, x: _Image, channels: int, stride: int) -> _Image:
        """Two or three convolutions beside a shortcut."""
        if self.rng.random() < 0.5:
            y = self.conv(self.conv(x, channels, 3, stride), channels, 3, act="")
        else:
            inner = max(8, channels // 4)
            y = self.conv(self.conv(self.conv(x, inner, 1), inner, 3, stride), channels, 1, act="")
        short = x if stride == 1 and x.channels == channels else self.conv(x, channels, 1, stride, act="")
        added = self.joined("Add", [y, short], channels)
        return _Image(self.build.op("Relu", added.values, [added.op]), channels, added.side)

    def inverted(self, x: _Image, channels: int, stride: int) -> _Image:
        """Widen, convolve each channel alone, weigh the channels (at times), narrow; a shortcut where shapes agree."""
        wide = x.channels * int(self.rng.integers(3, 7))
        y = self.conv(x, wide, 1)
        y = self.conv(y, wide, int(self.rng.choice((3, 5))), stride, groups=wide)
        if self.rng.random() < 0.4:
            b, few = self.build, max(4, wide // 4)
            mean = b.op("GlobalAveragePool", wide, [y.op])
            gate = b.op("Conv", few, [mean], wide * few, wide * few)
            gate = b.op("Conv", wide, [b.op("Relu", few, [gate])], wide * few, wide * few)
            y = _Image(b.op("Mul", y.values, [y.op, b.op("Sigmoid", wide, [gate])]), wide, y.side)
        y = self.conv(y, channels, 1, act="")
        if stride == 1 and x.channels == channels:
            y = self.joined("Add", [y, x], channels)
        return y

    def branched(self, x: _Image, channels: int, stride: int) -> _Image:
        """Two to four branches side by side, concatenated."""
        if stride > 1:
            x = self.pool(x)
        count = int(self.rng.integers(2, 5))
        each = max(8, channels // count)
        parts = []
        for i in range(count):
            y = self.conv(x, each, 1)
            for _ in range(min(i, 2)):
                y = self.conv(y, each, 3)
            parts.append(y)
        return self.joined("Concat", parts, each * count)

    def dense(self, x: _Image, channels: int, stride: int) -> _Image:
        """Layers that each read all before them, then a narrow one."""
        if stride > 1:
            x = self.pool(x)
        parts, growth = [x], max(8, channels // 8)
        for _ in range(int(self.rng.integers(3, 7))):
            wide = sum(p.channels for p in parts)
            whole = self.joined("Concat", parts, wide) if len(parts) > 1 else x
            parts.append(self.conv(self.conv(whole, 4 * growth, 1), growth, 3))
        return self.conv(self.joined("Concat", parts, sum(p.channels for p in parts)), channels, 1)


def convolutional(rng: np.random.Generator, ops: int) -> Graph:
    """A convolutional network of about ``ops`` ops: stages of blocks of one sort or two, which halve the side and widen."""
    b = _Builder()
    layers = _Convolutions(b, rng)
    side = int(rng.choice((64, 96, 128, 160, 224)))
    x = layers.conv(
        _Image(b.op("Input", 3.0 * side * side), 3, side), int(rng.choice((16, 24, 32, 64))), 3, 2
    )
    sorts: list[Callable[[_Image, int, int], _Image]] = [
        layers.basic,
        layers.inverted,
        layers.branched,
        layers.dense,
    ]
    drawn = rng.choice(4, int(rng.integers(1, 3)), replace=False)
    stages, channels = int(rng.integers(3, 6)), x.channels
    for stage in range(stages):
        channels = min(1024, int(channels * rng.choice((1.5, 2.0))) // 8 * 8)
        first = True
        while first or len(b.ops) < ops * (stage + 1) / stages - 4:
            block = sorts[int(rng.choice(drawn))]
            x = block(x, channels, 2 if first and x.side > 4 else 1)
            first = False
    mean = b.op("GlobalAveragePool", x.channels, [x.op])
    classes = int(rng.choice((10, 100, 1000)))
    b.op("Gemm", classes, [mean], x.channels * classes, x.channels * classes)
    return b.graph(f"convolutional_{len(b.ops)}")


def _linear(
    b: _Builder, inputs: Sequence[int], width: int, out: int, rows: int = 1, kind: str = "Gemm"
) -> int:
    return b.op(kind, float(rows * out), inputs, width * out + out, float(rows * width * out))


def _lstm(b: _Builder, x: int, width: int, hidden: int, state: tuple[int, int] | None) -> tuple[int, int]:
    """One step of an LSTM cell: ``(output, cell)``."""
    gates = _linear(b, [x], width, 4 * hidden)
    if state is not None:
        gates = b.op("Add", 4 * hidden, [gates, _linear(b, [state[0]], hidden, 4 * hidden)])
    cut = [b.op("Slice", hidden, [gates]) for _ in range(4)]
    cell = b.op("Mul", hidden, [b.op("Sigmoid", hidden, [cut[0]]), b.op("Tanh", hidden, [cut[2]])])
    if state is not None:
        kept = b.op("Mul", hidden, [b.op("Sigmoid", hidden, [cut[1]]), state[1]])
        cell = b.op("Add", hidden, [kept, cell])
    leave = b.op("Sigmoid", hidden, [cut[3]])
    return b.op("Mul", hidden, [leave, b.op("Tanh", hidden, [cell])]), cell


def _gru(b: _Builder, x: int, width: int, hidden: int, state: tuple[int, int] | None) -> tuple[int, int]:
    """One step of a GRU cell: the output twice."""
    here = _linear(b, [x], width, 3 * hidden)
    cut = [b.op("Slice", hidden, [here]) for _ in range(3)]
    if state is None:
        new = b.op("Mul", hidden, [b.op("Sigmoid", hidden, [cut[1]]), b.op("Tanh", hidden, [cut[2]])])
        return new, new
    past = _linear(b, [state[0]], hidden, 3 * hidden)
    was = [b.op("Slice", hidden, [past]) for _ in range(3)]
    reset, update = (b.op("Sigmoid", hidden, [b.op("Add", hidden, [cut[i], was[i]])]) for i in range(2))
    new = b.op("Tanh", hidden, [b.op("Add", hidden, [cut[2], b.op("Mul", hidden, [reset, was[2]])])])
    difference = b.op("Sub", hidden, [state[0], new])
    out = b.op("Add", hidden, [new, b.op("Mul", hidden, [update, difference])])
    return out, out


def recurrent(rng: np.random.Generator, ops: int) -> Graph:
    """A recurrent network of about ``ops`` ops: one to three layers of LSTM or GRU cells, unrolled over time."""
    b = _Builder()
    cell, per_cell = ((_lstm, 15), (_gru, 17))[int(rng.integers(2))]
    layers = int(rng.integers(1, 4))
    hidden = int(rng.choice((64, 128, 256, 512)))
    width = int(rng.choice((32, 64, 128, 256)))
    reading = int(rng.integers(3))
    steps = max(2, round(ops / (layers * per_cell + 2 * reading + 1)))
    heads = rng.random() < 0.5
    states: list[tuple[int, int] | None] = [None] * layers
    out = 0
    for _ in range(steps):
        x, size = b.op("Input", width), width
        for _ in range(reading):
            x = b.op("Relu", width, [_linear(b, [x], width, width)])
        for layer in range(layers):
            states[layer] = (x, _) = cell(b, x, size, hidden, states[layer])
            size = hidden
        if heads:
            out = _linear(b, [x], hidden, width)
        else:
            out = x
    if not heads:
        b.op("Softmax", 100, [_linear(b, [out], hidden, 100)])
    return b.graph(f"recurrent_{len(b.ops)}")


def transformer(rng: np.random.Generator, ops: int) -> Graph:
    """A transformer-like network of about ``ops`` ops: blocks of attention (all heads in one op) and two dense layers."""
    b = _Builder()
    width, length = int(rng.choice((128, 256, 512, 768))), int(rng.choice((16, 64, 128)))
    heads = int(rng.choice((2, 4, 8)))
    values = float(width * length)
    x = b.op("Gather", values, [b.op("Input", length)], width * 4000.0)
    while len(b.ops) < ops - 3:
        q, k, v = (_linear(b, [x], width, width, length, "MatMul") for _ in range(3))
        scores = b.op("MatMul", heads * length**2, [q, k], macs=float(width * length**2))
        scores = b.op("Softmax", heads * length**2, [b.op("Div", heads * length**2, [scores])])
        mixed = b.op("MatMul", values, [scores, v], macs=float(width * length**2))
        x = b.op("Add", values, [x, _linear(b, [mixed], width, width, length, "MatMul")])
        x = b.op("LayerNormalization", values, [x], 2 * width)
        wide = b.op("Gelu", 4 * values, [_linear(b, [x], width, 4 * width, length, "MatMul")])
        x = b.op("Add", values, [x, _linear(b, [wide], 4 * width, width, length, "MatMul")])
        x = b.op("LayerNormalization", values, [x], 2 * width)
    _linear(b, [b.op("Slice", width, [x])], width, 1000)
    return b.graph(f"transformer_{len(b.ops)}")


MAKERS = {"convolutional": convolutional, "recurrent": recurrent, "transformer": transformer}
