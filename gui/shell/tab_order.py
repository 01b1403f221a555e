"""Where the keyboard goes by Tab."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def next_in_focus(widget: QWidget, forwards: bool) -> QWidget:
    """The widget after another, or before it, in the order of Tab."""
    return _own((widget.nextInFocusChain() if forwards else widget.previousInFocusChain()) or widget)


def _own(found: QWidget) -> QWidget:
    """A widget that another was asked for, with the parent that it has.

    PySide takes it for a part of the one that was asked: a window would be held by its own parts, and stay when it is closed. To be
    given the parent that it has is nothing to Qt, and puts that right. What holds it must be held, too, up to the window: Python
    takes a widget for destroyed when the object that it had for the parent goes.
    """
    line: list[QWidget] = [found]
    while (above := line[-1].parentWidget()) is not None:
        line.append(above)
    for part, parent in zip(reversed(line), (None, *reversed(line)), strict=False):
        part.setParent(parent)
    return found
