"""Putting the window together, and its life from the first frame to the last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from gui.app.crash_log import CrashLog
from gui.app.first_start import FirstStart
from gui.background.collecting import Collecting
from gui.background.importing import Importing
from gui.background.signals import quit_on_signals
from gui.background.warming import warming
from gui.document.values import Message
from gui.look.application import application, put_away
from gui.widgets.later import soon
from planner.cli.command import UsageError
from planner.compiling.kernel import interpret

if TYPE_CHECKING:
    from gui.editors.network.editor import OrderWindow
    from gui.editors.plan.editor import MainWindow
    from gui.editors.plan.windows import Parts
    from gui.shell.session import Session

LOOK_MS, LATE_MS = 500, 1500
"""How often it is looked whether there is a picture, for which what it does not need waits; and how long that waits where none is coming."""


class Notices(QObject):
    """Carries messages from any thread to the editor where the person is, whichever was opened first."""

    said = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.said.connect(self._show)

    def say(self, sentence: str, detail: str) -> None:
        """An error from any thread."""
        self.said.emit(Message("error", sentence, detail))

    def _show(self, message: Message) -> None:
        from gui.shell.host import editor_in_front

        editor = editor_in_front()
        if editor is not None:
            editor.say(message.level, message.text, message.detail)


def open_window(
    models: Sequence[Path], plan: Path | None, *, tour: bool = False, density: float | None = None,
    story: Path | None = None, compared: Sequence[Path] = (), batch: int | None = None, times: Sequence[str] = (),
    precision: str | None = None,
) -> int:  # fmt: skip
    """Open the window on model files and a plan, on a story or on the tour, and stay until it is closed.

    Plans to be ``compared`` are shown in a tab of their own, their model read with ``batch`` and ``precision`` (None: as the first of them says).

    ``times`` are measured ones of the graphs, as ``--times`` names them.

    Sparse networks, and dense models pruned to a ``density``, have tabs of their own. Raises :class:`UsageError` where there are only such, or
    nothing, for ``times``.
    """
    from gui.shell.host import show_editor
    from gui.shell.kinds import close_all_windows, network_files

    networks = network_files(models, density)
    graphs = [model for model in models if not any(model in paths for paths in networks)]
    if times and not graphs:
        of_networks = "--times is about graphs of operators; leave it out for a sparse network"
        raise UsageError(
            of_networks if networks else "--times says times of a model's ops; name the model before it"
        )
    app = application()
    notices = Notices()
    log = CrashLog(notices.say)
    log.install()
    collecting = Collecting()
    first_start = FirstStart(app)
    try:
        with quit_on_signals(app):
            if networks and not graphs:
                _open_networks(app, first_start, networks, plan, density, compared)
                return int(app.exec())
            from gui.editors.plan.windows import make_window

            collecting.keep()
            # The window neither waits for compilers nor stalls by one: see gui.app.first_start.
            interpret(True)
            parts = make_window(app, remember=not tour)
            try:
                show_editor(parts.window)
                # What follows waits for the first frame: the window is there at once, its contents a moment later.
                soon(
                    parts.window,
                    lambda: _begin(
                        parts, first_start, models, plan, tour, story, compared, batch, times, precision
                    ),
                )
                return int(app.exec())
            finally:
                interpret(False)
                parts.leave()
    finally:
        first_start.close()
        close_all_windows()
        put_away(app)
        warming.close()
        collecting.close()
        log.uninstall()


def _open_networks(
    app: QApplication,
    first_start: FirstStart,
    networks: Sequence[Sequence[Path]],
    plan: Path | None,
    density: float | None,
    compared: Sequence[Path] = (),
) -> None:
    """A tab for each network; a plan, and plans to be compared, are the first one's."""
    from gui.editors.network.windows import open_order_window
    from gui.look.theme import ThemeController
    from gui.shell.kinds import AHEAD
    from gui.shell.session import Session
    from planner.machines.spec import network_target

    warming.begin()
    session = Session(parent=app)
    themes = ThemeController(app, session.theme)
    first: OrderWindow | None = None
    for i, paths in enumerate(networks):
        window = open_order_window(themes, session, paths, plan if i == 0 else None, density, first)
        first = first or window
        if i == 0:
            _offer_order(window, session)
            if compared:
                from gui.editors.comparison.windows import open_order_files

                open_order_files(window, compared)
        if first is window:
            compile_rest = partial(first_start.begin, window.header, themes, network_target().kind)
            soon(window, compile_rest, 1500)
            soon(window, partial(Importing, AHEAD["network"], window), 1500)


def _begin(
    parts: Parts, first_start: FirstStart, models: Sequence[Path], plan: Path | None, tour: bool, story: Path | None = None,
    compared: Sequence[Path] = (), batch: int | None = None, times: Sequence[str] = (), precision: str | None = None,
) -> None:  # fmt: skip
    from gui.layout import warm_up as warm_up_layout
    from gui.raster import engine as raster

    if tour:
        from gui.app.tour.bar import begin_tour

        begin_tour(parts.window)
    elif story is not None:
        parts.window.studio.open_file(story)
    elif compared:
        from gui.editors.comparison.windows import open_files

        open_files(parts.window, models, compared, batch, times, precision)
    elif times:
        parts.window.files.open_timed(models, plan, times)
    elif models:
        parts.window.files.open_files([*models, *([plan] if plan is not None else [])])
    if parts.journal is not None and not _reopens(parts, bool(models or tour or story or compared)):
        _offer_recovery(parts)
    warming.begin()
    warming.load(raster.warm_up, warm_up_layout)
    _when_pictured(parts.window, partial(_begin_beside, parts, first_start))
    soon(parts.window, partial(_compile_rest, parts, first_start), LATE_MS)  # a large model may take long


def _when_pictured(window: MainWindow, work: Callable[[], None]) -> None:
    """Do ``work`` once there is a picture of the model that is being opened, which else would come later."""
    canvas = window.canvas

    def look() -> None:
        if window.files.loading.busy or canvas.busy:
            soon(window, look, LOOK_MS)
        else:
            work()

    soon(window, look, LOOK_MS if window.files.loading.busy else LATE_MS)


def _reopens(parts: Parts, asked: bool) -> bool:
    """Whether what was open the last time is being opened again, as nothing else was ``asked`` for; what a crash left is offered after that."""
    if asked or parts.session is None:
        return False
    from gui.app.reopening import Reopening

    record = parts.session.open_tabs
    was = record.read()
    if not (was.tabs or was.said):
        return False
    Reopening(parts, was, record, partial(_offer_recovery_in, parts)).begin()
    return True


def _begin_beside(parts: Parts, first_start: FirstStart) -> None:
    """Keep a process ready for the first planner, import what is needed next, prove, and compile what is not compiled yet."""
    from gui.shell.kinds import AHEAD

    parts.jobs.warm_up()
    Importing(AHEAD["plan"], parts.window)
    parts.window.proving_unasked.begin()
    _compile_rest(parts, first_start)


def _compile_rest(parts: Parts, first_start: FirstStart) -> None:
    """Compile what is not compiled yet, first for the machine that is open, if one is by now."""
    problem = parts.document.problem
    first_start.begin(parts.window.header, parts.themes, "" if problem is None else problem.target.kind)


# ---------------------------------------------------------------------- recovery
def _offer_order(window: OrderWindow, session: Session) -> None:
    """Offer what crashed windows had not saved, once the window's own network is there: opening it clears the notice."""
    from gui.app.recovering import Recovery

    recovery = Recovery(window.notice, window.files.loading, window.themes, session)

    def offer() -> None:
        window.document.model_changed.disconnect(offer)
        soon(window, recovery.offer)

    window.document.model_changed.connect(offer)


def _offer_recovery(parts: Parts) -> None:
    """Offer what crashed windows had not saved."""
    _offer_recovery_in(parts, parts.window, "")


def _offer_recovery_in(parts: Parts, window: MainWindow | OrderWindow, told: str) -> None:
    """Offer it in a window, which may have opened beside the one of ``parts``, after ``told`` is said."""
    from gui.app.recovering import Recovery

    here = parts if window is parts.window else None
    Recovery(window.notice, window.files.loading, parts.themes, parts.session, here).offer(told)
