"""Started from the desktop: what stands on standard error is said in a window."""

from __future__ import annotations

import io
import os
import sys

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from gui.app import desktop_start, launch
from gui.look import display
from planner.cli.command import BAD_INPUT, Console


class Terminal(io.StringIO):
    """Standard error that somebody reads."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({"STAGEBOARD_FROM_DESKTOP": "1"}, True),
        ({"GIO_LAUNCHED_DESKTOP_FILE_PID": str(os.getpid())}, True),
        ({"GIO_LAUNCHED_DESKTOP_FILE_PID": "1"}, False),
        ({}, False),
    ],
)
def test_a_desktop_says_so_and_a_script_does_not(environment: dict[str, str], found: bool) -> None:
    assert desktop_start.from_desktop(environment) is found


def test_who_reads_a_terminal_needs_no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert not desktop_start.from_desktop({"STAGEBOARD_FROM_DESKTOP": "1"})


def test_the_sentence_is_in_a_box_and_on_standard_error(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STAGEBOARD_FROM_DESKTOP", "1")
    shown: list[str] = []

    def read() -> None:
        for box in qapp.topLevelWidgets():
            if isinstance(box, QMessageBox) and box.isVisible():
                shown.append(box.text())
                box.close()
                closing.stop()

    closing = QTimer(interval=20)
    closing.timeout.connect(read)
    closing.start()
    assert launch.main(["nowhere.onnx"]) == BAD_INPUT
    closing.stop()
    (sentence,) = shown
    assert "nowhere.onnx does not exist; check the path" in sentence
    assert capsys.readouterr().err == f"stageboard: {sentence}\n"


def test_without_a_display_there_is_no_box(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> None:
        raise display.DisplayError("there is no display")

    monkeypatch.setenv("STAGEBOARD_FROM_DESKTOP", "1")
    monkeypatch.setattr(display, "check_display", refuse)
    assert launch.main(["nowhere.onnx"]) == BAD_INPUT
    assert "nowhere.onnx does not exist" in capsys.readouterr().err


def test_a_script_gets_a_console() -> None:
    assert type(desktop_start.console()) is Console
