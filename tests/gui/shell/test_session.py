"""The session: what is kept comes back, and whatever the file holds, reading it never fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QByteArray

from gui.shell.session import MOST_RECENT, SavedPlan, Session, settings_path
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from tests.gui.models import chain_graph

pytestmark = pytest.mark.usefixtures("qapp")


def again(session: Session, path: Path) -> Session:
    session.sync()
    return Session(path)


def test_the_file_is_in_the_configuration_folder(own_settings: Path) -> None:
    assert settings_path().is_relative_to(own_settings)
    session = Session()
    session.theme = "dark"
    session.sync()
    assert settings_path().exists()


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "session.ini"
    session = Session(path)
    assert session.recent == []
    assert session.theme == "system"
    assert session.place("window")[0].isEmpty()
    session.keep_place("window", QByteArray(b"\x00\x01geometry"), QByteArray(b"layout"))
    session.theme = "light"
    session.set_value("view", "lanes")
    session = again(session, path)
    assert session.place("window") == (QByteArray(b"\x00\x01geometry"), QByteArray(b"layout"))
    assert session.theme == "light"
    assert session.value("view") == "lanes"
    assert session.value("other", "default") == "default"
    with pytest.raises(ValueError, match="theme"):
        session.theme = "pink"


def test_recent_files(tmp_path: Path) -> None:
    session = Session(tmp_path / "session.ini")
    heard: list[None] = []
    session.recent_changed.connect(lambda: heard.append(None))
    files = [tmp_path / f"model, {i} = é.onnx" for i in range(MOST_RECENT + 3)]
    for file in files:
        session.add_recent((file,))
    session.add_recent((files[-2],))
    session.add_recent((files[0], files[1]))
    session.add_recent(())
    assert len(session.recent) == MOST_RECENT
    assert session.recent[:3] == [(files[0], files[1]), (files[-2],), (files[-1],)]
    assert again(session, tmp_path / "session.ini").recent == session.recent
    session.clear_recent()
    assert session.recent == []
    assert len(heard) == len(files) + 3


def test_plans_saved_lately(tmp_path: Path) -> None:
    session = Session(tmp_path / "session.ini")
    model, plans = tmp_path / "model.onnx", [tmp_path / f"{i}.plan.json" for i in range(MOST_RECENT + 2)]
    for plan in plans:
        session.add_plan(plan, (model,), "same")
    session.add_plan(plans[0], (model,), "other")
    session.add_plan(plans[1], (), "a model of no file cannot be opened again")
    assert len(session.saved_plans) == MOST_RECENT
    assert session.saved_plans[:2] == [
        SavedPlan(plans[0], (model,), "other"),
        SavedPlan(plans[-1], (model,), "same"),
    ]
    assert again(session, tmp_path / "session.ini").saved_plans == session.saved_plans
    assert not session.saved_plans[0].is_there
    session.clear_recent()
    assert session.saved_plans == []


def test_the_target_of_each_model(tmp_path: Path) -> None:
    session = Session(tmp_path / "session.ini")
    graph, other = chain_graph(), chain_graph(9)
    assert session.target_for(graph) is None
    session.keep_target(graph, DevicePool(accelerators=5, contiguous=False), "gpipe")
    session.keep_target(other, Pipeline(count=7, memory=8e6, bandwidth=1e9), "bottleneck")
    session = again(session, tmp_path / "session.ini")
    assert session.target_for(graph) == (DevicePool(accelerators=5, contiguous=False), "gpipe")
    assert session.target_for(other) == (Pipeline(count=7, memory=8e6, bandwidth=1e9), "bottleneck")


@given(
    st.dictionaries(
        st.sampled_from(["recent", "targets", "theme", "window/geometry", "version", "more/x"]), st.text()
    )
)
def test_rubbish_is_left_out(tmp_path_factory: pytest.TempPathFactory, values: dict[str, str]) -> None:
    path = tmp_path_factory.mktemp("session") / "session.ini"
    session = Session(path)
    for key, value in values.items():
        session._store.setValue(key, value)
    session = again(session, path)
    assert isinstance(session.recent, list)
    assert session.theme in ("system", "light", "dark")
    assert all(isinstance(part, QByteArray) for part in session.place("window"))
    assert session.target_for(chain_graph()) is None
    session.add_recent((path,))
    assert session.recent[0] == (path,)


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00rubbish", b"[General\nversion=", b"version=99\ntheme=dark\n"]
)
def test_damaged_files_and_later_versions(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "session.ini"
    path.write_bytes(content)
    session = Session(path)
    assert session.theme == "system"
    assert session.recent == []
    session.theme = "dark"
    assert again(session, path).theme == "dark"
    for kept in ('[1, ["a"], [""], [2]]', '{"a": 1}', "[" * 5000):
        session._store.setValue("recent", kept)
        assert session.recent in ([], [(Path("a"),)])


# ---------------------------------------------------------------------- damage
@pytest.mark.parametrize(
    "content",
    [
        b"\0\1\2 no settings at all \xff\xfe",
        b"[General]\nversion=1\nrecent=[[\ntheme=dark\n",
        b'[General]\nversion=1\ntargets="[]"\n',
        b"[General]\nversion=99\ntheme=dark\n",
        b"[General]\ntheme=dark\n",
    ],
)
def test_what_makes_no_sense_is_kept_and_told_of_once(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "session.ini"
    path.write_bytes(content)
    session = Session(path)
    assert session.damaged is not None and session.damaged.read_bytes() == content
    assert session.recent == []
    assert again(session, path).damaged is None


def test_whole_settings_are_not_told_of(tmp_path: Path) -> None:
    session = Session(tmp_path / "session.ini")
    session.add_recent((tmp_path / "a",))
    session.keep_target(chain_graph(3, "a", 0), Pipeline(2), "bottleneck")
    assert session.damaged is None and again(session, tmp_path / "session.ini").damaged is None
    (tmp_path / "empty.ini").touch()
    assert Session(tmp_path / "empty.ini").damaged is None
    assert not list(tmp_path.glob("*.damaged"))


# ---------------------------------------------------------------------- a disk that takes nothing
def test_a_disk_that_takes_nothing_is_told_of_once_and_all_goes_on(tmp_path: Path) -> None:
    (tmp_path / "no folder").touch()
    session = Session(tmp_path / "no folder" / "session.ini")
    said: list[str] = []
    session.refused.connect(said.append)
    assert session.trouble == ""
    session.add_recent((tmp_path / "a",))
    session.theme = "dark"
    session.sync()
    assert said == [session.trouble] and f"cannot be kept in {tmp_path / 'no folder'}" in said[0]
    assert session.recent == [(tmp_path / "a",)] and session.theme == "dark"


def test_a_disk_that_takes_everything_is_not_told_of(tmp_path: Path) -> None:
    session = Session(tmp_path / "new" / "session.ini")
    session.sync()
    session.add_recent((tmp_path / "a",))
    assert session.trouble == ""


# ---------------------------------------------------------------------- several processes
ADDS = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from gui.shell.session import Session
from planner.machines.pipeline.target import Pipeline
from tests.gui.models import chain_graph
app = QCoreApplication([])
session = Session(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for i in range(5):
    session.add_recent((Path(f"/{sys.argv[2]}/{i}"),))
    session.keep_target(chain_graph(3 + i, f"{sys.argv[2]} {i}", i), Pipeline(2), "bottleneck")
    if i == 2:
        session.set_value(sys.argv[2], "open")
"""


def test_two_processes_lose_nothing_of_each_other(tmp_path: Path) -> None:
    import json
    import subprocess
    import sys

    path = tmp_path / "session.ini"
    both = [
        subprocess.Popen(
            [sys.executable, "-c", ADDS, str(path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    for one in both:
        assert one.stdout is not None and one.stdin is not None and one.stdout.readline() == "ready\n"
    for one in both:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    for one in both:
        one.communicate(timeout=60)
        assert one.returncode == 0
    session = Session(path)
    assert {str(path) for (path,) in session.recent} == {
        f"/{name}/{i}" for name in ("one", "two") for i in range(5)
    }
    assert len(json.loads(session._text("targets"))) == len(
        {chain_graph(3 + i, f"{n} {i}", i).fingerprint for n in ("one", "two") for i in range(5)}
    )
    assert session.value("one") == session.value("two") == "open" and session.damaged is None
