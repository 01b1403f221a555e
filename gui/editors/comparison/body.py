"""The body of the compare window: the parts that its actions, files and memory act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from gui.editors.comparison.canvases.columns import Columns
from gui.editors.comparison.canvases.legend import Legend
from gui.editors.comparison.canvases.linking import Linking
from gui.editors.comparison.canvases.pick_bar import PickBar
from gui.editors.comparison.canvases.picking import Picking
from gui.editors.comparison.canvases.taking import Taking
from gui.editors.comparison.docks import CompareDocks
from gui.editors.comparison.panels.devices import DeviceDifferences
from gui.editors.comparison.panels.figures import FiguresStrip
from gui.editors.comparison.panels.moved import MovedList
from gui.editors.comparison.panels.sankey import SankeyView
from gui.editors.comparison.panels.schedules import Schedules
from gui.editors.comparison.proving import ProvingCompared
from gui.editors.comparison.state import CompareState
from gui.editors.comparison.window import ComparisonWindow
from gui.look.theme import ThemeController
from gui.words.methods import shown_name
from planner.model.graph import Ints

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from gui.shell.session import Session
    from gui.tools.story.studio import Studio


class CompareBody(ComparisonWindow):
    """Canvases in the middle, panels around. :class:`gui.editors.comparison.editor.CompareWindow` adds what is done with them."""

    find_box: QLineEdit
    docks: CompareDocks
    studio: Studio | None = None
    """The story of the window whose plans are compared."""

    def __init__(self, document: Document, themes: ThemeController, session: Session | None = None) -> None:
        super().__init__("compare", themes, session)
        self.document = document
        theme = themes.theme
        self.state = CompareState(document, self)
        self.linking = Linking(self.state, self)
        self.picking = Picking(self.state, self)
        # ---- the middle
        self.columns = Columns(self.state, self.linking, theme)
        self.legend = Legend(self.state, theme)
        self.pick_bar = PickBar(self.state, self.picking, theme)
        middle = QWidget()
        rows = QVBoxLayout(middle)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        for widget, stretch in ((self.legend, 0), (self.columns, 1), (self.pick_bar, 0)):
            rows.addWidget(widget, stretch)
        self.setCentralWidget(middle)
        self.notice.lie_over(middle, lambda: self.columns)
        self.proving = ProvingCompared(self.state, self)
        self.proving.changed.connect(self._say_proving)
        self.taking = Taking(self.state, self.picking, self.columns)
        # ---- panels
        self.moved = MovedList(self.state, theme)
        self.devices = DeviceDifferences(self.state, theme)
        self.flows = SankeyView(self.state, theme)
        self.schedules = Schedules(self.state, theme)
        self.figures = FiguresStrip(self.state, theme)
        self.docks = CompareDocks(
            self,
            {
                "figures": self.figures, "moved": self.moved, "devices": self.devices, "flows": self.flows,
                "schedules": self.schedules,
            },
        )  # fmt: skip

    def _say_proving(self) -> None:
        self.columns.set_proving([self.proving.busy(i) for i in range(len(self.state.plans))])

    def moved_ops(self) -> Ints:
        """What differs between the plans that lists are about, sorted."""
        comparison = self.state.comparison
        return np.empty(0, np.int32) if comparison is None else comparison.moved(*self.state.shown)

    def put_on_canvas(self, plan: int) -> None:
        """A plan takes the place of the one on the main canvas: one undo step."""
        source = self.state.sources[plan]
        if source.live(self.document):
            self.say("info", f"{shown_name(source.name)} is on the main canvas already.")
            return
        self.attempt(lambda: self.state.put_on_canvas(source))
