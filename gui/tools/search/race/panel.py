"""The race panel: one button, a leaderboard, and sentences on who found and who proved what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gui.document.values import Message
from gui.look.theme import Theme, font
from gui.panels.base import Panel
from gui.tools.search.job_row import other_problem
from gui.tools.search.race.entrants import Entrants
from gui.tools.search.race.facts import board_facts
from gui.tools.search.race.headline import Headline
from gui.tools.search.race.leaderboard import Leaderboard
from gui.tools.search.race.leaderboard_rows import LeaderboardHead
from gui.tools.search.race.racing import Racing
from gui.tools.search.race.replaying import Replaying
from gui.tools.search.race.screen import LargeRace
from gui.tools.search.race.setup import RaceSetup
from gui.tools.search.race.words import over_at_once, sentences
from gui.widgets.forms import Disclosure
from gui.widgets.labels import set_role
from gui.widgets.offering import offer
from gui.widgets.plain import PlainLabel
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.background.jobs import Jobs
    from gui.document.plan.document import Document
    from gui.tools.search.race.course import Course

INVITATION = (
    "Several planners at once: a better plan of one warms the others, and what one proves counts for all."
)
WHOLE_IOS = "I\N{WORD JOINER}/\N{WORD JOINER}O"
"""I/O in a text that is wrapped: no line ends after the stroke."""
LEAST_BOARD = 124
"""Height in pixels that the leaderboard keeps beside an open set-up."""
AROUND = 44
"""Margins and spaces of the panel, in pixels."""
TALL_PANEL = 700
"""Height from which both have room."""


class RacePanel(Panel):
    """Owns the :class:`Racing` of the window. Call :meth:`close_race` before the window goes."""

    id: ClassVar[str] = "race"
    title: ClassVar[str] = "Race"

    highlight_requested = Signal(object)
    """bool[n] of the ops to let stand out on the canvas, or None."""
    entry_shown = Signal(object)
    """An entrant's entry of the plan list was looked at."""
    compare_requested = Signal(object)
    """Compare these entries (a list of :class:`gui.document.plan_list.PlanEntry`)."""

    def __init__(self, document: Document, jobs: Jobs, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.racing = Racing(document, jobs, self)
        self.replaying = Replaying(document, self)
        self.headline = Headline(theme, self)
        self.invitation = QLabel(INVITATION, self)
        self.invitation.setWordWrap(True)
        set_role(self.invitation, "muted")
        self.go = QPushButton("Start race", self)
        self.go.setObjectName("primary")
        self.go.clicked.connect(self.start_or_stop)
        self.anew = QPushButton("Race from nothing", self)
        self.anew.setToolTip("Start without the plan on the canvas and without what is proven already")
        self.anew.clicked.connect(lambda: self.start(from_nothing=True))
        self.large = LargeRace(self.racing, theme, self.start_or_stop, lambda: self.start(True), self)
        self.follow = QCheckBox("Follow", self)
        self.follow.setChecked(True)
        self.follow.setToolTip(
            "Show the best plan on the canvas as it is found, unless you edit: one undo step"
        )
        self.follow.clicked.connect(self.racing.follow)
        self.board = Leaderboard(theme, self)
        self.head = LeaderboardHead(self.board, self)
        self.board.setFrameShape(QFrame.Shape.NoFrame)
        self.entrants = Entrants(document, self.racing, self.replaying, self.board, self)
        self.entrants.highlight_requested.connect(self.highlight_requested)
        self.entrants.entry_shown.connect(self.entry_shown)
        self.entrants.compare_requested.connect(self.compare_requested)
        self.says = PlainLabel("", self)
        self.says.setWordWrap(True)
        self.says.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self.setup = RaceSetup(theme)
        self.setup.changed.connect(self._setup_changed)
        self.setup_button = Disclosure("Set-up", self)
        self.setup_words = PlainLabel("", self)
        self.setup_words.setWordWrap(True)
        self.setup_words.setFont(font(8.0))
        set_role(self.setup_words, "muted")
        inside = QWidget()
        inside.setObjectName("scrolled")
        column = QVBoxLayout(inside)
        column.setContentsMargins(10, 0, 10, 6)
        column.addWidget(self.setup)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(inside)
        self.setup_button.add(self._area)
        self.setup_button.toggled.connect(self.request_refresh)
        self._lay_out()
        self.racing.changed.connect(self.request_refresh)
        self.racing.started.connect(lambda: self.setup_button.setChecked(False))
        document.model_changed.connect(self._another_graph)
        document.problem_changed.connect(self.request_refresh)
        document.readouts_changed.connect(self.request_refresh)
        document.plans_changed.connect(self._settle)

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        self.go.setMaximumWidth(320)
        buttons.addWidget(self.go, 4)
        buttons.addWidget(self.follow)
        buttons.addStretch(1)
        buttons.addWidget(self.large)
        top = QVBoxLayout()
        top.setContentsMargins(10, 6, 10, 4)
        top.setSpacing(6)
        # First, so that it stays below the pointer whatever is said beneath.
        top.addLayout(buttons)
        top.addWidget(self.invitation)
        top.addWidget(self.headline)
        fold = QHBoxLayout()
        fold.setContentsMargins(8, 0, 10, 0)
        fold.setSpacing(6)
        fold.addWidget(self.setup_button)
        fold.addWidget(self.setup_words, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(2)
        column.addLayout(top)
        column.addWidget(self.head)
        column.addWidget(self.board, 100)
        self.says.setContentsMargins(10, 2, 10, 2)
        self.says.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        column.addWidget(self.says)
        column.addWidget(self.anew, 0, Qt.AlignmentFlag.AlignLeft)
        column.addLayout(fold)
        column.addWidget(self._area, 133)
        column.addStretch(0)

    # ------------------------------------------------------------------ contents
    @property
    def course(self) -> Course | None:
        """The race that is shown."""
        return self.racing.course

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.board.set_theme(theme)
        self.setup.set_theme(theme)
        self.large.set_theme(theme)
        super().set_theme(theme)

    def set_reduced_motion(self, reduced: bool) -> None:
        """Whether rows jump to their places."""
        self.board.reduced = self.large.reduced = reduced

    def _another_graph(self) -> None:
        self.replaying.stop()
        self.setup.forget()  # a field is looked for when the panel is seen, or a race starts
        self.request_refresh()

    def _setup_changed(self) -> None:
        self._settle()
        if self.document.problem is not None:
            self.setup_words.setText(self.setup.words())

    def refresh(self) -> None:
        """Show the race as it is now."""
        course, problem = self.course, self.document.problem
        self.setup.show_problem(problem)
        self.setup.suggest_gap(self.document.gap if problem is not None and not self.racing.running else None)
        if problem is None:
            self.setup_button.setChecked(False)
        buttons: tuple[QWidget, ...] = (self.setup_button, self.setup_words, self.go, self.follow, self.large)
        for button in buttons:
            button.setVisible(problem is not None)
        self.invitation.setVisible(course is None and not self.setup_button.isChecked())
        nothing = self.document.nothing("Open a model to race planners on it.")
        self.invitation.setText(INVITATION if problem is not None else nothing)
        for part in (self.headline, self.head, self.board, self.says):
            part.setVisible(course is not None)
        self.anew.setVisible(course is not None and over_at_once(course))
        if problem is not None:
            self.setup_words.setText(self.setup.words())
        if course is not None:
            facts = board_facts(course)
            self.headline.show_course(course, self.theme)
            self.board.show_facts(facts)
            self.head.update()
            self.says.setText(self._sentence(course))
        else:
            self.board.show_facts(None)
        self.follow.setChecked(self.racing.follows)
        self._share_height()
        self._settle()

    def _sentence(self, course: Course) -> str:
        """How it ended, or who proved what so far; and that it is about another problem where it is."""
        parts = [sentences(course)]
        elsewhere = other_problem(cast(Any, course.problem), self.document.problem)
        if elsewhere:
            parts.insert(0, f"This race is about the earlier problem: {elsewhere}.")
        return " ".join(part for part in parts if part).replace("I/O", WHOLE_IOS)

    def _share_height(self) -> None:
        """An open set-up takes the room; what is beside it stays readable."""
        is_open = self.setup_button.isChecked()
        beside = (self.go, self.headline, self.head, self.setup_button)
        said = self.says.heightForWidth(self.width()) if self.says.isVisible() else 0
        room = self.height() - sum(part.sizeHint().height() for part in beside) - said - AROUND
        wanted = self.board.wanted_height(room)
        self.board.setMinimumHeight(min(LEAST_BOARD, wanted))
        self.board.setMaximumHeight(
            min(LEAST_BOARD, wanted) if is_open and self.height() < TALL_PANEL else wanted
        )
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.setStretch(layout.count() - 1, 0 if is_open else 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another height is shared anew."""
        super().resizeEvent(event)
        self._share_height()

    def _settle(self) -> None:
        """What can be done now."""
        course, problem = self.course, self.document.problem
        running = self.racing.running
        if running:
            stopping = course is not None and all(
                r.standing.state in ("stopping", "ended") for r in course.runners
            )
            self.go.setText("Stopping…" if stopping else "Stop race")
            # It stays enabled: a button that greys under the focus hands the keyboard on to another.
            offer(self.go, "", "Stop everybody; the plans found are kept")
        else:
            chosen = bool(self.setup.methods.chosen())
            self.go.setText("Start race" if course is None else "Race again")
            lacking = (
                "open a model first"
                if problem is None
                else ""
                if chosen
                else "choose who takes part in the set-up"
            )
            offer(self.go, lacking, f"Race {self.setup.words()}" if not lacking else "")
        self.setup.setEnabled(not running)

    # ------------------------------------------------------------------ starting and stopping
    def close_race(self) -> None:
        """The window goes: end every process."""
        self.large.close_screen()
        self.racing.close()
        self.replaying.stop()

    def start_or_stop(self) -> None:
        """The one button."""
        if self.racing.running:
            self.racing.stop()  # once more does no harm
        else:
            self.start()

    def start(self, from_nothing: bool = False) -> Course | None:
        """Start a race with what the set-up says; ``from_nothing`` without the plan on the canvas and what is proven of it."""
        self.refresh_now()
        try:
            return self.racing.start(self.setup.settings(from_nothing))
        except StageboardError as error:
            self.document.message.emit(Message("error", str(error)))
            return None
