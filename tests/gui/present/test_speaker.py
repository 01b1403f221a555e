"""The speaker's window beside the audience's: what each shows, and that all keys work from both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QKeyEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from gui.app.present import story_file
from gui.look.theme import ThemeController
from gui.present.launch import present_file
from gui.present.speaker import SpeakerWindow, seats
from gui.present.speaker_words import duration_words, speaker_words
from gui.present.window import PresenterWindow
from planner.story.story import Resolved
from tests.gui.present.talks import talk

ROOT = Path(__file__).parents[3]
Key = Qt.Key


def noted() -> Resolved:
    made = talk()
    first, *others = made.story.keyframes
    frames = (replace(first, notes="Greet them.\nThen wait."), *others)
    return replace(made, story=replace(made.story, keyframes=frames))


@pytest.fixture
def audience(qtbot: QtBot) -> Generator[PresenterWindow]:
    made = PresenterWindow(noted(), full_screen=False)
    made.begin()
    made._timer.stop()
    made.course.skip()
    made.toggle_speaker()
    QApplication.processEvents()
    yield made
    if isValid(made):  # some talks end in their test
        made.close()


def speaker_of(audience: PresenterWindow) -> SpeakerWindow:
    assert audience.speaker is not None
    return audience.speaker


def press(audience: PresenterWindow, key: Key) -> None:
    QTest.keyClick(speaker_of(audience), key)
    audience._timer.stop()
    audience.advance(10.0)


def test_this_slide_the_next_notes_and_place(audience: PresenterWindow) -> None:
    speaker = speaker_of(audience)
    assert speaker.place.text() == "1 of 7" and speaker.title.text() == "First"
    assert speaker.notes.toPlainText() == "Greet them.\nThen wait."
    assert speaker.following.text() == "Next: Costs" and speaker.caption.text() == "What each device pays."
    now, following = speaker.now.grab().toImage(), speaker.next.grab().toImage()
    press(audience, Key.Key_Right)
    assert speaker.place.text() == "2 of 7" and speaker.notes.toPlainText() == ""
    assert speaker.now.grab().toImage() != now and speaker.next.grab().toImage() != following
    press(audience, Key.Key_End)
    assert speaker.following.text() == "This is the last" and speaker.next.place.isEmpty()


def test_what_follows_is_called_as_its_picture_is_on_the_way(audience: PresenterWindow) -> None:
    speaker = speaker_of(audience)
    following = speaker.next.grab().toImage()
    audience.course.go(1)
    audience.advance(0.01)
    speaker.refresh()
    assert not audience.course.resting
    # Title and notes are those of the keyframe that comes in; its picture is still that of what follows.
    assert speaker.place.text() == "2 of 7" and speaker.title.text() == "Costs"
    assert speaker.next.grab().toImage() == following
    assert speaker.following.text() == "Next: Costs" and speaker.caption.text() == "What each device pays."
    audience.advance(10.0)
    speaker.refresh()
    assert speaker.following.text() != "Next: Costs" and speaker.caption.text() != "What each device pays."


def test_all_keys_of_presenting_work_from_it(audience: PresenterWindow) -> None:
    for key, at in (
        (Key.Key_Space, 1),
        (Key.Key_Down, 2),
        (Key.Key_Backspace, 1),
        (Key.Key_End, 6),
        (Key.Key_Home, 0),
    ):
        press(audience, key)
        assert audience.course.at == at
    press(audience, Key.Key_3)
    assert audience.typed == "3" and speaker_of(audience).state.text() == "Go to 3"
    press(audience, Key.Key_Return)
    assert audience.course.at == 2
    press(audience, Key.Key_B)
    assert audience.blank and speaker_of(audience).state.text() == "Black screen"
    press(audience, Key.Key_B)
    press(audience, Key.Key_T)
    assert audience.theme.dark
    press(audience, Key.Key_L)
    assert audience.mouse.mode == "laser"
    claimed = QKeyEvent(QEvent.Type.ShortcutOverride, Key.Key_P, Qt.KeyboardModifier.NoModifier)
    claimed.ignore()
    QApplication.sendEvent(speaker_of(audience), claimed)
    assert claimed.isAccepted()


def test_the_audience_sees_the_story_only(audience: PresenterWindow) -> None:
    audience._badge_left = 0.0
    story = audience.grab().toImage()
    for key in (Key.Key_N, Key.Key_4, Key.Key_Question):
        QTest.keyClick(speaker_of(audience), key)
        audience._timer.stop()
        assert audience.grab().toImage() == story
    assert audience.help_shown and speaker_of(audience)._help.isVisible()
    QTest.keyClick(speaker_of(audience), Key.Key_Escape)
    assert not audience.help_shown and not speaker_of(audience)._help.isVisible()


def test_it_opens_closes_and_ends_with_the_talk(audience: PresenterWindow) -> None:
    QTest.keyClick(audience, Key.Key_S)
    assert audience.speaker is None and audience.alone
    QTest.keyClick(audience, Key.Key_S)
    speaker = speaker_of(audience)
    QTest.keyClick(speaker, Key.Key_S)
    assert audience.speaker is None
    QTest.keyClick(audience, Key.Key_S)
    speaker = speaker_of(audience)
    QTest.keyClick(speaker, Key.Key_Escape)
    assert not audience.isVisible() and not speaker.isVisible()


def test_a_full_screen_talk_is_one_again_without_it(qtbot: QtBot) -> None:
    made = PresenterWindow(noted())
    made.begin()
    made.toggle_speaker()
    assert not made.isFullScreen()  # there is one screen, which holds both
    made.toggle_speaker()
    assert made.isFullScreen()
    made.close()


def test_the_mouse_over_this_slide_is_the_mouse_over_the_story(audience: PresenterWindow) -> None:
    speaker = speaker_of(audience)
    audience.next_pointer()
    place = speaker.now.place
    QTest.mouseMove(speaker.now, place.center().toPoint() + QPoint(3, 0))
    QTest.mouseMove(speaker.now, place.center().toPoint())
    middle = QPointF(audience.width() / 2, audience.height() / 2)
    assert (audience.mouse.at - middle).manhattanLength() < 8
    wheel = QWheelEvent(
        place.center(), QPointF(speaker.now.mapToGlobal(place.center())), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(speaker.now, wheel)
    assert audience.mouse.lens is not None and audience.mouse.lens.scale > 1.0
    QTest.mouseClick(speaker.now, Qt.MouseButton.LeftButton)
    assert audience.course.destination == 1
    QTest.mouseClick(speaker.now, Qt.MouseButton.RightButton)
    assert audience.course.destination == 0
    audience._timer.stop()


def test_buttons_do_what_keys_do_and_take_no_key(audience: PresenterWindow) -> None:
    speaker = speaker_of(audience)
    buttons = {button.text(): button for button in speaker.findChildren(QPushButton)}
    QTest.mouseClick(buttons["Next"], Qt.MouseButton.LeftButton)
    assert audience.course.destination == 1
    assert all(button.focusPolicy() == Qt.FocusPolicy.NoFocus for button in buttons.values())
    QTest.mouseClick(buttons["End"], Qt.MouseButton.LeftButton)
    assert not audience.isVisible()


def test_long_notes_are_scrolled_by_keys(audience: PresenterWindow) -> None:
    speaker = speaker_of(audience)
    speaker.notes.setPlainText("A line.\n" * 200)
    QTest.keyClick(speaker, Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert speaker.notes.verticalScrollBar().value() > 0 and audience.course.destination == 0
    QTest.keyClick(speaker, Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    assert speaker.notes.verticalScrollBar().value() == 0


def test_what_is_heard(audience: PresenterWindow) -> None:
    speaker = speaker_of(audience)
    assert speaker.accessibleName() == "Speaker: 1 of 7: First"
    assert (
        "Greet them." in speaker.accessibleDescription() and "Next: Costs" in speaker.accessibleDescription()
    )
    for part in (speaker.elapsed, speaker.clock, speaker.now, speaker.next, speaker.notes):
        assert part.accessibleName()


def test_colours_are_those_of_the_program(qtbot: QtBot) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    themes = ThemeController(app, "dark")
    made = PresenterWindow(noted(), themes, full_screen=False)
    made.begin()
    made.toggle_speaker()
    assert speaker_of(made).theme.dark and not made.theme.dark
    made.close()
    themes.set_preference("light")


def test_seats() -> None:
    laptop, projector, wide = QRect(0, 0, 1440, 900), QRect(1440, 0, 1920, 1080), QRect(0, 0, 2560, 1440)
    assert seats([laptop, projector], 0) == (laptop, projector, 1)
    assert seats([laptop, projector], 1) == (projector, laptop, 0)
    speaker, audience, other = seats([wide], 0)
    assert other < 0 and not speaker.intersects(audience)
    assert wide.contains(speaker) and wide.contains(audience)
    assert speaker.height() == wide.height() and speaker.width() + audience.width() == wide.width()
    assert 1.3 < audience.width() / audience.height() <= 1.5, (
        "slides are wide: on a high page they would be small"
    )


def test_words_of_the_speaker() -> None:
    made = noted()
    words = speaker_words(made, 0, 245.0)
    assert (words.place, words.elapsed, words.following) == ("1 of 7", "4:05", "Next: Costs")
    assert speaker_words(replace(made, notes=("The cost is another.",)), 0, 0.0).notes.endswith(
        "Note: The cost is another."
    )
    assert speaker_words(made, 6, 0.0).following == "This is the last"
    assert duration_words(3729.4) == "1:02:09"


def test_notes_beside_the_story_cover_nothing(qtbot: QtBot) -> None:
    made = PresenterWindow(noted(), full_screen=False)
    made.begin()
    made.resize(1000, 600)
    QApplication.processEvents()
    made._timer.stop()
    made.course.skip()
    whole = made.frame_size
    made.toggle_notes()
    wide = made.frame_size[0]
    assert (
        whole == (made.width(), made.height()) and wide < whole[0] and made.show_now.size == made.frame_size
    )
    picture = made.grab(QRect(0, 0, wide, made.height())).toImage()
    story = made.show_now.slide_image(0, made.devicePixelRatioF())
    assert picture.convertToFormat(story.format()) == story
    made.toggle_notes()
    assert made.show_now.size == whole
    made.close()


def test_the_command_opens_both(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def run(app: QApplication) -> int:
        shown = [window for window in QApplication.topLevelWidgets() if window.isVisible()]
        seen.extend(sorted(type(window).__name__ for window in shown))
        next(window for window in shown if isinstance(window, PresenterWindow)).close()
        return 0

    monkeypatch.setattr(QApplication, "exec", run)
    assert present_file(story_file("edge-tpu"), notes=True) == 0
    assert seen == ["PresenterWindow", "SpeakerWindow"]


TWO_SCREENS = """
import sys
from PySide6.QtWidgets import QApplication
from gui.present.window import PresenterWindow
from tests.gui.present.talks import talk
app = QApplication(sys.argv[:1])
audience = PresenterWindow(talk())
audience.begin()
audience.toggle_speaker()
app.processEvents()
speaker = audience.speaker
print(audience.screen().name(), audience.isFullScreen(), audience.geometry() == app.screens()[1].geometry())
print(speaker.screen().name(), speaker.geometry() == app.screens()[0].availableGeometry())
audience.close()
"""


def test_a_second_screen_is_the_audiences(tmp_path: Path) -> None:
    sides = {"y": 0, "width": 1280, "height": 800, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
    screens = [{"name": "desk", "x": 0, **sides}, {"name": "wall", "x": 1280, **sides}]
    config = tmp_path / "screens.json"
    config.write_text(json.dumps({"windowFrameMargins": False, "screens": screens}))
    env = {**os.environ, "QT_QPA_PLATFORM": f"offscreen:configfile={config}", "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        [sys.executable, "-c", TWO_SCREENS],
        env=env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.stdout.splitlines() == ["wall True True", "desk True"], ended.stderr


def test_small_slides_are_what_the_audience_sees(audience: PresenterWindow) -> None:
    view = speaker_of(audience).next
    view.resize(240, 150)
    show = audience.show_now
    view.show_slide(show, 1, None, "", audience.theme)
    exact, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    size = view._image.size()
    assert 0 < size.width() <= 240
    large = show.slide_image(1, 1280 / show.size[0])
    assert large.width() == 1280 and view._image == large.scaled(size, exact, smooth)


def test_a_story_without_notes_keeps_its_room(qtbot: QtBot) -> None:
    made = PresenterWindow(talk(), full_screen=False)
    qtbot.addWidget(made)
    made.begin()
    made.resize(1000, 600)
    QApplication.processEvents()
    made._timer.stop()
    made.course.skip()
    made._badge_left = 0.0
    before = made.grab().toImage()
    made.toggle_notes()
    assert made.frame_size == (1000, 600)
    after = made.grab().toImage()
    assert after != before, "it says that there are none"
    top = QRect(0, 0, before.width(), before.height() * 9 // 10)
    assert after.copy(top) == before.copy(top)
    made.close()


def test_nothing_of_the_editor_is_in_sight_on_a_single_screen(qtbot: QtBot) -> None:
    """A ground of its own hides it, below the two windows of the talk, as long as both are there."""
    editor = QWidget()
    qtbot.addWidget(editor)
    room = editor.screen().availableGeometry()
    editor.setGeometry(room)
    editor.show()
    made = PresenterWindow(noted(), full_screen=True, parent=editor)
    made.begin()
    assert made.curtain is None, "a story alone fills the screen"
    made.toggle_speaker()
    curtain = made.curtain
    assert curtain is not None and curtain.isVisible() and curtain.geometry() == room
    picture = curtain.grab().toImage()
    ground = picture.pixelColor(0, 0)
    assert ground == QColor(made.theme.canvas) and ground == picture.pixelColor(
        picture.width() - 1, picture.height() - 1
    )
    QTest.mouseClick(curtain, Qt.MouseButton.LeftButton)
    assert curtain.isVisible()
    made.toggle_speaker()
    assert made.curtain is None
    made.toggle_speaker()
    assert made.curtain is not None
    made.close()
    assert made.curtain is None


def test_talks_in_a_window_hide_nothing(audience: PresenterWindow) -> None:
    assert audience.curtain is None
