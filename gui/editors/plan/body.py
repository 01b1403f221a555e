"""The body of a graph's window: the parts that its actions, files and pickers act on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from gui.background.proving import Proving
from gui.background.proving_unasked import ProvingUnasked
from gui.background.robustness import RobustnessSearch
from gui.background.stage_counting import StageCounting
from gui.background.warming import warming
from gui.editors.plan.docks import GraphDocks
from gui.editors.plan.memory import GraphMemory
from gui.editors.plan.model_bar import ModelBar
from gui.editors.plan.panels.devices import DevicesPanel
from gui.editors.plan.panels.inspector import InspectorPanel
from gui.editors.plan.panels.ops import OpsPanel
from gui.editors.plan.panels.robust import RobustPanel
from gui.editors.plan.panels.running.panel import RunPanel
from gui.editors.plan.panels.settings import SettingsPanel
from gui.editors.plan.panels.suggestions import SuggestionsPanel
from gui.editors.plan.panels.violations import ViolationsPanel
from gui.editors.plan.panels.why import WhyPanel
from gui.editors.plan.revisit import revisit_graph
from gui.editors.plan.story_colours import StoryColours
from gui.look.theme import Theme, ThemeController
from gui.panels.base import Panel
from gui.panels.edge_tpu.panel import StageCountsPanel
from gui.panels.mcm.panel import PackagePanel
from gui.panels.mcm.training.panel import TrainingPanel
from gui.panels.plans import PlansPanel
from gui.panels.readouts import ReadoutStrip
from gui.panels.schedule.panel import SchedulePanel
from gui.shell.kinds import windows_of
from gui.shell.palette import Choice
from gui.tools.planning_window import PlanningWindow
from gui.tools.story.shots import GraphShots
from gui.tools.story.studio import Studio
from gui.widgets.later import Later, soon
from gui.words.machines import parameter_names

if TYPE_CHECKING:
    from gui.background.jobs import Jobs
    from gui.document.plan.document import Document
    from gui.shell.session import Session
    from gui.tools.story.frames import Frame
    from gui.widgets.forms import Value

EDITING_MS = 250
"""From another problem until what edits its plans is loaded: that is not needed for the picture of it."""
CanvasFactory = Callable[["Document", Theme, QWidget], Any]


def default_canvas(document: Document, theme: Theme, parent: QWidget) -> Any:
    """The canvas with its minimap."""
    from gui.canvas.graph.minimap import Minimap
    from gui.canvas.graph.view import CanvasView
    from gui.canvas.graph.way_back import WayBack

    canvas = CanvasView(document, theme, parent)
    Minimap(canvas)
    WayBack(canvas)
    return canvas


def _scale_height(canvas: Any) -> float:
    """How much of the canvas's foot the scale of a heat map takes."""
    from gui.canvas.graph.heat.legend import legend_height

    return legend_height(canvas.scene)


class GraphBody(PlanningWindow):
    """The canvas in the middle, panels around. :class:`gui.editors.plan.editor.MainWindow` adds what is done with them."""

    docks: GraphDocks
    memory: GraphMemory
    prompt = "Type a command, or the name of an op"
    manual = ("In the window of a graph", "The canvas")

    def __init__(
        self,
        document: Document,
        jobs: Jobs,
        themes: ThemeController,
        session: Session | None,
        canvas_factory: CanvasFactory,
    ) -> None:
        self.story_colours = StoryColours(document)
        super().__init__("stageboard", document, jobs, themes, session)
        theme = themes.theme
        # ---- the middle
        self.canvas = canvas_factory(document, theme, self)
        self._stack = QStackedWidget()
        for widget in (self.start_page, self.canvas, self.waiting):
            self._stack.addWidget(widget)
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.models = ModelBar(document, theme)
        column.addWidget(self.models)
        column.addWidget(self._stack, 1)
        self.setCentralWidget(middle)
        minimap = self.canvas.findChild(QWidget, "minimap")
        self.notice.lie_over(middle, lambda: self._stack, lambda: minimap, lambda: _scale_height(self.canvas))
        for signal in (self.canvas.colouring_changed, self.canvas.scene_changed):
            signal.connect(self.notice.lie_anew)
        document.preview_changed.connect(lambda: self.notice.step_aside(document.preview is not None))
        # ---- panels
        self.readouts = ReadoutStrip(document, theme)
        self.readouts.keyboard_left.connect(self.canvas.setFocus)
        self.devices = DevicesPanel(document, theme)
        self.ops = OpsPanel(document, theme)
        self.inspector = InspectorPanel(document, theme)
        self.plans = PlansPanel(document, theme)
        self.target = SettingsPanel(document, theme)
        self.counting = StageCounting(document, self)
        self.suggestions = SuggestionsPanel(
            document, theme, counting=self.counting, drawing=lambda: self.canvas.busy
        )
        self.why = WhyPanel(document, theme, counting=self.counting)
        self.violations = ViolationsPanel(document, theme)
        self.schedule = SchedulePanel(document, theme)
        self.counts = StageCountsPanel(document, self.counting, theme)
        self.suggestions.take_requested.connect(self.counts.take_over)
        self.package = PackagePanel(document, theme)
        self.training = TrainingPanel(document, theme)
        self.training.planner_wanted.connect(self._prepare_planner)
        self.sureness = RobustnessSearch(document, self)
        self.sureness.proven.connect(jobs.hear)
        self.robust = RobustPanel(document, self.sureness, theme)
        self.run_panel = RunPanel(document, theme)
        self.studio = Studio(
            self,
            GraphShots(document, self.canvas),
            self._revisit,
        )
        panels: tuple[Panel, ...] = (
            self.devices, self.ops, self.inspector, self.planners, self.plans, self.target, self.suggestions, self.why,
            self.violations, self.schedule, self.convergence, self.counts, self.package, self.robust, self.run_panel,
            self.training, self.studio.panel, self.race,
        )  # fmt: skip
        self.docks = GraphDocks(self, {panel.id: panel for panel in panels})
        self.proving = Proving(self, self)
        self.proving_unasked = ProvingUnasked(document, jobs, self)
        self.proving_unasked.changed.connect(lambda: self.readouts.set_proving(self.proving_unasked.words))
        self._editing_later = Later(self._load_editing, self, EDITING_MS)
        for signal in (document.model_changed, document.problem_changed):
            signal.connect(self._editing_later.ask)
        self.memory = GraphMemory(self, document, self.canvas, session)
        self.story_colours.changed.connect(lambda: self.apply_theme(self.themes.theme))

    def _revisit(self, frame: Frame, numbers: Sequence[int]) -> None:
        """Back from a keyframe: to the comparison that it shows, while the canvas stays as it is, or to its plan. Raises :class:`StoryError`."""
        if frame.keyframe.view == "comparison" and self.document.problem is not None:
            windows_of("comparison").show_keyframe(self, frame)
        else:
            revisit_graph(self.document, self.canvas, self.story_colours, frame, numbers)

    def _load_editing(self) -> None:
        """What the first drag on another machine takes is there when it comes; the picture comes first."""
        if self.canvas.busy:
            self._editing_later.ask()
        elif self.document.problem is not None:
            warming.load_editing(self.document.problem)

    def show_canvas(self) -> None:
        """Show the canvas, also before there is anything on it."""
        self._stack.setCurrentWidget(self.canvas)

    def show_find(self) -> None:
        """The find box has the keyboard."""
        self.docks.reveal("ops")
        self.ops.show_find()

    def select_bottleneck(self) -> None:
        """Select the ops of the device that sets the pace, and inspect it."""
        device = self.document.evaluation.bottleneck
        self.document.select(np.flatnonzero(self.document.device_of == device))
        self.inspector.show_device(device)

    # ------------------------------------------------------------------ panels and looks
    def _prepare_planner(self, name: str, options: Mapping[str, Value]) -> None:
        """Go to the planners panel, with a planner chosen that has these options from now on."""
        self.focus_panel("planners")
        self.planners.give(name, options)
        method = self.planners.method()
        if method is not None and method.name == name:
            self.say(
                "info", f"{method.title} plans with these {', '.join(options)} from now on: Start runs it."
            )

    def choose_machine(self, kind: str) -> None:
        """Go to the target panel, with a kind of machine chosen that *Apply* takes."""
        self.focus_panel("target")
        self.target.choose_kind(kind)

    def more_choices(self) -> list[Choice]:
        """Machines, too."""
        from planner.machines.spec import kinds

        problem = self.document.problem
        if problem is None:
            return super().more_choices()
        machines = [
            Choice(
                f"Target: {cls.title} ({kind})", partial(self.choose_machine, kind),
                "is chosen" if kind == problem.target.kind else "", also=f"target: {parameter_names(cls)}",
            )
            for kind, cls in kinds().items()
            if not cls.plans_networks
        ]  # fmt: skip
        return [*super().more_choices(), *machines]

    def first_widget(self, id: str) -> QWidget | None:
        """What has the keyboard first in a panel."""
        places: dict[str, QWidget] = {
            "ops": self.ops.table, "plans": self.plans.list, "planners": self.planners.list, "inspector": self.inspector.view,
            "violations": self.violations.list, "schedule": self.schedule.chart, "counts": self.counts.chart,
            "package": self.package.view, "robust": self.robust.table, "run": self.run_panel.button,
            "training": self.training.go, "target": self.target.kind, "story": self.studio.panel.capture, "race": self.race.go,
        }  # fmt: skip
        return places.get(id)

    def set_reduced_motion(self, reduced: bool) -> None:
        """Whether ops jump instead of gliding."""
        self.canvas.set_reduced_motion(reduced)
        super().set_reduced_motion(reduced)

    @property
    def theme(self) -> Theme:
        """The theme that is shown; devices have the colours of the keyframe that is."""
        return self.themes.theme.numbered(self.story_colours.numbers)

    def apply_theme(self, theme: Theme) -> None:
        """Other colours."""
        theme = theme.numbered(self.story_colours.numbers)
        super().apply_theme(theme)
        for part in (self.readouts, self.models, self.canvas):
            part.set_theme(theme)

    def size_docks(self) -> None:
        """Sizes that suit the window, once it has its own."""
        soon(self, lambda: self.docks.size(self.width(), self.height()))
