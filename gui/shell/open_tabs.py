"""What is open, kept for the next start without arguments: documents with their plans and comparisons, and which was in front.

One file beside the settings, and plan files beside that for plans of lists that are in no file of their own. Whatever lies there is
read like any file: what makes no sense is left out, in a sentence.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from gui.document.history import Column
from gui.document.plan_list import PlanEntry, bounds_with
from planner.errors import StageboardError
from planner.files import read_json, to_json, write_atomically
from planner.model.precision import FILE, checked
from planner.typed_json import typed

VERSION = 1
NAME = "tabs.json"
LARGEST = 2**20
MOST_TABS, MOST_LISTED = 40, 16
"""Documents that are kept, and plans of the list of each."""
MOST_PLACED = 2_000_000
"""Ops, or connections, of the plans of one list together: closing a window is not to take long."""
FOUND_AGAIN = ("start",)
"""Where plans come from that every opening finds again."""


class KeptColumn(msgspec.Struct):
    """A column of a comparison: a plan in a ``file``, one of the kept plans of the list, a ``named`` one that opening finds again, or (none
    of these) that on the canvas."""

    file: str = ""
    listed: int = -1
    named: str = ""


class KeptPlan(msgspec.Struct):
    """A plan of the list that is in no file of its own: its file beside the record, its name and where it came from."""

    file: str
    name: str
    origin: str


class Tab(msgspec.Struct):
    """A document: its files, how they were read, and its plan's file; plans of its list; the comparisons of its plans; the story beside it.

    A model that is in no file is that of its story, and has no ``models``.
    """

    kind: Literal["plan", "network"]
    models: list[str]
    plan: str = ""
    batch: int = 1
    precision: str = FILE
    density: float | None = None
    listed: list[KeptPlan] = msgspec.field(default_factory=list)
    columns: list[KeptColumn] = msgspec.field(default_factory=list)
    more_columns: list[list[KeptColumn]] = msgspec.field(default_factory=list)
    """Those of further comparisons of its plans."""
    story: str = ""

    @property
    def paths(self) -> tuple[Path, ...]:
        """The model's files."""
        return tuple(map(Path, self.models))

    @property
    def name(self) -> str:
        """What sentences call it."""
        return Path([*self.models, self.story][0]).name

    @property
    def comparisons(self) -> list[list[KeptColumn]]:
        """The columns of each comparison of its plans."""
        return [columns for columns in (self.columns, *self.more_columns) if columns]


@dataclass(frozen=True)
class Left:
    """How an editor is left: a ``tab`` of its ``document`` with the plans of the list, or the ``columns`` that it compares."""

    document: object
    tab: Tab | None = None
    canvas: PlanEntry | None = None
    """The plan that the canvas will have again; None where that is not saved."""
    entries: tuple[PlanEntry, ...] = ()
    writers: tuple[Callable[[Path], object], ...] = ()
    """What writes the plan of each of the ``entries``."""
    columns: tuple[Column, ...] = ()


def left(document: Any, tab: Tab, whole: bool) -> Left | None:
    """How an editor of a model leaves its ``document``; None where neither that nor its story is in a file. ``whole``: with the plans of its list."""
    from planner.plan_files.plan_json import write_plan

    if not tab.models or document.problem is None:
        return Left(document, Tab("plan", [], story=tab.story)) if tab.story else None
    active = document.active
    # What is not saved is not there again; a plan file that was edited by hand is, as it was.
    again = not document.modified or (active.origin == "hand" and bool(tab.plan))
    canvas = active if again else None
    kept: list[PlanEntry] = []
    for entry in reversed(document.plans if whole else []):
        small = (len(kept) + 1) * len(entry.device_of) <= MOST_PLACED and len(kept) < MOST_LISTED
        # One that opening finds on one machine it does not find on another: those are kept like all others.
        if (
            small
            and entry.components
            and entry is not canvas
            and not entry.would_be_lost
            and not entry.running
        ):
            kept.insert(0, entry)
    entries, writers = [], []
    for entry in kept:
        with contextlib.suppress(StageboardError):
            plan, bounds = document.plan_of(entry), bounds_with(entry, document.bounds)
            writers.append(lambda path, plan=plan, bounds=bounds: write_plan(path, plan, bounds))
            entries.append(entry)
    return Left(document, tab, canvas, tuple(entries), tuple(writers))


@dataclass(frozen=True)
class Reopened:
    """What was open: documents, the place of the one in front, which of its comparisons is (-1: none), and what could not be read."""

    tabs: tuple[Tab, ...] = ()
    front: int = 0
    compared: int = -1
    said: tuple[str, ...] = ()


class OpenTabs:
    """The record in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def path(self) -> Path:
        """The file that says what was open."""
        return self.folder / NAME

    # ------------------------------------------------------------------ writing
    def write(self, editors: Sequence[Left], front: Left | None, *, ended: bool) -> None:
        """Keep what is open, or, where the program has ``ended``, what was. A disk that refuses keeps nothing."""
        documents = [one for one in editors if one.tab is not None][:MOST_TABS]
        tabs: list[Tab] = []
        used: set[str] = set()
        with contextlib.suppress(OSError, StageboardError):
            self.folder.mkdir(parents=True, exist_ok=True)
            for number, one in enumerate(documents):
                assert one.tab is not None
                found = [_columns(one, other.columns) for other in _comparisons(one, editors)]
                first, *more = [columns for columns in found if columns] or [[]]
                listed = self._write_plans(one, number)
                used |= {plan.file for plan in listed}
                tabs.append(msgspec.structs.replace(one.tab, listed=listed, columns=first, more_columns=more))
            record = {
                "version": VERSION, "process": 0 if ended else os.getpid(), "tabs": msgspec.to_builtins(tabs),
                "front": next((i for i, one in enumerate(documents) if front and one.document is front.document), 0),
                "compared": front is not None and front.tab is None,
                "comparison": _place_of(front, documents, editors),
            }  # fmt: skip
            write_atomically(self.path, to_json(record))
            for path in self.folder.glob("*.plan.json"):
                if path.name not in used:
                    path.unlink()

    def _write_plans(self, one: Left, number: int) -> list[KeptPlan]:
        found = []
        for at, (entry, write) in enumerate(zip(one.entries, one.writers, strict=True)):
            file = f"{number}-{at}.plan.json"
            write(self.folder / file)
            found.append(KeptPlan(file, entry.name, entry.origin))
        return found

    # ------------------------------------------------------------------ reading
    def read(self) -> Reopened:
        """What was open at the end of the last run; nothing while another process has it open. Never fails."""
        try:
            if not self.path.is_file():
                return Reopened()
            record = read_json(self.path, limit=LARGEST)
            if (
                not isinstance(record, dict)
                or record.get("version") != VERSION
                or not isinstance(record.get("tabs"), list)
            ):
                raise StageboardError(f"{self.path} is no record of what was open")
        except (StageboardError, OSError):
            return Reopened(said=(self._put_away(),))
        if _runs(record.get("process")):
            return Reopened()
        given, front = record["tabs"][:MOST_TABS], record.get("front")
        read = [_tab(one) for one in given]
        bad = read.count(None)
        here = front if type(front) is int and 0 <= front < len(read) and read[front] is not None else -1
        tabs = [tab for tab in read if tab is not None]
        place = sum(tab is not None for tab in read[:here]) if here >= 0 else 0
        said = () if not bad else (_unread(bad),)
        which = record.get("comparison", 0)
        compared = which if here >= 0 and record.get("compared") is True and type(which) is int else -1
        return Reopened(tuple(tabs), place, compared, said)

    def _put_away(self) -> str:
        """Keep a record that cannot be read under another name, and say so."""
        from gui.document.crash_files import keep_damaged

        kept = keep_damaged(self.path)
        where = "" if kept is None else f"; the record is kept ({kept})"
        return f"What was open the last time cannot be read{where}."


def _unread(count: int) -> str:
    what = "one document" if count == 1 else f"{count} documents"
    return f"What is kept of {what} that {'was' if count == 1 else 'were'} open cannot be read, and {'is' if count == 1 else 'are'} left out."


def _comparisons(one: Left, editors: Iterable[Left]) -> list[Left]:
    """The comparisons of a document's plans."""
    return [other for other in editors if other.tab is None and other.document is one.document]


def _place_of(front: Left | None, documents: Iterable[Left], editors: Sequence[Left]) -> int:
    """Which of the kept comparisons of its document the one in ``front`` is; 0 where it is none."""
    for one in documents:
        if front is not None and front.tab is None and one.document is front.document:
            kept = [other for other in _comparisons(one, editors) if _columns(one, other.columns)]
            return next((at for at, other in enumerate(kept) if other is front), 0)
    return 0


def _columns(one: Left, columns: Iterable[Column]) -> list[KeptColumn]:
    """The columns of a document's comparison, as far as they can be found again; none where those are fewer than two."""
    ids = [entry.id for entry in one.entries]
    found = []
    for column in columns:
        if isinstance(column, Path):
            found.append(KeptColumn(file=str(column.absolute())))
        elif column is one.canvas:
            found.append(KeptColumn())
        elif column.id in ids:
            found.append(KeptColumn(listed=ids.index(column.id)))
        elif column.origin in FOUND_AGAIN:
            found.append(KeptColumn(named=column.name))
    return found if len(found) > 1 else []


def _tab(value: Any) -> Tab | None:
    """A document as the record has it; None where that makes no sense."""
    try:
        tab = typed(value, Tab, "a tab", StageboardError)
        checked(tab.precision)
        texts = [
            *tab.models,
            tab.plan,
            tab.story,
            *(column.file for columns in tab.comparisons for column in columns),
        ]
        sound = (
            bool(tab.models or tab.story)
            and all(tab.models)
            and not any("\0" in text for text in texts)
            and tab.batch > 0
            and (tab.density is None or 0 < tab.density <= 1)
            and all(Path(plan.file).name == plan.file for plan in tab.listed)
        )
    except (StageboardError, ValueError, TypeError, RecursionError):
        return None
    return tab if sound else None


def _runs(process: object) -> bool:
    """Whether another process of that id runs."""
    if type(process) is not int or not 0 < process < 2**31 or process == os.getpid():
        return False
    if sys.platform == "win32":
        return False  # to ask there is to interrupt
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True
