"""Libraries from the store: loaded without what only compiles, and linked when a kernel is compiled that calls theirs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.compiling import kernel as kernels
from planner.compiling.kernel import njit
from planner.compiling.library import KeptLibrary
from planner.compiling.store import FOLDER, Store
from tests.conftest import PLAIN_KERNELS

pytestmark = pytest.mark.skipif(PLAIN_KERNELS, reason="nothing is compiled")
ROOT = Path(__file__).resolve().parents[3]

PROGRAM = """
import sys
import numpy as np
from planner.methods.orders import kahn_order
print(kahn_order(np.array([0, 1, 1], np.int64), np.array([1], np.int32), np.array([0.0, 1.0])))
print(sorted({"numba.np.linalg", "scipy.linalg"} & set(sys.modules)))
"""

SUMS = """
import sys
import numpy as np
from planner.compiling.kernel import njit

@njit(cache=True, nogil=True)
def half_of_sum(values):
    if values.size == 0:
        raise ValueError("no values")
    return np.sort(values)[::-1].sum() / 2

values = np.arange(4.0)
print(half_of_sum(values))
print(sorted({"numba.cpython.unicode", "numba.np.arraymath", "scipy.linalg"} & set(sys.modules)))
try:
    half_of_sum(values[:0])
except ValueError as error:
    print(error)

@njit
def mean_of_halves(values):
    return half_of_sum(values) / values.mean()

print(mean_of_halves(values))
"""


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """An empty store."""
    store = Store(tmp_path / "kernels")
    monkeypatch.setattr(kernels, "store", lambda: store)
    return store


def squares() -> Any:
    """The same two kernels, new each time: the second calls the first."""

    @njit(cache=True, nogil=True)
    def square(values: Any) -> Any:
        return values * values

    @njit(cache=True, nogil=True)
    def sum_of_squares(values: Any) -> Any:
        return square(values).sum()

    return square, sum_of_squares


def test_a_loaded_kernel_is_not_looked_into_until_another_is_linked_with_it(kept: Store) -> None:
    values = np.arange(4.0)
    squares()[0](values)
    square, sum_of_squares = squares()
    assert list(square(values)) == [0, 1, 4, 9]
    library = next(iter(square.overloads.values())).library
    assert isinstance(library, KeptLibrary) and library._kept is not None
    assert library.get_pointer_to_function("no such function") == 0
    assert sum_of_squares(values) == 14  # compiled here, with what was loaded
    assert library._kept is None
    assert squares()[1](values) == 14  # loaded, too


def test_a_program_that_compiles_nothing_imports_no_compiler(tmp_path: Path) -> None:
    def run() -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, cwd=ROOT,
            env={FOLDER: str(tmp_path), "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        return done.stdout.splitlines()

    order, modules = run()
    assert "numba.np.linalg" in modules
    assert run() == [order, "[]"]


def test_what_a_kernel_was_compiled_with_is_not_imported_until_another_is_compiled(tmp_path: Path) -> None:
    program = tmp_path / "sums.py"
    program.write_text(SUMS)

    def run() -> list[str]:
        done = subprocess.run(
            [sys.executable, program], capture_output=True, text=True, check=True, cwd=ROOT,
            env={FOLDER: str(tmp_path / "kernels"), "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        return done.stdout.splitlines()

    assert run() == [
        "3.0",
        "['numba.cpython.unicode', 'numba.np.arraymath', 'scipy.linalg']",
        "no values",
        "2.0",
    ]
    assert run() == ["3.0", "[]", "no values", "2.0"]
