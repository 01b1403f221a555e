"""Starting: which words are commands, what is said where no window can be, and what becomes of unexpected errors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.app import launch
from gui.app.app import Notices
from gui.app.crash_log import KEPT, CrashLog
from gui.editors.plan.windows import make_window
from gui.look import display
from gui.shell.host import reveal, show_editor
from gui.shell.kinds import files_to_open
from planner.errors import StageboardError
from tests.gui.window_parts import settle

ROOT = Path(__file__).resolve().parents[3]
RESNET = ROOT / "sample_models" / "resnet50.json"
UNET = ROOT / "sample_models" / "unet.onnx"


@pytest.fixture(scope="module")
def plan_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("plans") / "resnet50.plan.json"
    assert (
        launch.main(["plan", str(RESNET), "--target", "pipeline:4", "--planner", "slice", "-o", str(file)])
        == 0
    )
    return file


# ---------------------------------------------------------------------- words
def test_help_lists_drawing_commands_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert launch.main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {name} " in out for name in ("info", "plan", "render", "demo"))


def test_commands_that_do_not_draw_import_no_qt() -> None:
    code = "import sys; from gui.app.launch import main; main(['info', sys.argv[1]]); print('PySide6' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(RESNET)], check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pln"], "did you mean 'plan'?"),
        (["nowhere.onnx"], "nowhere.onnx does not exist; check the path"),
        (["some/where"], "some/where does not exist"),
        ([str(RESNET), "--target", "mcm:12"], "choose the machine there in Target (Ctrl+T)"),
        ([str(RESNET), "--target=mcm:12"], "stageboard plan MODEL --target SPEC -o PLAN"),
        ([str(RESNET), "--fast"], "--fast is not an option of the window"),
    ],
)
def test_what_is_neither_command_nor_file_is_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert launch.main(arguments) == 2
    streams = capsys.readouterr()
    assert streams.out == "" and streams.err.count("\n") == 1 and words in streams.err


def test_models_and_plan_are_told_apart_by_content(plan_file: Path) -> None:
    assert files_to_open([str(RESNET), str(plan_file)]) == ([RESNET], plan_file)
    assert files_to_open([str(RESNET), str(UNET)]) == ([RESNET, UNET], None)
    assert files_to_open([]) == ([], None)


def test_a_plan_finds_its_model_by_name_or_needs_it(
    plan_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert files_to_open([str(plan_file)]) == ([RESNET], plan_file)
    monkeypatch.setattr("planner.plan_files.models.MODELS", tmp_path / "nowhere")
    with pytest.raises(StageboardError, match=r"name its model before it \(the model 'ResNet50' of"):
        files_to_open([str(plan_file)])
    other = tmp_path / "other.json"
    other.write_bytes(plan_file.read_bytes())
    (tmp_path / "resnet50.json").write_bytes(RESNET.read_bytes())
    assert files_to_open([str(other)]) == ([tmp_path / "resnet50.json"], other)
    with pytest.raises(StageboardError, match="are both plans"):
        files_to_open([str(RESNET), str(plan_file), str(other)])


def test_measured_times_are_named_before_or_after_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import gui.app.app

    asked: list[Any] = []
    monkeypatch.setattr(gui.app.app, "open_window", lambda *given, **named: asked.append((given, named)) or 0)
    table = tmp_path / "times.csv"
    table.write_text("op,seconds\nconv1_conv,0.5\n")
    assert launch.main([str(RESNET), "--times", str(table), "--times", f"2={table}"]) == 0
    ((given, named),) = asked
    assert given == ([RESNET], None) and named["times"] == [str(table), f"2={table}"]
    table.write_text("op,seconds\nconv1_conv,nan\n")
    for arguments, words in (
        (["--times"], "--times needs a profile"),
        (["--times", "nowhere.json"], "nowhere.json"),
        (["--times", str(table)], "the time of 'conv1_conv'"),
    ):
        assert launch.main([str(RESNET), *arguments]) == 2
        err = capsys.readouterr().err
        assert words in err and err.count("\n") == 1
    assert len(asked) == 1


def test_times_are_of_graphs_of_operators(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "times.csv"
    table.write_text("op,seconds\na,0.5\n")
    encoder = ROOT / "sample_models" / "transformer_encoder.onnx"
    for arguments, words in (
        ([str(encoder), "--density", "1%"], "leave it out for a sparse network"),
        (["some.story.json"], "does not exist"),
    ):
        assert launch.main([*arguments, "--times", str(table)]) == 2
        assert words in capsys.readouterr().err


# ---------------------------------------------------------------------- no display
def test_without_a_display_a_sentence_and_status_2(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert launch.main([]) == 2
    assert "there is no display" in capsys.readouterr().err
    assert launch.main(["demo"]) == 2
    err = capsys.readouterr().err
    assert "stageboard demo --headless" in err and err.count("\n") == 1


def test_a_display_that_does_not_answer_is_said_before_qt_aborts() -> None:
    with pytest.raises(display.DisplayError, match="does not answer"):
        display.check_display({"DISPLAY": ":7961"})
    with pytest.raises(display.DisplayError, match="does not answer"):
        display.check_display({"DISPLAY": "localhost:591.0", "QT_QPA_PLATFORM": "xcb"})


def test_other_platforms_need_no_display() -> None:
    display.check_display({"QT_QPA_PLATFORM": "offscreen"})
    display.check_display({"QT_QPA_PLATFORM": "vnc:size=800x600"})
    display.check_display({"WAYLAND_DISPLAY": "wayland-0"})


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "libqxcb.so"
    broken.write_bytes(b"no library")
    monkeypatch.setattr(display, "_plugin", lambda name: broken)
    monkeypatch.setattr(display, "x11_answers", lambda name: True)
    with pytest.raises(display.DisplayError, match=r"libqxcb\.so"):
        display.check_display({"DISPLAY": ":0"})
    said = display._missing("libEGL.so.1: cannot open shared object file: No such file or directory")
    assert "libEGL.so.1" in said and "make run" in said


def test_all_libraries_that_are_missing_are_named_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = (
        "\tlibxcb-icccm.so.4 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x1)\n\tlibxcb-keysyms.so.1 => not found\n"
        "\tlibxcb-icccm.so.4 => not found\n"
    )
    linker = tmp_path / "ldd"
    linker.write_text(f"#!/bin/sh\ncat <<'END'\n{told}END\n")
    linker.chmod(0o755)
    broken = tmp_path / "libqxcb.so"
    broken.write_bytes(b"no library")
    monkeypatch.setattr(display, "_plugin", lambda name: broken)
    monkeypatch.setattr(display, "x11_answers", lambda name: True)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(
        display.DisplayError, match=r"libraries libxcb-icccm\.so\.4 and libxcb-keysyms\.so\.1, which are"
    ):
        display.check_display({"DISPLAY": ":0"})
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    with pytest.raises(display.DisplayError, match=r"the system library libqxcb\.so, which is missing"):
        display.check_display({"DISPLAY": ":0"})


# ---------------------------------------------------------------------- crash log
def test_unexpected_errors_are_written_and_said(tmp_path: Path) -> None:
    said: list[tuple[str, str]] = []
    log = CrashLog(lambda sentence, detail: said.append((sentence, detail)), tmp_path)
    log.install()
    try:
        try:
            raise ZeroDivisionError("in a slot")
        except ZeroDivisionError as error:
            sys.excepthook(type(error), error, error.__traceback__)

        def fail() -> None:
            raise KeyError("in a thread")

        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
    finally:
        log.uninstall()
    text = log.path.read_text("utf-8")
    assert (
        "ZeroDivisionError: in a slot" in text and "KeyError: 'in a thread'" in text and "Python 3." in text
    )
    assert len(said) == 2 and "ZeroDivisionError" in said[0][0] and str(log.path) in said[0][0]
    assert "in a slot" in said[0][1]
    assert sys.excepthook is not log._main


def test_an_uneventful_window_leaves_no_log_and_old_logs_go(tmp_path: Path) -> None:
    for i in range(KEPT + 5):
        (tmp_path / f"2020010{i // 10}-{i:06d}-1.log").write_text("old")
    log = CrashLog(lambda *_: None, tmp_path)
    log.install()
    log.uninstall()
    assert not log.path.exists()
    assert len(list(tmp_path.glob("*.log"))) < KEPT + 5


def test_what_was_unexpected_is_said_where_the_person_is(qtbot: QtBot, tmp_path: Path) -> None:
    made = [make_window(QApplication.instance(), theme="light", remember=False) for _ in range(2)]  # type: ignore[arg-type]
    first, second = (parts.window for parts in made)
    try:
        show_editor(first)
        show_editor(second, first)
        notices = Notices()
        log = CrashLog(notices.say, tmp_path)
        for front, behind in ((second, first), (first, second)):
            reveal(front)
            settle()
            log.write(ValueError("in a tab"))
            assert "Something unexpected happened (ValueError)" in front.notice.text
            assert front.notice.isVisible() and behind.notice.isHidden()
            front.notice.dismiss()
    finally:
        for parts in made:
            parts.close()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_a_log_that_cannot_be_written_is_said_all_the_same(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "file").write_text("in the way")
    said: list[str] = []
    log = CrashLog(lambda sentence, detail: said.append(sentence), tmp_path / "file")
    log.write(ValueError("lost?"))
    assert "could not be written" in said[0]
    assert "lost?" in capsys.readouterr().err


# ---------------------------------------------------------------------- the window as a process
def window_process(
    tmp_path: Path, *arguments: str | Path, started: tuple[str, str] = ("-m", "gui")
) -> subprocess.Popen[str]:
    places = {
        f"XDG_{kind}_HOME": str(tmp_path / kind.lower()) for kind in ("CONFIG", "DATA", "CACHE", "STATE")
    }
    environment = {**os.environ, **places, "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.Popen(
        [sys.executable, *started, *map(str, arguments)], cwd=ROOT, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def opened(folder: Path) -> bool:
    """Whether a window has noted the model among its recent files."""
    return any("resnet50.json" in file.read_text() for file in folder.rglob("session.ini"))


def test_the_window_opens_files_and_ends_on_a_signal(tmp_path: Path, plan_file: Path) -> None:
    process = window_process(tmp_path, RESNET, plan_file)
    try:
        deadline = time.monotonic() + 60
        while not opened(tmp_path) and time.monotonic() < deadline:
            assert process.poll() is None, process.stderr and process.stderr.read()
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    assert process.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in err and out == ""
    settings = list(tmp_path.rglob("session.ini"))
    assert settings and "resnet50.json" in settings[0].read_text()


DRAGGING = """
import atexit, os, signal, sys
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest

from gui.app.app import open_window
from gui.canvas.graph.view import CanvasView
from gui.look.application import application

app, timer, left = application(), QTimer(), Qt.MouseButton.LeftButton

def drag():
    views = [w for w in app.allWidgets() if isinstance(w, CanvasView) and w.scene is not None and not w.busy]
    if not views or not views[0].isVisible():
        return
    timer.stop()
    view = views[0]
    view.setFocus()
    at = view.op_rect(5).center().toPoint()
    QTest.mousePress(view, left, Qt.KeyboardModifier.NoModifier, at)
    for step in (20, 40):
        to = QPointF(at + QPoint(step, step))
        app.sendEvent(view, QMouseEvent(
            QEvent.Type.MouseMove, to, QPointF(view.mapToGlobal(to.toPoint())), Qt.MouseButton.NoButton, left,
            Qt.KeyboardModifier.NoModifier,
        ))
    print("dragging", view.document.preview is not None, app.focusWidget() is view, flush=True)
    atexit.register(left_over, view)  # before what Qt does at exit
    os.kill(os.getpid(), signal.SIGTERM)

def left_over(view):
    shown = [w for w in app.topLevelWidgets() if w.isVisible()]
    print("ended", shown, view.document.preview, app.focusWidget(), flush=True)

timer.timeout.connect(drag)
timer.start(50)
sys.exit(open_window([Path(sys.argv[1])], None))
"""
"""Opens a window on a model, drags an op, and gets SIGTERM meanwhile."""


def test_a_signal_in_the_middle_of_a_drag_puts_the_window_away_first(tmp_path: Path) -> None:
    """Qt would close it after Python's end, and tell widgets that cannot be told: a crash about every other time."""
    process = window_process(tmp_path, RESNET, started=("-c", DRAGGING))
    out, err = process.communicate(timeout=120)
    assert out.splitlines() == ["dragging True True", "ended [] None None"], err
    assert process.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in err


def test_info_and_the_plan_agree(plan_file: Path, capsys: Any) -> None:
    assert launch.main(["evaluate", str(RESNET), str(plan_file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["valid"] is True
