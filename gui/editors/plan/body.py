"""The body of a graph's window: the parts that its handlers, files, menus and pickers act on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from gui.background.proving import Proving
from gui.background.stage_counting import StageCounting
from gui.editors.plan.docks import Docks
from gui.editors.plan.memory import Memory
from gui.editors.plan.model_bar import ModelBar
from gui.editors.plan.panels.devices import DevicesPanel
from gui.editors.plan.panels.inspector import InspectorPanel
from gui.editors.plan.panels.ops import OpsPanel
from gui.editors.plan.panels.settings import SettingsPanel
from gui.editors.plan.panels.suggestions import SuggestionsPanel, WhyPanel
from gui.editors.plan.panels.violations import ViolationsPanel
from gui.editors.plan.revisit import revisit_graph
from gui.look.assets import asset
from gui.look.theme import Theme, ThemeController
from gui.panels.base import Panel
from gui.panels.edge_tpu.panel import StageCountsPanel
from gui.panels.mcm.panel import PackagePanel
from gui.panels.plans import PlansPanel
from gui.panels.readouts import ReadoutStrip
from gui.panels.schedule.panel import SchedulePanel
from gui.shell.actions import ActionSet
from gui.shell.dropping import DropWindow
from gui.shell.header import Header
from gui.shell.palette import Palette
from gui.shell.start_page import StartPage
from gui.tools.search.convergence import ConvergencePanel
from gui.tools.search.planners import PlannersPanel
from gui.tools.search.race.panel import RacePanel
from gui.tools.story.shots import GraphShots
from gui.tools.story.studio import Studio
from gui.widgets.labels import capital
from gui.widgets.notice import NoticeBar
from gui.widgets.plain import PlainLabel

if TYPE_CHECKING:
    from gui.background.jobs import Jobs
    from gui.document.plan.document import Document
    from gui.shell.session import Session

CanvasFactory = Callable[["Document", Theme, QWidget], Any]


def default_canvas(document: Document, theme: Theme, parent: QWidget) -> Any:
    """The canvas with its minimap."""
    from gui.canvas.graph.minimap import Minimap
    from gui.canvas.graph.view import CanvasView

    canvas = CanvasView(document, theme, parent)
    Minimap(canvas)
    return canvas


class GraphBody(DropWindow):
    """The canvas in the middle, panels around. :class:`gui.editors.plan.editor.MainWindow` adds what is done with them."""

    # What the window adds, which its helpers look at when something is asked of them.
    actions_set: ActionSet
    header: Header
    palette_window: Palette

    def __init__(
        self,
        document: Document,
        jobs: Jobs,
        themes: ThemeController,
        session: Session | None,
        canvas_factory: CanvasFactory,
    ) -> None:
        super().__init__()
        self.setObjectName("stageboard")
        self.document, self.jobs, self.themes, self.session = document, jobs, themes, session
        self.reduced_motion = False
        self.setAcceptDrops(True)
        self.setWindowIcon(QIcon(asset("stageboard.svg")))
        theme = themes.theme
        # ---- the middle
        self.notice = NoticeBar(theme)
        self.start_page = StartPage(theme)
        self.canvas = canvas_factory(document, theme, self)
        self.busy = PlainLabel()
        self.busy.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        for widget in (self.start_page, self.canvas, self.busy):
            self._stack.addWidget(widget)
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.notice)
        self.models = ModelBar(document, theme)
        column.addWidget(self.models)
        column.addWidget(self._stack, 1)
        self.setCentralWidget(middle)
        # ---- panels
        self.readouts = ReadoutStrip(document, theme)
        self.devices = DevicesPanel(document, theme)
        self.ops = OpsPanel(document, theme)
        self.inspector = InspectorPanel(document, theme)
        self.planners = PlannersPanel(document, jobs, theme)
        self.plans = PlansPanel(document, theme)
        self.target = SettingsPanel(document, theme)
        self.suggestions = SuggestionsPanel(document, theme)
        self.why = WhyPanel(document, theme)
        self.violations = ViolationsPanel(document, theme)
        self.schedule = SchedulePanel(document, theme)
        self.convergence = ConvergencePanel(document, jobs, theme)
        self.race = RacePanel(document, jobs, theme)
        self.convergence.watch(self.race.racing)
        self.counting = StageCounting(document, self)
        self.counts = StageCountsPanel(document, self.counting, theme)
        self.package = PackagePanel(document, theme)
        self.studio = Studio(
            self, GraphShots(document, self.canvas), partial(revisit_graph, document, self.canvas)
        )
        panels: tuple[Panel, ...] = (
            self.devices, self.ops, self.inspector, self.planners, self.plans, self.target, self.suggestions, self.why,
            self.violations, self.schedule, self.convergence, self.counts, self.package,
            self.studio.panel, self.race,
        )  # fmt: skip
        self.docks = Docks(self, {panel.id: panel for panel in panels})
        self.proving = Proving(self, self)
        self.memory = Memory(self, document, self.canvas, session)

    # ------------------------------------------------------------------ what the window says
    def update_actions(self) -> None:
        """Enable what can be done now."""
        raise NotImplementedError

    def open_files(self, paths: Sequence[Path]) -> None:
        """Open files where they belong."""
        raise NotImplementedError

    # ------------------------------------------------------------------ state
    @property
    def theme(self) -> Theme:
        """The theme that is shown."""
        return self.themes.theme

    def dock_actions(self) -> list[tuple[QAction, str]]:
        """The action that shows or hides each panel, and the panel's title."""
        return [
            (dock.toggleViewAction(), self.docks.panels[id].title) for id, dock in self.docks.docks.items()
        ]

    def say(self, level: str, text: str, detail: str = "") -> None:
        """Show a notice."""
        self.notice.show_message(level, capital(text), detail)

    def may_replace(self, go_on: Callable[[], None]) -> bool:
        """Whether the open plan may be replaced at once; where it is not saved, a notice offers to go on."""
        if not self.document.modified:
            return True
        self.notice.show_message(
            "warning", "The plan is not saved. Save it (Ctrl+S), or open the other model anyway.", action="Open anyway",
            run=go_on,
        )  # fmt: skip
        return False

    def start_planner(self) -> None:
        """Start what the planners panel has chosen."""
        self.planners.refresh_now()
        self.planners.start()

    # ------------------------------------------------------------------ panels and themes
    def focus_panel(self, id: str) -> None:
        """Bring a panel to the front and give it the keyboard."""
        self.docks.reveal(id)
        panel = self.docks.panels[id]
        panel.refresh_now()
        order: dict[str, QWidget] = {"ops": self.ops.table, "plans": self.plans.list, "planners": self.planners.list, "inspector": self.inspector.view,
                 "violations": self.violations.list, "schedule": self.schedule.chart, "counts": self.counts.chart,
                 "package": self.package.view, "story": self.studio.panel.capture, "race": self.race.go}  # fmt: skip
        wanted = order.get(id)
        if wanted is None:
            found = [
                w
                for w in panel.findChildren(QWidget)
                if w.isVisible() and w.focusPolicy() & Qt.FocusPolicy.TabFocus and w.isEnabled()
            ]
            wanted = found[0] if found else None
        if wanted is not None:
            wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_theme_name(self, preference: str) -> None:
        """system, light or dark."""
        self.themes.set_preference(preference)
        self.memory.set_theme(preference)

    def set_reduced_motion(self, reduced: bool) -> None:
        """Whether ops jump instead of gliding."""
        self.reduced_motion = reduced
        self.canvas.set_reduced_motion(reduced)
        self.race.set_reduced_motion(reduced)
        self.memory.set_reduced_motion(reduced)

    def reset_docks(self) -> None:
        """All panels where and as large as they were at first."""
        self.docks.arrange()
        self.size_docks()

    def size_docks(self) -> None:
        """Sizes that suit the window, once it has its own."""
        QTimer.singleShot(0, self, lambda: self.docks.size(self.width(), self.height()))
