"""What a kernel is: the same wherever it lies, another with every helper and constant that it uses."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from planner.compiling.identity import Identity
from planner.compiling.kernel import Kernel, njit
from tests.conftest import PLAIN_KERNELS

pytestmark = pytest.mark.skipif(PLAIN_KERNELS, reason="nothing is compiled")

SOURCE = '''
import numpy as np
from numba.extending import intrinsic
from planner.compiling.kernel import njit

LIMIT = 3
TABLE = np.arange(4)

@intrinsic
def special(context, word):
    return None

@njit(nogil=True)
def helper(x):
    """Twice."""
    return x * LIMIT + TABLE[1]

@njit(cache=True, nogil=True)
def kernel(x, y=2):
    # a remark
    return helper(x) + y

@njit(cache=True)
def recursive(n):
    return n if n < 2 else recursive(n - 1)

@njit(cache=True)
def bits(x):
    return special(x)
'''


def digest(source: str = SOURCE, name: str = "kernel", path: str = "a.py") -> str:
    return identity(source, name, path).digest


def identity(source: str = SOURCE, name: str = "kernel", path: str = "a.py") -> Identity:
    module = ModuleType("somewhere")
    exec(compile(source, path, "exec"), module.__dict__)
    kernel: Any = getattr(module, name)
    assert isinstance(kernel, Kernel)
    return Identity(kernel)


def test_it_is_the_same_wherever_the_file_lies_and_whatever_remarks_it_has() -> None:
    assert digest() == digest(path="/elsewhere/b.py")
    assert digest() == digest("\n\n" + SOURCE.replace("# a remark", "# another").replace("Twice.", "Thrice."))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("np.arange(4)", "np.arange(1, 5)"),
        ("x * LIMIT", "x + LIMIT"),
        ("y=2", "y=3"),
        ("@njit(nogil=True)", "@njit(nogil=True, error_model='numpy')"),
    ],
)
def test_it_is_another_where_something_changes_that_it_uses(old: str, new: str) -> None:
    assert old in SOURCE
    assert digest(SOURCE.replace(old, new)) != digest()


def test_what_it_does_not_use_is_nothing_to_it() -> None:
    assert digest(SOURCE.replace("LIMIT = 3", "LIMIT = 4"), "recursive") == digest(name="recursive")


def test_a_kernel_that_calls_itself_comes_to_an_end() -> None:
    assert digest(name="recursive") != digest()


def test_instructions_that_only_compiled_code_has_are_noticed() -> None:
    assert identity(name="bits").compiled_only
    assert not identity().compiled_only


def test_what_it_closes_over_counts() -> None:
    def made(step: int) -> Any:
        @njit(cache=True)
        def kernel(x: int) -> int:
            return x + step

        return kernel

    assert Identity(made(1)).digest == Identity(made(1)).digest != Identity(made(2)).digest
