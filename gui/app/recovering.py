"""Offering what crashed windows had not saved: every one of them, one notice after the other, to recover or to discard.

What is neither stays where it is and is offered again at the next start. A model that has moved can be pointed to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from gui.document.crash_files import remove
from gui.document.network import autosave
from gui.document.network.autosave import LostOrder, lost_orders
from gui.document.plan import recovery
from gui.document.plan.recovery import Leftover, leftovers
from gui.shell.kinds import windows_of
from gui.tools.story import keeping
from gui.tools.story.keeping import LostStory, lost_stories
from gui.widgets.later import soon
from planner.errors import StageboardError
from planner.machines.two_level_memory.problem import NetworkProblem, OrderPlan

if TYPE_CHECKING:
    from gui.background.loading import Loading
    from gui.document.network.opening import OpenedNetwork
    from gui.editors.network.editor import OrderWindow
    from gui.editors.plan.windows import Parts
    from gui.look.theme import ThemeController
    from gui.shell.session import Session
    from gui.tools.planning_window import PlanningWindow
    from gui.tools.story.frames import ModelSource
    from gui.widgets.notice import NoticeBar
    from planner.model.graph import Graph
    from planner.model.network import Network
    from planner.story.story import Resolved

Lost = Leftover | LostOrder | LostStory


def everything_left(damaged: list[Path] | None = None) -> list[Lost]:
    """What crashed windows left behind, the latest first; stories come after the models that they are about.

    Files that cannot be read are kept under the names that are added to ``damaged``.
    """
    left: list[Lost] = [
        *leftovers(damaged=damaged), *lost_orders(damaged=damaged), *lost_stories(damaged=damaged),
    ]  # fmt: skip
    return sorted(left, key=lambda lost: (isinstance(lost, LostStory), -lost.time))


def damage(records: Sequence[Path], settings: Path | None) -> str:
    """A sentence or two on files that could not be read and are kept; empty where there are none."""
    said = []
    if records:
        what = (
            "What a crash left cannot be read"
            if len(records) == 1
            else f"{len(records)} files that crashes left cannot be read"
        )
        said.append(f"{what}; nothing of it is deleted ({', '.join(map(str, records))}).")
    if settings is not None:
        said.append(
            f"The settings could not be read in full and begin anew; what was there is kept ({settings})."
        )
    return " ".join(said)


def read_again(lost: Lost) -> object:
    """Read what is needed to recover it. Raises :class:`StageboardError`; may take a while."""
    if isinstance(lost, Leftover):
        return recovery.prepare(lost)
    if isinstance(lost, LostOrder):
        return autosave.prepare(lost)
    resolved, sources = keeping.prepare(lost)
    return resolved, sources, _network_of(resolved, sources[0])


def _network_of(resolved: Resolved, source: ModelSource) -> OpenedNetwork | None:
    """The network that a story begins with, ready to be opened; None for a graph."""
    from gui.document.network.opening import prepare_network

    plan = resolved.plans[0]
    if not isinstance(plan, OrderPlan):
        return None
    return prepare_network(plan.problem.network, source.paths, source.density, plan.problem.target)


class Recovery(QObject):
    """Asks in ``notice``, reads with ``loading``. ``parts`` is the window of graphs that it is in, if it is in one.

    A graph is opened there as long as nothing can be lost by that, else, like every network, in a tab of its own.
    """

    def __init__(
        self,
        notice: NoticeBar,
        loading: Loading,
        themes: ThemeController,
        session: Session | None,
        parts: Parts | None = None,
    ) -> None:
        super().__init__(notice)
        self._notice, self._loading = notice, loading
        self._themes, self._session, self._parts = themes, session, parts
        self._left: list[Lost] = []
        self._count = self._kept = 0
        self._told = ""
        """What is to be said before anything is offered."""
        self._reading = self._used = False
        self._next: Lost | None = None
        """What is to be recovered once the model is there that is being opened: that is not to be lost by it."""
        notice.dismissed.connect(self._soon)
        loading.busy_changed.connect(self._soon)

    def offer(self, told: str = "") -> None:
        """Offer everything that is left, after what is to be ``told`` first."""
        damaged: list[Path] = []
        self._left = everything_left(damaged)
        said = damage(damaged, None if self._session is None else self._session.damaged)
        self._told = f"{told} {said}".strip()
        if self._session is not None:
            self._session.sync()
            self._told = f"{self._told} {self._session.trouble}".strip()
            self._session.refused.connect(self._tell)
        self._count = len(self._left)
        self._go_on()

    # ------------------------------------------------------------------ one after the other
    def _tell(self, text: str) -> None:
        """Say something more, once the notice is free."""
        self._told = f"{self._told} {text}".strip()
        self._soon()

    def _said(self) -> None:
        self._told = ""

    def _soon(self) -> None:
        """The notice may be free: what took its place is read, or was dismissed by something else than a person."""
        if self._left or self._kept or self._told:
            soon(self, self._when_free)

    def _when_free(self) -> None:
        if (self._reading or self._next is not None) and self._loading.busy:
            return
        self._reading = False  # another model may have been opened meanwhile
        if self._next is not None:
            lost, self._next = self._next, None
            self._recover(lost)
            return
        if self._notice.isHidden():
            self._go_on()

    def _go_on(self) -> None:
        if self._told:
            text = self._told
            if not self._loading.busy:  # a model that opens takes the notice away: then it is said again
                self._said()
            self._notice.show_message("warning", text, closed=self._said)
            return
        while self._left and not self._left[0].path.exists():
            self._left.pop(0)  # by another window meanwhile
        if self._left:
            self._ask(self._left[0])
        elif self._kept:
            what = "It is" if self._kept == 1 else f"{self._kept} of them are"
            self._kept = 0
            self._notice.show_message(
                "info", f"{what} kept, and offered again when Stageboard starts the next time."
            )

    def _ask(self, lost: Lost) -> None:
        number = self._count - len(self._left) + 1
        which = f" ({number} of {self._count})" if self._count > 1 else ""
        self._notice.show_message(
            "warning", f"{lost.sentence}{which}.", action="Recover", run=lambda: self._recover(lost),
            other="Discard", run_other=lambda: self._ask_to_discard(lost), closed=self._keep,
        )  # fmt: skip

    def _done_with(self, lost: Lost) -> None:
        self._left.remove(lost)
        self._soon()

    def _keep(self) -> None:
        """A person closed the notice: not now."""
        self._kept += 1
        self._left.pop(0)
        self._go_on()

    # ------------------------------------------------------------------ discarding
    def _ask_to_discard(self, lost: Lost) -> None:
        self._notice.show_message(
            "warning", f"Discard {lost.contents} of {lost.name}? This cannot be undone.",
            action="Discard", run=lambda: self._discard(lost), other="Keep", run_other=lambda: self._ask(lost), closed=self._keep,
        )  # fmt: skip

    def _discard(self, lost: Lost) -> None:
        remove(lost.path)
        self._done_with(lost)

    # ------------------------------------------------------------------ recovering
    def _recover(self, lost: Lost) -> None:
        if self._loading.busy and not self._reading:
            self._next = lost
            return

        def prepare() -> object:
            try:
                return read_again(lost)
            except StageboardError as error:
                return error

        def install(found: Any) -> None:
            try:
                if isinstance(found, StageboardError):
                    raise found
                self._install(lost, found)
            except StageboardError as error:
                self._failed(lost, error)
            else:
                self._done_with(lost)

        self._reading = True
        self._loading.start("Recovering …", prepare, install)

    def _install(self, lost: Lost, found: Any) -> None:
        if isinstance(lost, LostOrder):
            self._order_window().files.recover(lost, found)
        elif isinstance(lost, LostStory):
            resolved, sources, network = found
            window = self._window_about(sources[0].model)
            if window is None and network is not None:
                window = self._order_window()
                window.install(network)
            (window or self._graph_parts().window).studio.recover(lost, resolved, sources)
        else:
            parts = self._graph_parts(lost.models)
            for columns in recovery.recover(parts.document, lost, found):
                if len(columns) > 1:
                    parts.window.attempt(
                        partial(windows_of("comparison").open_columns, parts.window, columns)
                    )

    def _order_window(self) -> OrderWindow:
        from gui.editors.network.windows import open_order_window

        return open_order_window(self._themes, self._session, beside=self._notice)

    def _graph_parts(self, models: Sequence[Path] = ()) -> Parts:
        """The window of graphs that this one is in, where nothing is lost by that: nothing is open there but these ``models``, as read; else the tab where they are, or another."""
        from gui.editors.plan.windows import graph_parts, open_graph_window

        same = [
            one for one in graph_parts() if one.document.paths == tuple(models) and not one.document.modified
        ]
        if models and same and not same[0].window.closed:
            return same[0]
        here = self._parts
        document = None if here is None else here.document
        taken = document is not None and document.problem is not None and document.paths != tuple(models)
        if here is None or taken or here.document.modified or self._used:
            remember = self._session is not None
            return open_graph_window((), None, remember=remember, beside=self._notice, themes=self._themes)
        self._used = True
        return here

    def _window_about(self, model: Graph | Network) -> PlanningWindow | None:
        """A window in which this model is open, and no story."""
        from gui.editors.network.windows import order_windows
        from gui.editors.plan.windows import graph_windows

        here = [] if self._parts is None else [self._parts.window]
        for window in (*here, *graph_windows(), *order_windows()):
            problem = window.document.problem
            if problem is None or window.studio.draft.frames or window.closed:
                continue
            opened = problem.network if isinstance(problem, NetworkProblem) else problem.graph
            if opened.fingerprint == model.fingerprint:
                return window
        return None

    def _failed(self, lost: Lost, error: StageboardError) -> None:
        """Its model is not what it was, or not where it was."""
        self._notice.show_message(
            "error", f"{lost.name} cannot be recovered: {error}.",
            action="Locate the model…" if lost.models else "Try again",
            run=lambda: self._locate(lost) if lost.models else self._recover(lost),
            other="Discard", run_other=lambda: self._ask_to_discard(lost), closed=self._keep,
        )  # fmt: skip

    def _locate(self, lost: Lost) -> None:
        """Ask where the models are that are missing, or, where all are there, the right ones; then try again."""
        missing = [model for model in lost.models if not model.exists()] or list(lost.models)
        found: dict[Path, Path] = {}
        for model in missing:
            near = next((folder for folder in model.parents if folder.is_dir()), Path())
            name, _ = QFileDialog.getOpenFileName(
                self._notice.window(), f"Where is {model.name} now?", str(near)
            )
            if not name:
                self._ask(lost)
                return
            found[model] = Path(name)
        moved = replace(lost, models=tuple(found.get(model, model) for model in lost.models))
        self._left[self._left.index(lost)] = moved
        self._recover(moved)
