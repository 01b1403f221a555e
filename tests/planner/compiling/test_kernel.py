"""Kernels: compiled once, found again from anywhere, and interpreted meanwhile where nobody is to wait."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock

from planner.compiling import kernel as kernels
from planner.compiling.kernel import interpret, interpreting, interprets, look_again, njit
from planner.compiling.news import News
from planner.compiling.store import Store
from tests.conftest import PLAIN_KERNELS

pytestmark = pytest.mark.skipif(PLAIN_KERNELS, reason="nothing is compiled")
ROOT = Path(__file__).resolve().parents[3]


class Compiled(event.Listener):
    """What is compiled meanwhile."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def on_start(self, event: Any) -> None:
        self.names.append(event.data["dispatcher"].__name__)

    def on_end(self, event: Any) -> None:
        pass


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """An empty store."""
    store = Store(tmp_path / "kernels")
    monkeypatch.setattr(kernels, "store", lambda: store)
    monkeypatch.setattr(kernels.news, "wishes", {})
    return store


def added() -> Any:
    """The same kernel, new each time."""

    @njit(cache=True, nogil=True)
    def plus(x: Any, y: Any = 1) -> Any:
        return x + y

    return plus


def compiled(call: Any) -> list[str]:
    listener = Compiled()
    with event.install_listener("numba:compile", listener):
        call()
    return listener.names


def test_a_kernel_is_compiled_once_per_signature_and_loaded_then(kept: Store) -> None:
    assert compiled(lambda: added()(1, 2)) == ["plus"]
    again = added()
    assert compiled(lambda: again(1, 2)) == []
    assert again(1, 2) == 3 and again(1) == 2
    assert compiled(lambda: added()(1.5, 2)) == ["plus"]


def test_a_damaged_file_is_compiled_again(kept: Store) -> None:
    added()(1, 2)
    assert kept.folder is not None
    for name in [path.stem for path in kept.folder.glob("*.kernel")]:
        kept.save(name, b"what numba makes nothing of")
    assert compiled(lambda: added()(1, 2)) == ["plus"]
    assert compiled(lambda: added()(1, 2)) == []


def test_where_nobody_is_to_wait_it_is_interpreted_until_it_is_compiled(kept: Store) -> None:
    kernel = added()
    with interpreting():
        assert interprets()
        assert compiled(lambda: kernel(np.int32(4))) == []
        assert kernel(4) == 5
        assert kernel.signatures == []
        other = threading.Thread(target=lambda: added()(4))
        other.start()
        other.join()
        assert kernel(4) == 5 and kernel.signatures == []  # nobody told it
        look_again()
        assert compiled(lambda: kernel(4)) == []
        assert len(kernel.signatures) == 1
    assert not interprets()


def test_who_interprets_does_not_wait_for_the_compiler(kept: Store) -> None:
    added()(4)
    kernel, busy, done = added(), threading.Event(), threading.Event()

    def compile_something() -> None:
        with global_compiler_lock:
            kernels.news.busy(1)
            busy.set()
            done.wait(60)
            kernels.news.busy(-1)

    other = threading.Thread(target=compile_something)
    other.start()
    busy.wait()
    with interpreting():
        assert kernel(4) == 5 and kernel.signatures == []
        done.set()
        other.join()
        assert kernel(4) == 5 and len(kernel.signatures) == 1


def test_who_asked_is_told_of_each_kernel_before_it_is_compiled(
    kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    @njit(cache=True)
    def outer(x: Any) -> Any:
        return inner(x)

    inner = added()
    news, said = News(), list[tuple[int, int, float]]()
    monkeypatch.setattr(kernels, "news", news)
    news.tell(lambda number: said.append((number, len(outer.signatures), news.seconds)))
    assert outer(2) == 3
    assert [(number, done) for number, done, _ in said] == [(1, 0), (2, 0), (0, 1)], "and that it is over"
    took = news.seconds
    assert news.compiling == 0 and took > said[0][2]
    assert added()(1.5) == 2.5 and [number for number, *_ in said] == [1, 2, 0, 3, 0] and news.seconds > took


def test_where_everything_is_kept_nobody_is_told(kept: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    added()(1, 2)
    news, said = News(), list[int]()
    monkeypatch.setattr(kernels, "news", news)
    news.tell(said.append)
    assert added()(1, 2) == 3
    assert said == [] and news.seconds == 0.0
    news.tell(None)
    assert added()(1.5) == 2.5 and said == [] and news.seconds > 0.0


def test_each_thread_decides_for_itself() -> None:
    said: list[bool] = []
    interpret(True)
    try:
        with interpreting(False):
            assert not interprets()
        other = threading.Thread(target=lambda: said.append(interprets()))
        other.start()
        other.join()
        assert interprets() and said == [False]
    finally:
        interpret(False)


def test_errors_of_a_kernel_end_its_turn(kept: Store) -> None:
    @njit(cache=True)
    def wrong(x: Any) -> Any:
        return x.nothing_of_that_name

    with pytest.raises(Exception, match="nothing_of_that_name"):
        wrong(1)
    assert not wrong._cache._turns


PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
from numba.core import event
import planner.compiling.kernel
from moving import plus
class Listener(event.Listener):
    def on_start(self, event): print("compiled", event.data["dispatcher"].__name__)
    def on_end(self, event): pass
event.register("numba:compile", Listener())
print(plus(1.0))
"""


def test_a_folder_that_moves_and_another_checkout_find_it(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "moving.py").write_text(
        "from planner.compiling.kernel import njit\n\n@njit(cache=True)\ndef plus(x):\n    return x + 1\n"
    )
    environment = {"STAGEBOARD_KERNELS": str(tmp_path / "kernels"), "PYTHONPATH": str(ROOT), "PATH": ""}

    def said(folder: Path) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM.format(folder=str(folder))],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.split("\n")[:-1]

    assert said(tmp_path / "one") == ["compiled plus", "2.0"]
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    (tmp_path / "one").rename(tmp_path / "moved")
    assert said(tmp_path / "moved") == said(tmp_path / "two") == ["2.0"]


def test_two_processes_do_not_compile_the_same(tmp_path: Path) -> None:
    (tmp_path / "moving.py").write_text(
        "from planner.compiling.kernel import njit\n\n@njit(cache=True)\ndef plus(x):\n    return x + 1\n"
    )
    environment = {"STAGEBOARD_KERNELS": str(tmp_path / "kernels"), "PYTHONPATH": str(ROOT), "PATH": ""}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM.format(folder=str(tmp_path))],
            env=environment, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    texts = [process.communicate()[0] for process in both]
    assert sum("compiled plus" in text for text in texts) == 1
    assert all("2.0" in text for text in texts)


def test_what_is_interpreted_overflows_as_silently_as_compiled_code(kept: Store) -> None:
    @njit(cache=True)
    def double(x: Any) -> Any:
        return x * np.int32(2)

    before = np.geterr()
    with interpreting():
        assert double(np.int32(2**30)) == -(2**31)
    assert np.geterr() == before


def test_a_form_that_is_missing_is_interpreted_and_wished_for(kept: Store) -> None:
    added()(4)
    kernel = added()
    with interpreting():
        assert kernel(4) == 5 and len(kernel.signatures) == 1
        assert kernel(4.5) == kernel(4.5) == 5.5 and len(kernel.signatures) == 1
        assert compiled(kernels.compile_wishes) == ["plus"]
        assert interprets() and kernel(4.5) == 5.5 and len(kernel.signatures) == 2


def words() -> tuple[Any, Any]:
    """Two kernels whose words wrap around, which Python does not let them: by an argument, and by a constant."""

    @njit(cache=True, nogil=True)
    def flipped(state: Any) -> Any:
        return state[0] & ~1

    @njit(cache=True, nogil=True)
    def least(x: Any) -> Any:
        return np.uint64(x) - np.uint64(2)

    return flipped, least


def test_words_without_a_sign_are_never_interpreted(kept: Store) -> None:
    flipped, least = words()
    with interpreting():
        assert flipped(np.array([7], np.uint64)) == 6
        assert least(1) == 2**64 - 1
    assert flipped.signatures and least.signatures
