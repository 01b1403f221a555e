"""One run of connections into one neuron, its sums held in vector registers: the instructions that numba cannot be brought to emit.

Written in LLVM's own language, because numba keeps an accumulator of more than one vector in memory: each connection would
then load and store what it adds to. The type of a vector is 16 floats whatever the machine; LLVM splits it where registers are
narrower. There is no plain Python beside it: with NUMBA_DISABLE_JIT programs are compiled but cannot be run.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

LANES = 16
"""Floats of one vector."""

_FLOAT = ir.FloatType()
_WORD = ir.IntType(64)
_VECTOR = ir.VectorType(_FLOAT, LANES)


@intrinsic
def accumulate(
    typing_context, vectors, into, rows, stride, sources, weights, begin, end, first, bias, floor
):  # fmt: skip
    """Add one run to one neuron, for ``vectors`` (a literal) x 16 columns of the batch.

    ``into`` and ``rows`` are addresses (int64) of the neuron's values and of row 0 of those that are read, rows being
    ``stride`` bytes apart. Connections ``begin`` to ``end`` of ``sources`` (int32, rows) and ``weights`` (float32) are added
    to ``bias`` where this is the neuron's ``first`` run, else to what is there; less than ``floor`` becomes ``floor``.
    """
    if not isinstance(vectors, types.IntegerLiteral):
        return None
    count = vectors.literal_value
    signature = types.void(
        vectors, types.int64, types.int64, types.int64, sources, weights, types.int64, types.int64, types.boolean,
        types.float32, types.float32,
    )  # fmt: skip

    def generate(context, builder, signature, args):
        _, into, rows, stride, sources, weights, begin, end, first, bias, floor = args
        index = context.make_array(signature.args[4])(context, builder, sources).data
        weight = context.make_array(signature.args[5])(context, builder, weights).data
        _run(builder, count, into, rows, stride, index, weight, begin, end, first, bias, floor)
        return context.get_dummy_value()

    return signature, generate


def _run(
    b: ir.IRBuilder, count: int, into: Any, rows: Any, stride: Any, index: Any, weight: Any, begin: Any, end: Any,
    first: Any, bias: Any, floor: Any,
) -> None:  # fmt: skip
    """Blocks: the sums begin as the bias or as what is there, the loop adds, the end stores."""
    fresh, partial, start, loop, done = (
        b.append_basic_block(name) for name in ("fresh", "partial", "start", "loop", "done")
    )
    multiply_add = _declare(b.module, "llvm.fmuladd.v16f32", [_VECTOR] * 3)
    b.cbranch(first, fresh, partial)

    b.position_at_end(fresh)
    biases = _splat(b, bias)
    b.branch(start)

    b.position_at_end(partial)
    held = [b.load(place, align=4) for place in _places(b, into, count)]
    b.branch(start)

    b.position_at_end(start)
    begun = []
    for i in range(count):
        value = b.phi(_VECTOR)
        value.add_incoming(biases, fresh)
        value.add_incoming(held[i], partial)
        begun.append(value)
    b.branch(loop)  # a run has at least one connection

    b.position_at_end(loop)
    k = b.phi(_WORD)
    sums = [b.phi(_VECTOR) for _ in range(count)]
    source = b.sext(b.load(b.gep(index, [k])), _WORD)
    factor = _splat(b, b.load(b.gep(weight, [k])))
    row = b.add(rows, b.mul(source, stride))
    added = [
        b.call(multiply_add, [factor, b.load(place, align=4), total])
        for place, total in zip(_places(b, row, count), sums, strict=True)
    ]
    following = b.add(k, ir.Constant(_WORD, 1))
    k.add_incoming(begin, start)
    k.add_incoming(following, loop)
    for i in range(count):
        sums[i].add_incoming(begun[i], start)
        sums[i].add_incoming(added[i], loop)
    b.cbranch(b.icmp_signed("<", following, end), loop, done)

    b.position_at_end(done)
    least = _splat(b, floor)
    for place, total in zip(_places(b, into, count), added, strict=True):
        # In this order what is not a number stays so, as in numpy.
        b.store(b.select(b.fcmp_ordered(">", least, total), least, total), place, align=4)


def _declare(module: ir.Module, name: str, arguments: list[Any]) -> Any:
    return module.globals.get(name) or ir.Function(module, ir.FunctionType(_VECTOR, arguments), name)


def _splat(b: ir.IRBuilder, value: Any) -> Any:
    """The value in all lanes."""
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    one = b.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    return b.shuffle_vector(one, undefined, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


def _places(b: ir.IRBuilder, address: Any, count: int) -> list[Any]:
    """Pointers to ``count`` vectors that follow each other from ``address`` on."""
    start = b.inttoptr(address, _FLOAT.as_pointer())
    return [
        b.bitcast(b.gep(start, [ir.Constant(_WORD, LANES * i)]), _VECTOR.as_pointer()) for i in range(count)
    ]
