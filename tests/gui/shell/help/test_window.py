"""The window to read in: opened from everywhere, searched, walked through by keys and links."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from gui.look.theme import DARK
from gui.shell.docks import DockTitle
from gui.shell.help.pages import DOCUMENTATION, GLOSSARY, page_of_file
from gui.shell.help.window import HelpWindow
from tests.gui.editors.test_actions import EDITORS, window_of
from tests.gui.window_parts import make_window, opened, settle


@pytest.mark.parametrize("editor", EDITORS)
def test_every_editor_explains_the_panel_with_the_keyboard(editor: str, qtbot: QtBot) -> None:
    with window_of(editor, qtbot) as window:
        window.show()
        settle()
        explained = 0
        for id, title in list(window.docks.titles.items())[:4]:
            window.activateWindow()
            window.focus_panel(id)
            settle()
            focus = QApplication.focusWidget()
            if focus is None or not window.docks.docks[id].isAncestorOf(focus):
                continue  # there is nothing in it to go to
            explained += 1
            window.actions_set["help.panel"].trigger()
            reading = window.helping.reading
            assert reading is not None and reading.page is not None
            assert reading.page.title.casefold() == title.casefold()
            reading.close()
            settle()
        assert explained > 1
        window.activateWindow()
        window.setFocus()
        window.helping.explain_focused()
        assert window.helping.reading is not None and window.helping.reading.page is not None
        assert window.helping.reading.page.title == window.manual[1]


def test_the_strip_of_orders_has_a_page_of_its_own(qtbot: QtBot) -> None:
    with window_of("network", qtbot) as window:
        assert window.topic(window.strip) == "Order strip"  # type: ignore[attr-defined]
        assert window.topic(window.scrubber) == "The network"  # type: ignore[attr-defined]


def test_the_button_in_a_panels_title_explains_it(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    title = window.docks.docks["devices"].titleBarWidget()
    assert isinstance(title, DockTitle)
    button = next(b for b in title.findChildren(QToolButton) if b.text() == "?")
    assert "Devices" in button.accessibleName()
    button.click()
    assert window.helping.reading is not None and window.helping.reading.page is not None
    assert window.helping.reading.page.title == "Devices"
    close()


@pytest.fixture
def reading(qtbot: QtBot):  # type: ignore[no-untyped-def]
    window, close = make_window(qtbot, opened())
    window.helping.show_group(GLOSSARY)
    assert window.helping.reading is not None
    yield window.helping.reading
    close()


def titles(reading: HelpWindow) -> list[str]:
    return [reading.list.item(row).text() for row in range(reading.list.count())]


def test_what_is_typed_filters_the_list_and_shows_the_first(reading: HelpWindow) -> None:
    assert reading.page is not None and reading.page.group == GLOSSARY and reading.line.hasFocus()
    QTest.keyClicks(reading.line, "superbl")
    assert titles(reading)[:2] == ["Glossary", "superblock"]
    assert reading.page.title == "superblock" and "two such parts" in reading.reader.toPlainText()
    reading.line.setText("plan")
    before = reading.page.title
    QTest.keyClick(reading.line, Qt.Key.Key_Down)
    assert reading.page.title != before
    reading.line.setText("no such word")
    assert titles(reading) == []
    reading.line.clear()
    assert len(titles(reading)) > 80


def test_links_lead_on_and_back_leads_back(reading: HelpWindow) -> None:
    page = page_of_file("glossary.md", "superblock")
    assert page is not None
    reading.open_page(page)
    reading.reader.anchorClicked.emit(QUrl("#gap"))
    assert reading.page is not None and reading.page.title == "gap"
    reading.reader.anchorClicked.emit(QUrl("bounds.md"))
    assert reading.page.group == DOCUMENTATION and reading.page.file == "bounds.md"
    reading.back.click()
    assert reading.page.title == "gap"
    reading.reader.anchorClicked.emit(QUrl("bounds.md#what-a-bound-assumes"))
    assert reading.reader.verticalScrollBar().value() > 0
    here = reading.page
    reading.reader.anchorClicked.emit(QUrl("no-such-page.md"))
    assert reading.page == here
    reading.set_theme(DARK)
    assert "bound" in reading.reader.toPlainText()


def test_the_web_is_left_to_the_browser(reading: HelpWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: asked.append(url.toString()))
    reading.reader.anchorClicked.emit(QUrl("https://example.org/paper"))
    assert asked == ["https://example.org/paper"]


def test_pictures_are_shown_no_wider_than_the_page(reading: HelpWindow) -> None:
    from PySide6.QtGui import QTextDocument

    kind = int(QTextDocument.ResourceType.ImageResource.value)
    picture = reading.reader.loadResource(kind, QUrl("images/schedule.png"))
    assert 100 < picture.width() <= reading.reader.viewport().width()


def test_one_window_to_read_in_for_each_editor(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    window.helping.show_group(GLOSSARY)
    first = window.helping.reading
    window.helping.show_group(DOCUMENTATION)
    assert window.helping.reading is first and first is not None and first.page is not None
    assert first.page.group == DOCUMENTATION
    first.open_group("Panels")
    assert first.page.title == "The canvas"
    close()
