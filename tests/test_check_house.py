"""The checks of the house find what they are for, and nothing in a house that is in order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_setup import tool

check_house = tool("check_house")

TARGET = """
class Turntable(Target):
    kind: ClassVar[str] = "turn-table"
"""


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Path]:
    """A small house in order."""
    write(tmp_path, "planner/machines/turntable/target.py", TARGET)
    write(tmp_path, "planner/core.py", "from planner import leaf\n")
    write(tmp_path, "planner/leaf.py", "")
    write(tmp_path, "gui/window.py", "from planner.core import leaf\n")
    yield tmp_path


def write(root: Path, name: str, text: str) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_a_house_in_order_passes(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_house.main(house) == 0
    assert "the house is in order" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("planner/leaf.py", "def late():\n    from planner import core\n", "import circle: planner.core, planner.leaf"),
        (
            "planner/leaf.py",
            "if TYPE_CHECKING:\n    import planner.core\n",
            "import circle: planner.core, planner.leaf",
        ),
        ("planner/leaf.py", "x = Turntable(3)\n", "planner/leaf.py:1 names Turntable"),
        ("gui/panel.py", "if kind == 'turn-table':\n    pass\n", "gui/panel.py:1 names the kind 'turn-table'"),
        ("planner/leaf.py", "\n" * 401, "planner/leaf.py has 401 lines"),
        ("planner/leaf.py", "def long():\n" + "    x = 1\n" * 90, "planner/leaf.py:1 long has 91 lines"),
    ],
)  # fmt: skip
def test_what_is_out_of_order_is_said(
    name: str, text: str, said: str, house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(house, name, text)
    assert check_house.main(house) == 1
    assert said in capsys.readouterr().out


def test_a_crowded_folder_is_said(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for i in range(33):
        write(house, f"planner/crowd/m{i}.py", "")
    assert check_house.main(house) == 1
    assert "planner/crowd has 33 files" in capsys.readouterr().out


def test_kernels_may_be_long_and_rooms_name_their_machine(house: Path) -> None:
    write(house, "planner/kernels.py", "@njit(cache=True)\ndef long():\n" + "    x = 1\n" * 90)
    write(house, "planner/machines/turntable/rules.py", "x = Turntable('turn-table')\n")
    assert check_house.main(house) == 0


ARRAYS = """
Ints = NDArray[np.int32]

class Base:
    \"\"\"Something with ``given`` int32[n].\"\"\"

    def inherited(self, ops: Ints) -> Ints:
        \"\"\"Devices of ``ops`` (int32[m] each).\"\"\"

    def named(self, given: Ints) -> int:
        \"\"\"How many there are.\"\"\"

class Heir(Base):
    def inherited(self, ops: Ints) -> Ints:
        \"\"\"The same from zero on.\"\"\"

    def _private(self, ops: Ints) -> Ints: ...

    def handed(self, key: Callable[[Ints], float]) -> float:
        \"\"\"The least key.\"\"\"
"""


def test_arrays_whose_shape_is_said_pass(house: Path) -> None:
    write(house, "planner/arrays.py", ARRAYS)
    assert check_house.main(house) == 0


@pytest.mark.parametrize(
    "text",
    [
        "def bare(ops: Ints) -> int:\n    '''How many ops.'''\n",
        "def bare(ops: Sequence[Ints] | None = None) -> int: ...\n",
        "def bare(count: int) -> tuple[int, np.ndarray]:\n    '''The units of shape count.'''\n",
        "class Kept:\n    '''A plan.'''\n\n    def bare(self, ops: 'Ints') -> int:\n        '''How many ops.'''\n",
        "class Kept:\n    '''A plan.'''\n\n    def __init__(self, ops: Ints) -> None: ...\n",
    ],
)
def test_arrays_without_a_shape_are_said(text: str, house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(house, "planner/arrays.py", ARRAYS)
    write(house, "planner/leaf.py", text)
    assert check_house.main(house) == 1
    assert "has arrays; say their shape in its docstring" in capsys.readouterr().out
