"""Where compiled kernels are kept: whole, private, and one process at a time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planner.compiling import store as stores
from planner.compiling.store import FOLDER, SUFFIX, Store, chosen_folder, spare_folder
from planner.errors import StageboardError

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no owners here")


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    store = Store(tmp_path / "a" / "kernels")
    assert not store.has("k") and store.load("k") is None
    store.save("k", b"code")
    assert store.has("k") and store.load("k") == b"code"
    assert store.folder is not None and store.folder.stat().st_mode & 0o777 == 0o700
    assert Store(tmp_path / "a" / "kernels").load("k") == b"code"


@pytest.mark.parametrize("damage", [b"", b"stageboard kernel 1\n", b"nonsense" * 20])
def test_what_is_damaged_is_removed_and_not_believed(tmp_path: Path, damage: bytes) -> None:
    store = Store(tmp_path / "kernels")
    store.save("k", b"code")
    (tmp_path / "kernels" / f"k{SUFFIX}").write_bytes(damage)
    assert store.load("k") is None
    assert not store.has("k")


def test_one_changed_byte_is_noticed(tmp_path: Path) -> None:
    store = Store(tmp_path / "kernels")
    store.save("k", b"code")
    path = tmp_path / "kernels" / f"k{SUFFIX}"
    path.write_bytes(path.read_bytes()[:-1] + b"f")
    assert store.load("k") is None


def test_links_are_not_followed(tmp_path: Path) -> None:
    store = Store(tmp_path / "kernels")
    store.save("k", b"code")
    path = tmp_path / "kernels" / f"k{SUFFIX}"
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert store.load("k") is None
    (tmp_path / "link").symlink_to(tmp_path / "kernels")
    assert Store(tmp_path / "link").folder is None


def test_what_belongs_to_others_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "kernels")
    store.save("k", b"code")
    real = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: real + 1)
    assert Store(tmp_path / "kernels").folder is None
    assert store.load("k") is None


def test_a_folder_that_others_could_enter_is_closed(tmp_path: Path) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels").chmod(0o777)
    assert Store(tmp_path / "kernels").folder is not None
    assert (tmp_path / "kernels").stat().st_mode & 0o777 == 0o700


def test_without_a_folder_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = Store(tmp_path / "file" / "kernels")
    store.save("k", b"code")
    store.remove("k")
    store.prune()
    assert (
        store.folder is None and not store.has("k") and store.load("k") is None and not store.take("k", 0.0)
    )
    store.give("k")


def test_what_nobody_used_for_long_is_removed(tmp_path: Path) -> None:
    store = Store(tmp_path / "kernels")
    long_ago = time.time() - 2 * stores.UNUSED_SECONDS
    for name in ("old", "new", "used"):
        store.save(name, b"code")
    (tmp_path / "kernels" / ".half.tmp").write_text("")
    for name in (f"old{SUFFIX}", f"used{SUFFIX}", ".half.tmp"):
        os.utime(tmp_path / "kernels" / name, (long_ago, long_ago))
    assert store.load("used") == b"code"
    store.prune()
    assert not store.has("old") and store.has("new") and store.has("used")
    assert not (tmp_path / "kernels" / ".half.tmp").exists()


def test_only_one_process_has_a_turn_and_its_end_gives_it_back(tmp_path: Path) -> None:
    store = Store(tmp_path / "kernels")
    program = (
        "import sys; from pathlib import Path; from planner.compiling.store import Store\n"
        f"print(Store(Path({str(tmp_path / 'kernels')!r})).take('k', 0.0), flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin is not None and other.stdout is not None
        assert other.stdout.readline() == "True\n"
        assert not store.take("k", 0.0)
        assert store.take("another", 0.0)
        other.kill()
        other.wait()
    assert store.take("k", 5.0)
    store.give("k")


def test_the_folder_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path / "own"))
    assert chosen_folder() == tmp_path / "own"
    monkeypatch.delenv(FOLDER)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    assert chosen_folder() == tmp_path / "numba" / "stageboard-kernels"
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert chosen_folder().parent.name == "stageboard"


def test_a_full_disk_only_means_that_it_is_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "kernels")

    def full(path: Path, content: bytes) -> None:
        raise StageboardError(f"{path} cannot be written (no space left on device)")

    monkeypatch.setattr(stores, "write_atomically", full)
    store.save("k", b"code")
    assert not store.has("k") and store.load("k") is None


@pytest.mark.parametrize("reason", ["full", "read-only"])
def test_what_cannot_be_written_is_kept_in_the_spare_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    home, spare = tmp_path / "home", tmp_path / "spare"
    home.mkdir()
    write, opened = stores.write_atomically, os.open

    def at_home(path: Path) -> bool:
        return home in Path(path).parents

    def refuse_writing(path: Path, content: bytes) -> None:
        if at_home(path):
            raise StageboardError(f"{path} cannot be written ({reason})")
        write(path, content)

    def refuse_turns(path: Path, flags: int, mode: int = 0o777) -> int:
        if at_home(path) and flags & os.O_CREAT:
            raise OSError(30, "Read-only file system")
        return opened(path, flags, mode)

    before = Store(home / "kernels", spare)
    before.save("old", b"old code")
    assert before.take("old", 0.0)
    before.give("old")
    assert not spare.exists()  # made when it is needed
    monkeypatch.setattr(stores, "write_atomically", refuse_writing)
    if reason == "read-only":
        monkeypatch.setattr(os, "open", refuse_turns)
    store = Store(home / "kernels", spare)
    assert store.load("old") == b"old code" and not store.has("k")
    store.save("k", b"code")
    assert spare.stat().st_mode & 0o777 == 0o700
    assert store.take("k", 0.0) and (spare / stores.TURNS).exists() == (reason == "read-only")
    store.give("k")
    for one in (store, Store(home / "kernels", spare)):
        assert one.has("k") and one.load("k") == b"code"
    store.prune()
    assert store.has("k")
    store.remove("k")
    assert not store.has("k")


def test_the_spare_folder_is_this_users_and_only_for_the_usual_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.setenv(FOLDER, str(tmp_path / "own"))
    assert spare_folder() is None
    monkeypatch.delenv(FOLDER)
    found = spare_folder()
    assert found is not None and found.name == f"stageboard-kernels-{os.geteuid()}"
