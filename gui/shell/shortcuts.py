"""Every shortcut in one place, and what Stageboard is."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QTextBrowser, QVBoxLayout, QWidget

from gui.look.theme import Theme, font
from gui.shell.action import ActionSpec
from gui.widgets.labels import set_role

Places = Sequence[tuple[str, Sequence[tuple[str, str]]]]
"""Where in a window, and what keys and gestures do there."""


def shortcuts_html(theme: Theme, actions: Sequence[ActionSpec], elsewhere: Places) -> str:
    """All shortcuts as a table, by menu and by place."""
    parts = [
        f"<style>td {{ padding: 2px 14px 2px 0; }} .k {{ color: {theme.accent}; }} .m {{ color: {theme.muted}; }}</style>"
    ]
    for menu in dict.fromkeys(a.menu for a in actions):
        rows = [
            (
                " or ".join(
                    QKeySequence(s).toString(QKeySequence.SequenceFormat.NativeText) for s in a.shortcut
                ),
                a.text,
                a.tip,
            )
            for a in actions
            if a.menu == menu and a.shortcut
        ]
        if rows:
            parts.append(_table(menu, [(keys, text.rstrip("…"), tip) for keys, text, tip in rows]))
    for place, entries in elsewhere:
        parts.append(_table(place, [(keys, "", words) for keys, words in entries]))
    return "".join(parts)


def _table(title: str, rows: list[tuple[str, str, str]]) -> str:
    cells = "".join(
        f"<tr><td class='k'><nobr>{escape(keys)}</nobr></td><td>{escape(text) + ('<br>' if text and tip else '')}"
        f"<span class='m'>{escape(tip)}</span></td></tr>"
        for keys, text, tip in rows
    )
    return f"<h3>{escape(title)}</h3><table>{cells}</table>"


def shortcuts_dialog(
    parent: QWidget, theme: Theme, actions: Sequence[ActionSpec], elsewhere: Places
) -> QDialog:
    """A window with the shortcuts; it does not block the other."""
    dialog = _dialog(parent, "Keyboard shortcuts", 620, 560)
    view = QTextBrowser(dialog)
    view.setAccessibleName("Keyboard shortcuts")
    view.setHtml(shortcuts_html(theme, actions, elsewhere))
    _finish(dialog, view)
    return dialog


def about_dialog(parent: QWidget) -> QDialog:
    """Name, version, licence."""
    from planner import __version__

    dialog = _dialog(parent, "About Stageboard", 420, 220)
    words = QLabel(
        f"<p style='font-size: 14pt'><b>Stageboard</b> {escape(__version__)}</p>"
        "<p>A planner for splitting neural networks over several devices, with every cost and bound on screen.</p>"
        "<p>MIT licence.</p>"
    )
    words.setWordWrap(True)
    words.setAlignment(Qt.AlignmentFlag.AlignTop)
    set_role(words, "")
    _finish(dialog, words)
    return dialog


def _dialog(parent: QWidget, title: str, width: int, height: int) -> QDialog:
    dialog = QDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    dialog.setFont(font(9.0))
    dialog.resize(width, height)
    return dialog


def _finish(dialog: QDialog, content: QWidget) -> None:
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, dialog)
    buttons.rejected.connect(dialog.close)
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(16, 14, 16, 12)
    layout.addWidget(content, 1)
    layout.addWidget(buttons)
