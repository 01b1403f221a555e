"""A walk over what assistive technology sees of a window, as a screen reader walks: from parent to child."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QScrollArea,
    QScrollBar,
    QTabBar,
    QTabWidget,
    QWidget,
)

NAMELESS = {QAccessible.Role.NoRole, QAccessible.Role.Client, QAccessible.Role.Pane, QAccessible.Role.Window}
"""Roles that say nothing of what a thing is for."""
CONTROLS = (
    QAbstractButton, QAbstractItemView, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit,
)  # fmt: skip
PLAIN = (QScrollArea, QTabWidget)
"""What Qt calls no more than a widget, though it takes the keyboard."""


@dataclass(frozen=True)
class Node:
    """One thing of the tree as it was met."""

    face: QAccessibleInterface
    depth: int
    name: str
    role: QAccessible.Role
    rect: QRect
    widget: QWidget | None

    @property
    def selected(self) -> bool:
        """Whether it says so now."""
        return bool(self.face.state().selected)

    @property
    def focused(self) -> bool:
        """Whether it says so now."""
        return bool(self.face.state().focused)

    def __str__(self) -> str:
        kind = "" if self.widget is None else f" ({type(self.widget).__name__} {self.widget.objectName()})"
        return f"{'  ' * self.depth}{self.role.name} '{self.name}'{kind}"


def walk(
    face: QAccessibleInterface, depth: int = 0, parent: QAccessibleInterface | None = None
) -> Iterator[Node]:
    """All that can be seen below ``face``, in the order in which it is read; children know their parents."""
    thing = face.object()
    widget = thing if isinstance(thing, QWidget) else None
    if (widget is not None and not widget.isVisible()) or face.state().invisible:
        return
    yield Node(face, depth, face.text(QAccessible.Text.Name), face.role(), face.rect(), widget)
    for i in range(face.childCount()):
        child = face.child(i)
        if child is not None and child.isValid():
            yield from walk(child, depth + 1, face)


def tree_of(widget: QWidget) -> list[Node]:
    """What a window or a widget has."""
    face = QAccessible.queryAccessibleInterface(widget)
    assert face is not None
    return list(walk(face))


def items_of(widget: QWidget) -> list[Node]:
    """What is painted on a widget, not the widgets on it."""
    return [node for node in tree_of(widget)[1:] if node.depth == 1 and node.widget is None]


def unnamed(nodes: list[Node]) -> list[str]:
    """Everything that takes the keyboard, or is a control, without a name or a role."""
    wrong = []
    for node in nodes:
        widget = node.widget
        if (
            widget is None
            or isinstance(widget, QScrollBar)
            or (isinstance(widget, QTabBar) and not widget.count())
        ):
            continue
        # Parts of another control (the line of a spin box, the list of a drop-down) are named by it.
        inner = isinstance(widget.parentWidget(), QAbstractSpinBox | QComboBox | QAbstractScrollArea)
        takes = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus.value) or isinstance(widget, CONTROLS)
        plain = not isinstance(widget, PLAIN) and node.role in NAMELESS
        if takes and not inner and (not node.name.strip() or plain):
            wrong.append(str(node).strip())
    return wrong
