"""The dialog that asks how a picture is to be drawn, and exporting through it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from gui.background.writing import Writing
from gui.look.drawn import Drawing, fill_ground
from gui.look.page import PRESETS, Page
from gui.look.theme import DARK, LIGHT
from gui.shell.picture_dialog import DRAWING, NOTICED, Choice, PictureDialog
from planner.errors import StageboardError
from tests.gui.models import write_model
from tests.gui.window_parts import make_window, opened, settle

VIEWS = {"flow": "Flow", "lanes": "Lanes", "schedule": "Schedule"}


def in_blue(page: Page) -> Drawing:
    return Drawing(page, "", lambda painter, _: fill_ground(painter, page, "#336699"))


def in_red(page: Page) -> Drawing:
    return Drawing(page, "", lambda painter, _: fill_ground(painter, page, "#993333"))


def impossible() -> Drawing:
    raise StageboardError("there is nothing to draw")


def plain(choice: Choice) -> Callable[[], Drawing]:
    return partial(in_blue, choice.page)


def by_view(choice: Choice) -> Callable[[], Drawing]:
    return partial(in_red if choice.view == "lanes" else in_blue, choice.page)


@pytest.fixture
def dialog(qtbot: QtBot) -> Iterator[PictureDialog]:
    host = QWidget()
    qtbot.addWidget(host)
    made = PictureDialog(VIEWS, "lanes", DARK, plain, cut=frozenset({"lanes"}), parent=host)
    made.show()
    yield made
    host.close()


def test_it_begins_with_what_is_shown_on_a_slide(dialog: PictureDialog) -> None:
    choice = dialog.choice()
    assert choice.view == "lanes" and not choice.in_sight
    assert choice.page.pixels == PRESETS["slide"].pixels and choice.page.theme is DARK
    assert not dialog.width_field.isEnabled()


def test_each_field_counts(dialog: PictureDialog, qtbot: QtBot) -> None:
    dialog.page.setCurrentIndex(dialog.page.findData("own"))
    dialog.width_field.setValue(500)
    dialog.height_field.setValue(300)
    dialog.colours.setCurrentIndex(dialog.colours.findData("light"))
    dialog.transparent.setChecked(True)
    dialog.in_sight.setChecked(True)
    page = dialog.choice().page
    assert page.pixels == (500, 300) and page.theme is LIGHT and page.transparent
    assert dialog.choice().in_sight
    dialog.view.setCurrentIndex(dialog.view.findData("schedule"))
    assert not dialog.in_sight.isEnabled() and not dialog.choice().in_sight, "a schedule has no part in sight"
    dialog.page.setCurrentIndex(dialog.page.findData("column"))
    assert "3.3 × at most" in dialog.note.text()
    with qtbot.waitSignal(dialog.chosen) as heard:
        dialog.accept()
    assert heard.args == [
        Choice("schedule", replace(PRESETS["column"], theme=LIGHT, transparent=True), False)
    ]


def test_the_preview_is_the_picture(dialog: PictureDialog, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not dialog.shown.pixmap().isNull())
    assert dialog.shown.pixmap().toImage().pixelColor(100, 50).name() == "#336699"


def test_a_title_is_offered_and_can_be_changed(qtbot: QtBot) -> None:
    made = PictureDialog({"flow": "Flow"}, "flow", LIGHT, plain, title="ResNet50 on 4 stages")
    qtbot.addWidget(made)
    assert made.choice().title == made.title.text() == "ResNet50 on 4 stages"
    made.title.setText(" My talk ")
    assert made.choice().title == "My talk"
    made.title.clear()
    assert made.choice().title == "ResNet50 on 4 stages"
    without = PictureDialog({"flow": "Flow"}, "flow", LIGHT, plain)
    qtbot.addWidget(without)
    assert without.title.isHidden() and not without.choice().title


def test_a_picture_without_a_ground_is_seen_on_squares_of_its_colours(
    dialog: PictureDialog, qtbot: QtBot
) -> None:
    """Pale letters of the dark theme would be unreadable on the light ground of a window."""
    dialog.transparent.setChecked(True)
    dialog.shown.clear()
    qtbot.waitUntil(lambda: not dialog.shown.pixmap().isNull())
    image = dialog.shown.pixmap().toImage()
    found = {image.pixelColor(x, y).name() for x in range(0, 64, 2) for y in range(0, 64, 2)}
    assert found == {DARK.panel, DARK.track}


def test_what_cannot_be_drawn_is_said_in_the_preview(qtbot: QtBot) -> None:
    made = PictureDialog({"flow": "Flow"}, "flow", LIGHT, lambda choice: impossible)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: made.shown.text() == "there is nothing to draw")
    assert made.view.isHidden() and made.in_sight.isHidden()


def seen(dialog: PictureDialog) -> str:
    """The colour of the preview; empty while there is none, ``faded`` while it is not of what is chosen."""
    pixmap = dialog.shown.pixmap()
    if pixmap.isNull():
        return ""
    colour = pixmap.toImage().pixelColor(100, 50)
    return colour.name() if colour.alpha() == 255 else "faded"


def test_previews_of_large_models_are_drawn_beside_the_window(qtbot: QtBot) -> None:
    beside = Writing(None, "preview")
    made = PictureDialog(VIEWS, "lanes", LIGHT, by_view, beside=beside)
    made.show()
    qtbot.waitUntil(lambda: beside.busy, timeout=60_000)
    assert made.shown.text() == DRAWING
    made.view.setCurrentIndex(made.view.findData("flow"))  # while the other is being drawn
    qtbot.waitUntil(lambda: seen(made) == "#336699", timeout=60_000)
    assert made.shown.accessibleDescription() == ""
    made.view.setCurrentIndex(made.view.findData("lanes"))
    qtbot.waitUntil(lambda: beside.busy, timeout=60_000)
    assert seen(made) == "faded", "it is not yet of what is chosen"
    assert made.shown.accessibleDescription() == DRAWING
    qtbot.waitUntil(lambda: seen(made) == "#993333", timeout=60_000)
    made.refresh()
    qtbot.waitUntil(lambda: beside.busy, timeout=60_000)
    assert seen(made) == "#993333", "it is of what is chosen, and drawn anew"
    made.reject()  # it is gone, and waited for nothing
    qtbot.waitUntil(lambda: not beside.busy, timeout=60_000)


def test_previews_that_keep_the_window_waiting_say_so_first(qtbot: QtBot) -> None:
    said: list[tuple[str, str]] = []

    def slowly(choice: Choice) -> Callable[[], Drawing]:
        def draw() -> Drawing:
            said.append((choice.view, seen(made)))
            time.sleep(2 * NOTICED if choice.view == "lanes" else 0.0)
            return by_view(choice)()

        return draw

    made = PictureDialog(VIEWS, "flow", LIGHT, slowly, title="A title")
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: seen(made) == "#336699")
    for view, colour in (("lanes", "#993333"), ("flow", "#336699"), ("lanes", "#993333")):
        made.view.setCurrentIndex(made.view.findData(view))
        qtbot.waitUntil(lambda colour=colour: seen(made) == colour)  # type: ignore[misc]
    assert said == [("flow", ""), ("lanes", "faded"), ("flow", "#993333"), ("lanes", "faded")]
    made.title.setText("Another")
    qtbot.waitUntil(lambda: len(said) == 5)
    assert said[-1][1] == "faded" and made.shown.accessibleDescription() == ""


def test_what_fails_beside_the_window_is_said_in_the_preview(qtbot: QtBot) -> None:
    beside = Writing(None, "preview")
    made = PictureDialog(VIEWS, "lanes", LIGHT, lambda choice: impossible, beside=beside)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: made.shown.text() == "there is nothing to draw", timeout=60_000)


def test_a_large_graph_has_a_preview(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened(400, 3))
    window.files.export_picture()
    dialog = window.findChild(PictureDialog)
    qtbot.waitUntil(lambda: not dialog.shown.pixmap().isNull(), timeout=30_000)
    assert dialog.shown.text() == ""
    dialog.reject()
    close()


@pytest.mark.parametrize(
    ("preset", "suffix", "head"), [("slide", ".png", b"\x89PNG"), ("column", ".svg", b"<?xml")]
)
def test_exporting_from_the_window(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, preset: str, suffix: str, head: bytes
) -> None:
    window, close = make_window(qtbot)
    window.files.open_files([write_model(tmp_path)])
    qtbot.waitUntil(lambda: not window.files.loading.busy, timeout=20_000)
    settle()
    window.files.export_picture()
    dialog = window.findChild(PictureDialog)
    assert "Certificate of the Plan" in dialog.elsewhere.text() and dialog.elsewhere.isVisibleTo(dialog)
    assert {dialog.view.itemData(i) for i in range(dialog.view.count())} >= {
        "flow",
        "lanes",
        "stages",
        "schedule",
    }
    for view in ("schedule", "lanes", "flow"):
        dialog.view.setCurrentIndex(dialog.view.findData(view))
        dialog.shown.clear()
        qtbot.waitUntil(lambda: not dialog.shown.pixmap().isNull())
    dialog.page.setCurrentIndex(dialog.page.findData(preset))
    file = tmp_path / f"picture{suffix}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    dialog.accept()
    assert file.read_bytes().startswith(head)
    if suffix == ".png":
        image = QImage(str(file))
        assert (image.width(), image.height()) == PRESETS[preset].pixels
    assert "Wrote picture" in window.notice.text
    close()


def test_the_preview_follows_what_is_drawn(qtbot: QtBot) -> None:
    class Drawn(QObject):
        changed = Signal()
        colour = "#336699"

    drawn = Drawn()

    def draw(choice: Choice) -> Callable[[], Drawing]:
        return lambda: Drawing(
            choice.page, choice.view, lambda painter, _: fill_ground(painter, choice.page, drawn.colour)
        )

    made = PictureDialog({"flow": "Flow"}, "flow", LIGHT, draw)
    qtbot.addWidget(made)
    made.follow(drawn.changed)
    made.show()
    qtbot.waitUntil(lambda: not made.shown.pixmap().isNull())
    drawn.colour = "#993366"
    drawn.changed.emit()
    qtbot.waitUntil(lambda: made.shown.pixmap().toImage().pixelColor(100, 50).name() == "#993366")


def test_a_picture_has_what_is_proven_when_it_is_drawn(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened(12, 3))
    document, bounds = window.document, []

    def ask_drawing(views: object, view: str, drawing: Any, **_: object) -> Any:
        bounds.append(drawing)
        return SimpleNamespace(follow=lambda *changes: bounds.append(changes))

    window.files.ask_drawing = ask_drawing
    window.files.export_picture()
    drawing, changes = bounds
    assert len(changes) == 2
    problem, page = document.open_problem, PRESETS["slide"]
    proof = problem.bound(
        problem.components[0], 0.9 * document.evaluation.objective, "while one chooses", frozenset()
    )
    document.add_bounds([proof])
    assert proof in drawing(Choice("flow", page)).args[0].bounds
    close()


def test_it_stays_as_wide_whatever_page_is_chosen(dialog: PictureDialog) -> None:
    settle()
    wide = dialog.width()
    for name in PRESETS:
        dialog.page.setCurrentIndex(dialog.page.findData(name))
        settle()
        assert dialog.width() == wide
        assert dialog.note.width() >= dialog.note.fontMetrics().horizontalAdvance(dialog.note.text())
