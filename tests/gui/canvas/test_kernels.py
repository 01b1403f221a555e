"""No kernel sorts with ``np.sort``: numba's helpers for it and for ``np.argsort`` share their symbol names.

Both are closures of one factory, named alike for the same array type. Once two cached kernels of different modules are
loaded into one process, the first one's helper serves both, and a kernel that wanted an argsort runs a sort: it crashed
the window, depending on what had been compiled in which order. ``a[np.argsort(a)]`` is the way out.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
MODULES = [
    p for room in ("planner", "gui") for p in sorted((ROOT / room).rglob("*.py")) if "njit" in p.read_text()
]
FORBIDDEN = {"sort", "unique", "median", "sorted"}


def kernels(tree: ast.Module) -> list[ast.FunctionDef]:
    return [
        f
        for f in ast.walk(tree)
        if isinstance(f, ast.FunctionDef) and any("njit" in ast.unparse(d) for d in f.decorator_list)
    ]


@pytest.mark.parametrize("module", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_kernels_use_argsort_only(module: Path) -> None:
    for kernel in kernels(ast.parse(module.read_text())):
        for call in (c for c in ast.walk(kernel) if isinstance(c, ast.Call)):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            assert name not in FORBIDDEN, f"{module.name}:{call.lineno} {kernel.name} calls {name}"


def test_there_are_kernels_to_look_at() -> None:
    assert sum(len(kernels(ast.parse(m.read_text()))) for m in MODULES) > 40
