"""Opening the compare window: on plans of a main window's list, on plan files, on the example."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gui.document.history import Column
from gui.document.network.entries import OrderEntry
from gui.document.plan.taking import entry_of, listed, put_on_canvas
from gui.document.plan_list import PlanEntry
from gui.document.steps import apply_words
from gui.editors.comparison.revisit import look_as, places_in
from gui.editors.comparison.sources import Source
from gui.editors.comparison.state import MOST, check_room, entry_sources, file_sources
from gui.editors.comparison.window import ComparisonWindow
from gui.shell.host import reveal, show_editor
from gui.tools.story.frames import ElsewhereError
from gui.widgets.later import soon
from gui.widgets.turn import OTHERS
from gui.words.methods import shown_name
from planner.errors import StageboardError
from planner.problem.problem import Plan

if TYPE_CHECKING:
    from gui.background.proving_unasked import ProvingUnasked
    from gui.document.network.document import OrderDocument
    from gui.document.plan.document import Document
    from gui.editors.comparison.editor import CompareWindow
    from gui.editors.comparison.orders.editor import OrdersWindow
    from gui.look.theme import ThemeController
    from gui.shell.session import Session
    from gui.tools.story.frames import Frame
    from gui.tools.story.studio import Studio
    from planner.problem.bound import Bound


class AnyWindow(Protocol):
    """The window whose plans are compared."""

    document: Any
    themes: ThemeController
    session: Session | None
    files: Any
    ended: Any
    reduced_motion: bool

    def say(self, level: str, text: str) -> None:
        """Show a message."""


class PlanWindow(AnyWindow, Protocol):
    """The window of a graph."""

    document: Document
    studio: Studio
    proving_unasked: ProvingUnasked


class OrderWindow(AnyWindow, Protocol):
    """The window of a network."""

    document: OrderDocument
    canvas: Any


_windows: list[ComparisonWindow] = []
"""Open ones; nothing else keeps them alive."""


def open_comparison(window: PlanWindow, entries: Sequence[PlanEntry]) -> CompareWindow:
    """Compare plans of a window's list, the first being the reference; a single one with the plan on the canvas.

    Where these plans are compared already that comes to the front as it is; other comparisons stay beside it. Raises
    :class:`StageboardError` where the plans cannot be compared.
    """
    document = window.document
    chosen = list(dict.fromkeys(entries))
    if len(chosen) == 1 and document.active is not None and document.active is not chosen[0]:
        chosen.insert(0, document.active)
    return _open(window, entry_sources(chosen))


def open_plans(window: PlanWindow, paths: Sequence[str | Path]) -> CompareWindow:
    """Compare plan files of the open model with one another; a single one with the plan on the canvas.

    Raises :class:`StageboardError` for a damaged file or a plan of another graph, before anything changes.
    """
    document = window.document
    sources, bounds = file_sources([Path(path) for path in paths], document)
    if len(sources) == 1 and document.active is not None:
        sources.insert(0, on_canvas(document))
    return _open(window, sources, bounds)


def on_canvas(document: Document) -> Source:
    """The plan on the canvas, which has one, as a column."""
    active = document.active
    assert active is not None
    return Source(active, path=document.plan_path if active.origin == "file" else None)


def open_with_canvas(window: PlanWindow, paths: Sequence[str | Path]) -> CompareWindow:
    """Compare the plan on the canvas, as A, with plan files of the open model, and say which of them there is no room for.

    Raises :class:`StageboardError` like :func:`open_plans`.
    """
    active = window.document.active
    if active is None:
        return open_plans(window, paths)
    sources, bounds = file_sources([Path(path) for path in paths], window.document)
    shown, rest = sources[: MOST - 1], sources[MOST - 1 :]
    compared = _open(window, [on_canvas(window.document), *shown], bounds)
    if rest:
        names = " and ".join(str(source.path.name) for source in rest if source.path is not None)
        compared.say(
            "warning",
            f"{names} {'is' if len(rest) == 1 else 'are'} left out: at most {MOST} plans are compared at once, and A is the plan"
            f" on the canvas, “{shown_name(active.name)}”",
        )
    return compared


def show_keyframe(window: PlanWindow, frame: Frame) -> None:
    """Show the comparison that a keyframe is of: one that is open, else one of its plans, which come into the list where they are not in it.

    Raises :class:`ElsewhereError` where the keyframe is about another model than the open one.
    """
    document = window.document
    if frame.shown.source.model.fingerprint != document.open_problem.graph.fingerprint:
        raise ElsewhereError(frame)
    for shown in (cast("CompareWindow", one) for one in comparisons_of(document)):
        if places := places_in(shown, frame):
            reveal(shown)
            break
    else:
        entries = [listed(document, cast(Plan, one.plan), one.bounds) for one in frame.plans]
        shown = _open(window, entry_sources(entries))
        places = list(range(len(frame.plans)))
    look_as(shown, frame, places)


def open_columns(window: PlanWindow, columns: Sequence[Column]) -> None:
    """Compare again what a crash had closed. Raises :class:`StageboardError` for a file that is damaged by now."""
    files = [one for one in columns if isinstance(one, Path)]
    from_files, bounds = file_sources(files, window.document)
    read = iter(from_files)
    _open(window, [next(read) if isinstance(one, Path) else Source(one) for one in columns], bounds)


def open_files(
    window: PlanWindow, models: Sequence[Path], plans: Sequence[Path], batch: int | None = None, times: Sequence[str] = (),
    precision: str | None = None,
) -> None:  # fmt: skip
    """Open model files in a window with the first of their plans on the canvas, put the others into the list and compare them with it.

    ``batch`` or ``precision`` None: as the first plan's model was read. ``times`` are measured ones as the command line names them, devices by number those
    of the first plan. What goes wrong is said in the window.
    """
    from planner.plan_files.plan_json import plan_model_options

    document, file = window.document, Path(plans[0]).absolute()
    wanted = tuple(Path(model).absolute() for model in models)

    def show() -> None:
        try:
            (first, *others), bounds = file_sources(plans, document)
            assert first.plan is not None
            known = entry_of(document, first.plan)
            if known is None or known.path != file:
                document.open_plan(file)
            elif known is not document.active:
                put_on_canvas(document, first.plan, known, apply_words(known.name))
            canvas = on_canvas(document)
            canvas.path, canvas.notes, canvas.other_costs = file, first.notes, first.other_costs
            for other in others:
                assert other.plan is not None
                listed(document, other.plan, other.file_claims, other.path)
            _open(window, [canvas, *others], bounds)
        except StageboardError as error:
            window.say("error", str(error))

    def opened() -> None:
        document.model_changed.disconnect(opened)
        if document.paths == wanted:  # else another model was chosen meanwhile
            soon(document, show)

    if document.problem is not None and document.paths == wanted and not times:
        show()
        return
    try:
        options = plan_model_options(plans[0])
    except StageboardError as error:
        window.say("error", str(error))
        return
    if batch is not None:
        options["batch"] = batch
    if precision is not None:
        options["precision"] = precision
    document.model_changed.connect(opened)
    window.files.open_timed(wanted, file, times, options)


def open_example(window: PlanWindow) -> None:
    """The best contiguous and the best free split of a small transformer: the first on the canvas, the second beside it."""
    from planner.reports.comparison.example import example_files

    model, plans = example_files(None)
    open_files(window, [model], plans)


def comparisons_of(document: Document | OrderDocument) -> list[ComparisonWindow]:
    """The comparisons of a document's plans that are open, in the order in which they were opened."""
    return [one for one in _windows if one.document is document and not one.closed]


def are_coming() -> bool:
    """Whether any comparison is about to be shown."""
    return any(one.coming and not one.closed for one in _windows)


def _open(window: PlanWindow, sources: Sequence[Source], bounds: Sequence[Bound] = ()) -> CompareWindow:
    """The comparison of these plans: the one that is open, with its reference and its pair, else one in a tab of its own; a tab that has
    nothing to compare any more is taken."""
    from gui.editors.comparison.editor import CompareWindow

    check_room(sources)
    known = [cast("CompareWindow", one) for one in comparisons_of(window.document)]
    if shown := next((one for one in known if one.state.compares(sources)), None):
        shown.state.read_anew(sources, bounds)
        reveal(shown)
    elif shown := next((one for one in known if len(one.state.sources) < 2), None):
        shown.compare(sources, bounds)
        reveal(shown)
    else:
        shown = _beside(window, CompareWindow)
        shown.tell_with(window.studio)
        if window.proving_unasked.begun:
            shown.proving.begin(window.proving_unasked)
        shown.files.ask_times = window.files.ask_times
        shown.compare(sources, bounds)
    shown.files.tell_notes(sources)
    return shown


def open_orders(window: OrderWindow, entry: PlanEntry) -> OrdersWindow:
    """Compare the order on the canvas of a network's window with another of its list; drawn at first as they are there."""
    from gui.editors.comparison.orders.editor import OrdersWindow

    assert isinstance(entry, OrderEntry)
    window.document.compare(entry)
    known = comparisons_of(window.document)  # the document says which two orders are beside one another
    if known:
        reveal(known[0])
        return cast(OrdersWindow, known[0])
    shown = _beside(window, OrdersWindow)
    shown.canvas.set_view(window.canvas.view)
    shown.canvas.set_sorted(window.canvas.sorted)
    return shown


def open_order_files(window: OrderWindow, plans: Sequence[Path]) -> None:
    """Once a network is there: open its plans, the first of which goes on the canvas, and show the second beside it."""
    document = window.document

    def opened() -> None:
        document.model_changed.disconnect(opened)
        for path in reversed(plans):
            window.files.open_plan_file(path)
        second = [entry for entry in document.plans if entry is not document.active]
        if len(second) >= len(plans) - 1 and second:
            # The last that was opened before the first one is the second.
            soon(document, lambda: open_orders(window, second[-1]))

    document.model_changed.connect(opened)


W = TypeVar("W", bound=ComparisonWindow)


def _beside(window: AnyWindow, kind: Callable[..., W]) -> W:
    """Another comparison of a window's plans: it is shown, as a tab beside it, some turns of the event loop later, for to make a window
    takes as long as to show it."""
    shown = kind(window.document, window.themes, window.session)
    shown.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    _windows.append(shown)
    shown.destroyed.connect(lambda: _forget(shown))
    shown.set_reduced_motion(window.reduced_motion)
    shown.stay_with(window.ended, window.files.open_model)
    shown.coming = True
    soon(shown, partial(_show, shown, cast(QWidget, window), shown.opening()))
    return shown


def _show(shown: ComparisonWindow, beside: QWidget, steps: Iterator[None]) -> None:
    if shown.closed:
        return
    for _ in steps:
        soon(shown, partial(_show, shown, beside, steps))
        return
    shown.coming = False
    with OTHERS.counted():
        show_editor(shown, beside)


def _forget(window: ComparisonWindow) -> None:
    _windows[:] = [one for one in _windows if one is not window]


def close_all() -> None:
    """End the threads of every compare window."""
    for window in list(_windows):
        window.end()
    _windows.clear()
