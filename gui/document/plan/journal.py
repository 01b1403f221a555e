"""A record of every step since a model was opened, so that a crash loses nothing.

A journal is a file of JSON lines that is only ever appended to. The first line says what was open (model files, graph
fingerprint, problem, assignment, bounds); each further line is one event: a step, how many steps are done, a plan that came
into the list, bounds that were proven, what is compared, a save. Doing all of it again on the same model gives the same document, undo stack included.

A journal is written as soon as there is something to lose and deleted on a clean exit. A running process holds a lock
on its own, so a journal without a lock was left behind by a crash.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from PySide6.QtCore import QObject

from gui.document.commands import Command, Edit
from gui.document.crash_files import create, folder
from gui.document.history import Column
from gui.document.plan.document import Document
from gui.document.plan.step_json import (
    encode_assignment,
    encode_entry,
    encode_problem,
    to_json,
)
from gui.document.plan_list import PlanEntry
from gui.document.values import Message
from gui.widgets.later import Later
from planner.model.precision import precision_of
from planner.model.times import without_measured
from planner.plan_files.bound_json import bounds_list
from planner.problem.bound import Bound
from planner.problem.problem import Problem

VERSION = 1


class Journal(QObject):
    """Records a document's steps (it is the history's recorder). Errors of the disk are told once and end the record."""

    LIST_EVERY_MS = 1000
    """A plan that a running planner improves is written at most this often."""

    def __init__(self, document: Document, where: Path | None = None) -> None:
        super().__init__(document)
        self._document = document
        self._where = where
        self._file: IO[str] | None = None
        self.path: Path | None = None
        self._head: dict[str, Any] | None = None
        self._failed = False
        self._dirty: dict[str, PlanEntry] = {}
        self._listed: set[str] = set()
        self._proved: list[Bound] = []
        self._columns: dict[int, list[dict[str, str]]] = {}
        """What is in each comparison that is open, by its number."""
        self._later = Later(self.flush, self, self.LIST_EVERY_MS)
        document.history.recorder = self
        if document.problem is not None:
            self.opened()

    # ------------------------------------------------------------------ the recorder's side
    def opened(self) -> None:
        """Another model is open: what was recorded of the one before is not needed any more."""
        self._discard()
        document = self._document
        problem, active = document.problem, document.active
        if problem is None or active is None:
            self._head = None
            return
        self._head = {
            "journal": VERSION,
            "time": time.time(),
            "models": [str(path) for path in document.paths],
            "batch": document.batch,
            "precision": precision_of(problem.graph),
            "plan": None if document.plan_path is None else str(document.plan_path),
            "name": problem.graph.name,
            "fingerprint": problem.graph.fingerprint,
            "problem": encode_problem(problem),
            "assignment": encode_assignment(document.device_of),
            "entry": encode_entry(active),
            "bounds": bounds_list(document.bounds),
        }

    def pushed(self, command: Command) -> None:
        """A step was taken."""
        self.flush()
        line: dict[str, Any] = {"step": to_json(command)}
        if isinstance(command, Edit) and command.key:
            line["key"] = command.key
        self._write(line)

    def extended(self, command: Edit) -> None:
        """The last step was extended."""
        self.flush()
        self._write({"extend": to_json(command)})

    def went_to(self, index: int) -> None:
        """Steps were undone or done again."""
        self._write({"index": index})

    def saved(self) -> None:
        """The plan was saved."""
        self.flush()
        path = self._document.plan_path
        self._write({"saved": None if path is None else str(path)})

    def listed(self, entry: PlanEntry) -> None:
        """A plan came into the list, which is written at once, or was improved there, which is written soon."""
        self._dirty[entry.id] = entry
        if entry.id not in self._listed:
            self.flush()
        else:
            self._later.ask_once()

    def proved(self, bounds: Iterable[Bound]) -> None:
        """Bounds became known, which is written soon: a search may prove many, each better than the one before."""
        self._proved.extend(bounds)
        if self._proved:
            self._later.ask_once()

    def compared(self, comparison: int, columns: Sequence[Column]) -> None:
        """These plans are beside each other in a comparison. That alone is nothing to lose: it is written once there is."""
        now = [
            {"file": str(one.absolute())} if isinstance(one, Path) else {"plan": one.id} for one in columns
        ]
        if now != self._columns.get(comparison, []):
            self._columns[comparison] = now
            if self._file is not None:
                self.flush()
                self._write({"compared": now, "comparison": comparison})

    def flush(self) -> None:
        """Write what waits to be written."""
        self._later.stop()
        for entry in self._dirty.values():
            self._listed.add(entry.id)
            line = {"entry": encode_entry(entry), "assignment": encode_assignment(entry.device_of)}
            if isinstance(entry.problem, Problem) and not entry.is_of(self._document.problem):
                line["problem"] = encode_problem(entry.problem, self._document.open_problem.graph)
            self._write(line)
        self._dirty = {}
        known = set(self._document.bounds)
        proved = bounds_list(bound for bound in dict.fromkeys(self._proved) if bound in known)
        self._proved = []
        if proved:
            self._write({"bounds": proved})

    def close(self) -> None:
        """A clean exit: nothing to recover."""
        self._discard()
        self._head = None
        if self._document.history.recorder is self:
            self._document.history.recorder = None

    # ------------------------------------------------------------------ the file's side
    def _write(self, line: Mapping[str, Any]) -> None:
        if self._head is None or self._failed:
            return
        try:
            if self._file is None:
                self._file, self.path = create(self._where or folder())
                self._append(self._whole_head(self._head))
                for comparison, columns in self._columns.items():
                    self._append({"compared": columns, "comparison": comparison})
            self._append(line)
        except OSError as error:
            self._failed = True
            why = (error.strerror or str(error)).lower()
            self._document.message.emit(
                Message("warning", f"the crash journal cannot be written ({why}); save your plan often")
            )

    def _whole_head(self, head: dict[str, Any]) -> dict[str, Any]:
        """The first line. A graph that came from no file is written into it."""
        problem = self._document.problem
        if head["models"] or problem is None:
            return head
        from planner.formats.graphs import stageboard_json

        return {**head, "graph": stageboard_json.to_dict(without_measured(problem.graph))}

    def _append(self, line: Mapping[str, Any]) -> None:
        assert self._file is not None
        self._file.write(json.dumps(line, separators=(",", ":")) + "\n")
        self._file.flush()

    def _discard(self) -> None:
        self._later.stop()
        self._dirty, self._listed, self._proved, self._columns = {}, set(), [], {}
        self._failed = False
        if self._file is not None:
            path, self.path = self.path, None
            assert path is not None
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None
