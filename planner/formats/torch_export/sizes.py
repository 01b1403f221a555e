"""Symbolic sizes of exported programs: what they are once the batch is bound.

A dynamic dimension is a symbol (``s0``), and sizes behind it are expressions of symbols, written as sympy's ``str`` (``2*s0``) or
``srepr`` (``Mul(Integer(2), Symbol('s0', positive=True, integer=True))``). Python's parser makes a tree of them; sums, products, powers, whole
quotients and remainders are worked out here, and nothing in them is evaluated by Python.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import lru_cache, reduce

from planner.formats.torch_export.records import Expression, Size

LONGEST = 2000
_SIGNS = re.compile(r"[\w\s+*/%(),.'=-]+", re.ASCII)
_RUN_TOGETHER = re.compile(r"(?<!\w)\d+[A-Za-z_]")
_LARGEST = 2**63 - 1
_WORDS = {"Add": ast.Add, "Mul": ast.Mult, "Pow": ast.Pow, "FloorDiv": ast.FloorDiv, "CleanDiv": ast.FloorDiv, "Mod": ast.Mod, "PythonMod": ast.Mod}  # fmt: skip


class Unknown(Exception):
    """An expression says what is not worked out here."""


class Sizes:
    """Sizes of tensors with symbols bound: those of the batch to ``batch``, others to what they were at export."""

    def __init__(self, batch: int) -> None:
        self.batch = batch
        self.bound: dict[str, int] = {}
        self.guessed: dict[str, int] = {}
        """Symbols that are no batch, with the value that is taken for them."""

    def bind_batch(self, size: Size) -> bool:
        """Let a first size of an input be the batch; whether it is a symbol."""
        name = symbol(size.as_expr)
        if name:
            self.bound[name] = self.batch
        return bool(name)

    def note(self, size: Size) -> None:
        """Take a symbol that stands alone for what it was at export."""
        name = symbol(size.as_expr)
        if name and name not in self.bound:
            self.guessed[name] = self.bound[name] = _hint(size.as_expr) or 1

    def value(self, size: Size) -> int:
        """A size as a number; one that cannot be worked out is what it was at export, else 1."""
        if size.as_expr is None:
            return 1 if size.as_int is None else int(size.as_int)
        try:
            found = _worked_out(_tree(size.as_expr.expr_str), self.bound)
            return max(0, min(found, _LARGEST))
        except (Unknown, ValueError, ZeroDivisionError, OverflowError):
            return _hint(size.as_expr) or 1


def symbol(expression: Expression | None) -> str:
    """The name of a symbol that stands alone; empty for anything else."""
    if expression is None:
        return ""
    try:
        tree = _tree(expression.expr_str)
    except Unknown:
        return ""
    return _name(tree)


def _hint(expression: Expression | None) -> int:
    value = expression.hint.as_int if expression is not None and expression.hint is not None else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST else 0


@lru_cache(maxsize=4096)
def _tree(text: str) -> ast.expr:
    # What else Python could read is no size, and parts of it would make the parser warn.
    if len(text) > LONGEST or not _SIGNS.fullmatch(text) or _RUN_TOGETHER.search(text):
        raise Unknown
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unknown from None


def _name(tree: ast.expr) -> str:
    if isinstance(tree, ast.Name):
        return tree.id
    if (
        isinstance(tree, ast.Call)
        and isinstance(tree.func, ast.Name)
        and tree.func.id == "Symbol"
        and tree.args
    ):
        first = tree.args[0]
        return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
    return ""


def _worked_out(tree: ast.expr, bound: Mapping[str, int]) -> int:
    if name := _name(tree):
        if name not in bound:
            raise Unknown
        return bound[name]
    if isinstance(tree, ast.Constant) and type(tree.value) is int:
        return tree.value
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return -_worked_out(tree.operand, bound)
    if isinstance(tree, ast.BinOp):
        return _combined(type(tree.op), _worked_out(tree.left, bound), _worked_out(tree.right, bound))
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.args:
        values = [_worked_out(arg, bound) for arg in tree.args]
        if tree.func.id == "Integer" and len(values) == 1:
            return values[0]
        if tree.func.id in ("Max", "Min"):
            return (max if tree.func.id == "Max" else min)(values)
        if kind := _WORDS.get(tree.func.id):
            return reduce(lambda a, b: _combined(kind, a, b), values)
    raise Unknown


def _combined(kind: type[ast.AST], left: int, right: int) -> int:
    if kind is ast.Add:
        found = left + right
    elif kind is ast.Sub:
        found = left - right
    elif kind is ast.Mult:
        found = left * right
    elif kind is ast.FloorDiv:
        found = left // right
    elif kind is ast.Mod:
        found = left % right
    elif kind is ast.Pow and 0 <= right <= 8:
        found = left**right
    else:
        raise Unknown
    if abs(found) > _LARGEST:
        raise Unknown
    return found
