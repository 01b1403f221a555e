"""The docks around the canvas: quiet title bars, and the places where they start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import ClassVar, Protocol, cast

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QSizePolicy,
    QTabBar,
    QTabWidget,
    QToolButton,
    QWidget,
)

from gui.look.theme import Theme
from gui.widgets.later import Later, soon

LEFT, RIGHT, BOTTOM = (
    Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea, Qt.DockWidgetArea.BottomDockWidgetArea,
)  # fmt: skip

HIGH = 28
"""Pixels of a dock's title."""
HEARD, BEFORE = "heard", "before"
"""Properties of tab bars: their clicks are heard; they were there before the docks were put back. Qt makes these bars, uses them again
and deletes them, so what is known of one stands on it: an object of Python's may be given up while its bar is there, or outlive it."""


class DockTitle(QWidget):
    """A bold word and three small buttons, made when they are first needed; nothing at all while the dock is one of several tabs, which name it."""

    def __init__(self, dock: QDockWidget, explain: Callable[[], object]) -> None:
        super().__init__(dock)
        self.setObjectName("dockTitle")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._dock, self._explain = dock, explain
        self.collapsed = False

    def _build(self) -> None:
        dock = self._dock
        label = QLabel(dock.windowTitle(), self)
        dock.windowTitleChanged.connect(label.setText)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 2)
        row.setSpacing(2)
        row.addWidget(label, 1)
        for text, tip, run in (
            ("?", "What this panel shows (Shift+F1)", self._explain),
            (
                "\N{UPPER RIGHT DROP-SHADOWED WHITE SQUARE}",
                "Take out of the window, or put back",
                self._float,
            ),
            ("\N{MULTIPLICATION SIGN}", "Hide (View, Panels brings it back)", dock.close),
        ):
            button = QToolButton(self)
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName(f"{tip.split(',')[0].split(' (')[0]}: {dock.windowTitle()}")
            button.setAutoRaise(True)
            button.clicked.connect(lambda _=False, run=run: run())
            row.addWidget(button)

    def _float(self) -> None:
        self._dock.setFloating(not self._dock.isFloating())

    def set_collapsed(self, collapsed: bool) -> None:
        """Show nothing."""
        if not collapsed and self.layout() is None:
            self._build()
        if collapsed != self.collapsed:
            self.collapsed = collapsed
            for child in self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
                child.setVisible(not collapsed)
            self.setFixedHeight(0 if collapsed else HIGH)
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """No height while collapsed."""
        return QSize(80, 0 if self.collapsed else HIGH)

    def minimumSizeHint(self) -> QSize:
        """See :meth:`sizeHint`."""
        return QSize(40, 0 if self.collapsed else HIGH)


def set_up_docking(window: QMainWindow) -> None:
    """Docks may be nested and tabbed; the sides reach from top to bottom."""
    window.setDockOptions(
        QMainWindow.DockOption.AllowTabbedDocks
        | QMainWindow.DockOption.AllowNestedDocks
        | QMainWindow.DockOption.GroupedDragging
    )
    window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
    for corner, area in (
        (Qt.Corner.TopLeftCorner, LEFT), (Qt.Corner.BottomLeftCorner, LEFT),
        (Qt.Corner.TopRightCorner, RIGHT), (Qt.Corner.BottomRightCorner, RIGHT),
    ):  # fmt: skip
        window.setCorner(corner, area)


def dock_of(
    window: QMainWindow, id: str, short: str, widget: QWidget,
    moved: Callable[[], object], explain: Callable[[], object],
) -> QDockWidget:  # fmt: skip
    """A dock with a quiet title around a widget; ``short`` stands on its tab.

    ``moved`` is called when its place changes, ``explain`` when a person asks what it shows.
    """
    dock = QDockWidget(short, window)
    dock.setObjectName(f"dock.{id}")
    dock.setWidget(widget)
    dock.setTitleBarWidget(DockTitle(dock, explain))
    dock.setMinimumWidth(200)
    dock.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
    for signal in (dock.visibilityChanged, dock.dockLocationChanged, dock.topLevelChanged):
        signal.connect(lambda _: moved())
    return dock


def tab_bars(window: QMainWindow) -> list[QTabBar]:
    """The tab bars of a window's docks, those that Qt uses no more among them."""
    return window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)


def tabs_of(bar: QTabBar) -> set[str]:
    """What stands on a bar's tabs."""
    return {bar.tabText(i) for i in range(bar.count())}


def settle_titles(window: QMainWindow, docks: Iterable[QDockWidget]) -> None:
    """A dock among tabs needs no title of its own; tab bars need names and can be reached with Tab."""
    for dock in docks:
        title = dock.titleBarWidget()
        placed = window.dockWidgetArea(dock) != Qt.DockWidgetArea.NoDockWidgetArea
        if isinstance(title, DockTitle) and (placed or dock.isFloating()):
            mates = [d for d in window.tabifiedDockWidgets(dock) if not d.isHidden()]
            title.set_collapsed(bool(mates) and not dock.isFloating())
    for bar in tab_bars(window):
        bar.setAccessibleName("Panels: " + ", ".join(bar.tabText(i) for i in range(bar.count())))
        bar.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        bar.setExpanding(False)
        bar.setUsesScrollButtons(True)
        bar.setElideMode(Qt.TextElideMode.ElideNone)
        bar.setDrawBase(False)


class Docked(Protocol):
    """What stands in a dock: a widget, which may redraw a moment later."""

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""


class Docks(QObject):
    """All docks of a window by panel id. Editors say where they start."""

    explained = Signal(str)
    """What a panel shows is asked for, by its id."""

    LAYOUT: ClassVar[tuple[tuple[str, Qt.DockWidgetArea, str], ...]] = ()
    """Panel, side, and how: first of the side (""), ``below`` or ``beside`` it, or as a tab with the panel named. Docks are split
    before they get tabs: what is split off a dock with tabs becomes one more tab."""
    FRONT: ClassVar[tuple[str, ...]] = ()
    """Those in front of the tabs beside them."""
    HIDDEN: ClassVar[tuple[str, ...]] = ()
    """Those that are shown when they are asked for."""
    SHORT: ClassVar[Mapping[str, str]] = {}
    """Words for tabs, where a panel's title is too long."""
    TALL: ClassVar[Mapping[str, tuple[str, int]]] = {}
    """Panels that need most of a low window's side: what stands below each, and the height in pixels up to which that gives way."""

    tab_clicked = Signal(str)
    """The panel with this id was brought to the front by its tab, or clicked there."""

    def __init__(self, window: QMainWindow, panels: Mapping[str, Docked], titles: Mapping[str, str]) -> None:
        super().__init__(window)
        self._window = window
        self.panels: Mapping[str, Docked] = panels
        self.titles = dict(titles)
        self.docks: dict[str, QDockWidget] = {}
        self._chosen = ""
        """The panel whose tab was clicked last."""
        self._had_room: set[str] = set()
        """Of :attr:`TALL` those that were given their height: what a person made of it since stays when its tab is clicked again."""
        self.settle = Later(self._settle, self)
        set_up_docking(window)
        for id, panel in panels.items():
            short = self.SHORT.get(id, titles[id])
            explain = partial(self.explained.emit, id)
            self.docks[id] = dock_of(window, id, short, cast(QWidget, panel), self.settle.ask, explain)

    def _settle(self) -> None:
        """Titles and names of tabs; and hear of clicks on tab bars that are new."""
        self._hide_left_over()
        settle_titles(self._window, self.docks.values())
        for bar in tab_bars(self._window):
            if not bar.property(HEARD):
                bar.setProperty(HEARD, True)
                bar.tabBarClicked.connect(self._tab_clicked)

    def _hide_left_over(self) -> None:
        """Take tab bars away whose docks have got a new one."""
        there = tab_bars(self._window)
        new: set[str] = set().union(*(tabs_of(bar) for bar in there if not bar.property(BEFORE)))
        for bar in there:
            if bar.property(BEFORE):
                bar.setProperty(BEFORE, False)
                if tabs_of(bar) <= new:
                    bar.hide()

    def _tab_clicked(self, index: int) -> None:
        words = cast(QTabBar, self.sender()).tabText(index)
        self._chosen = next((id for id, dock in self.docks.items() if dock.windowTitle() == words), "")
        if self._chosen in self.TALL and self._chosen not in self._had_room:
            soon(self, partial(self._make_room, self._chosen))
        if self._chosen:
            self.tab_clicked.emit(self._chosen)

    def mark(self, id: str, marked: bool) -> None:
        """Put a dot behind a dock's name where something in it waits for a person, or take it away."""
        name = self.SHORT.get(id, self.titles[id])
        self.docks[id].setWindowTitle(f"{name} \N{BULLET}" if marked else name)
        self.settle.ask()

    def rename(self, id: str, title: str) -> None:
        """Call a dock otherwise, where its name goes by what is open."""
        if self.titles[id] != title:
            self.titles[id] = title
            self.mark(id, False)

    def offer(self, id: str) -> bool:
        """Bring a dock to the front of its tabs, and say whether it is in sight now.

        One that was closed stays closed, and a tab that was clicked stays in front.
        """
        dock = self.docks[id]
        mates = self._window.tabifiedDockWidgets(dock)
        if dock.isHidden() or (self._chosen not in ("", id) and self.docks[self._chosen] in mates):
            return False
        if mates:
            dock.raise_()
        return True

    def arrange(self) -> None:
        """Put every dock where it starts."""
        window = self._window
        self._chosen = ""
        self._had_room.clear()
        for bar in tab_bars(window):
            bar.setProperty(BEFORE, True)
        above: dict[Qt.DockWidgetArea, str] = {}
        for id, area, how in self.LAYOUT:
            dock = self.docks[id]
            dock.setFloating(False)
            window.removeDockWidget(dock)
            if how in ("", "below", "beside"):
                window.addDockWidget(area, dock, Qt.Orientation.Vertical)
                if how:
                    along = Qt.Orientation.Vertical if how == "below" else Qt.Orientation.Horizontal
                    window.splitDockWidget(self.docks[above[area]], dock, along)
                above.setdefault(area, id)
            else:
                window.tabifyDockWidget(self.docks[how], dock)
            dock.show()
        for id in self.FRONT:
            self.docks[id].raise_()
        for id in self.HIDDEN:
            self.docks[id].hide()
        self.settle.ask()

    def size(self, width: int, height: int) -> None:
        """Sizes that suit a window of this size, before anyone has dragged a border."""

    def in_front(self, id: str) -> bool:
        """Whether a panel is in sight: neither closed nor behind another, which Qt puts outside of the window."""
        dock = self.docks[id]
        if dock.isHidden() or dock.isFloating():
            return not dock.isHidden()
        return self._window.rect().intersects(dock.geometry())

    def toggle(self, id: str) -> None:
        """Bring a panel to the front; hide it where it is there already."""
        if self.in_front(id):
            self.docks[id].close()
        else:
            self.reveal(id)

    def reveal(self, id: str) -> QDockWidget:
        """Bring a dock to the front."""
        dock = self.docks[id]
        dock.show()
        dock.raise_()
        if id in self.TALL:
            soon(self, partial(self._make_room, id))
        return dock

    def _keep_room(self) -> None:
        """Panels that were given their height keep it where sizes are set anew: the last to ask in a turn is heard."""
        for id in self._had_room:
            self._make_room(id)

    def _make_room(self, id: str) -> None:
        """What stands below a panel gives way as far as it can."""
        below, wanted = self.TALL[id]
        dock, other = self.docks[id], self.docks[below]
        lacking = wanted - dock.height()
        self._had_room.add(id)
        if lacking > 0 and dock.x() == other.x() and not (dock.isFloating() or other.isFloating()):
            heights = [wanted, max(1, other.height() - lacking)]
            self._window.resizeDocks([dock, other], heights, Qt.Orientation.Vertical)
