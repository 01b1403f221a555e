"""What a crash left of a journal: finding it, reading it as far as it is whole, and doing all of it again."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gui.document.autosave import Lost
from gui.document.board import quick_bounds
from gui.document.commands import Edit
from gui.document.crash_files import Damaged, discard, keep_damaged, left_behind
from gui.document.history import Column
from gui.document.plan.document import Document
from gui.document.plan.journal import VERSION, Journal
from gui.document.plan.opening import Opened, ready, with_times
from gui.document.plan.reading import read_graph
from gui.document.plan.step_json import (
    decode_assignment,
    decode_entry,
    decode_problem,
    from_json,
)
from gui.document.saving import count_as_saved
from gui.document.values import Message
from planner.errors import StageboardError
from planner.model.graph import Graph
from planner.model.precision import FILE, checked
from planner.plan_files.bound_json import StoredBound, bound_of
from planner.printable import concise
from planner.problem.bound import Bound
from planner.typed_json import typed

LARGEST = 200 * 2**20
"""Journals above this size (bytes) are not read back."""


class JournalError(StageboardError):
    """A journal cannot be read or done again."""


@dataclass(frozen=True, eq=False)
class Leftover(Lost):
    """A journal of a process that ended without closing it."""

    steps: int
    head: Mapping[str, Any]
    lines: tuple[Mapping[str, Any], ...]

    @property
    def contents(self) -> str:
        """What was not saved, in words."""
        if self.steps:
            return "one step" if self.steps == 1 else f"{self.steps} steps"
        return "planners' results" if any("entry" in line for line in self.lines) else "what was proven"


def leftovers(where: Path | None = None, damaged: list[Path] | None = None) -> list[Leftover]:
    """Journals that a crash left behind, the latest first. Needless ones are deleted on the way, ``damaged`` ones kept (:func:`left_behind`)."""
    return left_behind("journal", read, where, damaged)


def read(path: Path) -> Leftover | None:
    """A journal as far as it is whole; None where nothing in it is worth recovering. Raises :class:`Damaged`."""
    lines, whole = _lines(path)
    if not lines or lines[0].get("journal") != VERSION:
        raise Damaged
    head, events = lines[0], lines[1:]
    steps = _unsaved_steps(events)
    if not steps and not any("entry" in line for line in events) and not _unsaved_proofs(events):
        if not whole:
            raise Damaged
        return None
    try:
        models = tuple(Path(str(model)) for model in head["models"])
        when = path.stat().st_mtime
        return Leftover(path, str(head["name"]), models, _plan_path(head), when, steps, head, tuple(events))
    except (OSError, KeyError, TypeError, ValueError):
        raise Damaged from None


def _lines(path: Path) -> tuple[list[dict[str, Any]], bool]:
    """What came before the end or the damage, and whether it is the end; a last line that a crash cut off is no damage."""
    lines: list[dict[str, Any]] = []
    try:
        if path.stat().st_size > LARGEST:
            return lines, False
        with path.open("r", encoding="utf-8", errors="strict") as file:
            for text in file:
                if not text.endswith("\n"):
                    break
                line = json.loads(text)
                if not isinstance(line, dict):
                    return lines, False
                lines.append(line)
    except (OSError, ValueError, RecursionError):
        return lines, False
    return lines, True


def _plan_path(head: Mapping[str, Any]) -> Path | None:
    plan = head.get("plan")
    return Path(plan) if isinstance(plan, str) else None


def _unsaved_steps(events: list[dict[str, Any]]) -> int:
    """How far the last state is from the last saved one, in steps."""
    index = saved = 0
    for line in events:
        if "step" in line:
            if saved > index:
                saved = -1  # the saved state was undone and left behind
            index += 1
        elif type(line.get("index")) is int:
            index = line["index"]
        elif "saved" in line:
            saved = index
    return index if saved < 0 else abs(index - saved)


def _unsaved_proofs(events: list[dict[str, Any]]) -> bool:
    """Whether something was proven after the last save, which kept what was known then."""
    saves = [i for i, line in enumerate(events) if "saved" in line]
    return any("bounds" in line for line in events[saves[-1] + 1 if saves else 0 :])


def prepare(leftover: Leftover) -> Opened:
    """Read the model again and set up what was open at first. Raises :class:`StageboardError`; may take a while."""
    with _foreseen(leftover):
        return _prepare(leftover)


@contextlib.contextmanager
def _foreseen(leftover: Leftover) -> Iterator[None]:
    """Whatever a damaged journal holds, one sentence of limited length says so."""
    try:
        yield
    except StageboardError as error:
        error.args = (concise(str(error)),)
        raise
    except Exception as error:  # a line may hold anything
        raise JournalError(
            f"the journal of {leftover.name} is damaged at its beginning; discard it, or recover what else is offered"
        ) from error


def _prepare(leftover: Leftover) -> Opened:
    head = leftover.head
    if "graph" in head:
        from planner.formats.graphs import stageboard_json

        graph = stageboard_json.from_json(head["graph"], "the journal", leftover.name)
    else:
        batch = head.get("batch", 1)
        precision = head.get("precision", FILE)
        graph = read_graph(leftover.models, batch if isinstance(batch, int) else 1, checked(precision))
    if graph.fingerprint != head.get("fingerprint"):
        raise JournalError(
            f"{leftover.name} has changed since the journal was written, or is another model; locate or put back the old file, or discard it"
        )
    return _opened(leftover, with_times(graph))


def _opened(leftover: Leftover, graph: Graph) -> Opened:
    head = leftover.head
    problem = decode_problem(graph, head.get("problem", {}))
    device_of = problem.evaluator.checked(decode_assignment(head.get("assignment"), graph.n))
    batch = head.get("batch", 1)
    planner = str((head.get("entry") or {}).get("planner", ""))
    bounds = (*_bounds(head.get("bounds", [])), *quick_bounds(problem))
    return Opened(
        problem=problem, paths=leftover.models, batch=batch if isinstance(batch, int) else 1, device_of=device_of,
        planner=planner, live=ready(problem, device_of), bounds=bounds,
    )  # fmt: skip


def _bounds(value: Any) -> list[Bound]:
    """Bounds of the journal. It is our own record: what was proven is proven, and what a file claimed is a claim."""
    stored = typed(value, list[StoredBound], "the journal: its bounds")
    return [bound_of(bound, "") for bound in stored]


def recover(document: Document, leftover: Leftover, opened: Opened | None = None) -> list[list[Column]]:
    """Do everything in a journal again and delete it. The document then records it afresh. Returns what each comparison had.

    Raises :class:`StageboardError` before anything changes where the model cannot be opened. A step that cannot be
    done again ends the recovery there, which a message says; what came before it is recovered, and the journal kept beside.
    """
    opened = opened or prepare(leftover)
    entry = leftover.head.get("entry")
    with _foreseen(leftover):
        first = decode_entry(entry, opened.device_of) if isinstance(entry, dict) else None
    document.install(opened)
    active = document.active
    assert active is not None
    if first is not None:
        active.id, active.name, active.origin = first.id, first.name, first.origin
        active.seed, active.seconds, active.provenance = first.seed, first.seconds, first.provenance
        active.claims = first.claims
        document.plan_list.active_id = active.id
    active.path = leftover.saved
    recorder = document.history.recorder
    if recorder is not None:
        recorder.opened()
    kept: Path | None = None
    for number, line in enumerate(leftover.lines):
        try:
            _do(document, line)
        except Exception as error:  # a damaged line may hold anything
            kept = keep_damaged(leftover.path)
            left = len(leftover.lines) - number
            document.message.emit(
                Message(
                    "warning",
                    f"the journal is damaged: its last {left} entries could not be recovered, all before them were"
                    f"{'' if kept is None else f'; it is kept ({kept})'}",
                    str(error),
                )
            )
            break
    document.plans_changed.emit()
    if isinstance(recorder, Journal):
        recorder.flush()
    if kept is None:
        discard(leftover.path)
    return _compared(document, leftover)


def _compared(document: Document, leftover: Leftover) -> list[list[Column]]:
    """The columns of each comparison that was open; those of journals from before there could be several have no number."""
    last: dict[Any, Any] = {
        str(line.get("comparison", 0)): line["compared"] for line in leftover.lines if "compared" in line
    }
    return [_columns(document, given) for given in last.values() if isinstance(given, list)]


def _columns(document: Document, given: list[Any]) -> list[Column]:
    """What was in the columns of a comparison, as far as it is still there."""
    found: list[Column] = []
    for column in given:
        if isinstance(column, dict):
            entry = document.plan_list.get(str(column.get("plan", "")))
            file = Path(str(column.get("file", "")))
            found += [entry] if entry is not None else [file] if "file" in column and file.is_file() else []
    return found


def _do(document: Document, line: Mapping[str, Any]) -> None:
    if "step" in line:
        command = from_json(document, line["step"])
        if isinstance(command, Edit):
            command.key = str(line.get("key", ""))
        document.push(command)
    elif "extend" in line:
        _extend(document, line["extend"])
    elif "index" in line:
        index = line["index"]
        if type(index) is not int or not 0 <= index <= document.undo_stack.count():
            raise JournalError("the journal undoes more than was done")
        document.undo_stack.setIndex(index)
    elif "saved" in line:
        if document.active is not None:
            document.active.path = None if line["saved"] is None else Path(str(line["saved"]))
        count_as_saved(document)
    elif "entry" in line:
        _list(document, line)
    elif "bounds" in line:
        document.add_bounds(_bounds(line["bounds"]))


def _extend(document: Document, data: Mapping[str, Any]) -> None:
    last = document.history.commands[-1]
    again = from_json(document, data)
    if not isinstance(last, Edit) or not isinstance(again, Edit) or not last.key:
        raise JournalError("the journal extends a step that is not a planner's")
    device_of = document.device_of.copy()
    device_of[last.ops] = last.before
    device_of[again.ops] = again.after
    entry = document.plan_list.get(again.active[1])
    if entry is None:
        raise JournalError("the journal names a plan that is not in the list")
    document.follow(device_of, entry, last.key, last.text())


def _list(document: Document, line: Mapping[str, Any]) -> None:
    given = decode_entry(line["entry"], decode_assignment(line["assignment"], document.device_of.size))
    entry = document.plan_list.get(given.id)
    if entry is None:
        problem = document.open_problem
        document.add_plan(
            given.device_of, given.name, origin=given.origin, planner=given.planner, seed=given.seed,
            seconds=given.seconds, provenance=given.provenance, claims=given.claims, id=given.id,
            path=given.path, problem=decode_problem(problem.graph, line["problem"]) if "problem" in line else None,
        )  # fmt: skip
    else:
        entry.provenance = given.provenance or entry.provenance
        if entry.origin == "carried":
            # A plan was made anew in its place.
            entry.name, entry.origin, entry.planner = given.name, given.origin, given.planner
        document.update_plan(entry, given.device_of, given.seconds)
