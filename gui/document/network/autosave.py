"""What a crash would lose of an order: a plan file beside the journals, written now and then and offered at the next start.

A window holds a lock on a small file that says which network is open; its order lies beside it as a plan file, and the
network, too, where it came from no file. A clean exit deletes them; what is left without a lock is from a crash.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from gui.document.crash_files import create, discard, ended, folder, locked
from gui.document.values import Message
from gui.widgets.background_thread import Background
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from gui.document.network.opening import OpenedNetwork
    from planner.plan_files.order_json import OpenedOrder
    from planner.problem.bound import Bound

VERSION = 1
EVERY_MS = 20_000
LARGEST_HEAD = 2**20


class Autosave(QObject):
    """Keeps the order of a document that is not saved. An error of the disk is told once and ends it."""

    def __init__(self, document: OrderDocument, where: Path | None = None) -> None:
        super().__init__(document)
        self._document, self._where = document, where
        self._lock: IO[str] | None = None
        self.path: Path | None = None
        """The locked file; None while nothing is kept."""
        self.former: Path | None = None
        """What a dead process left of this order: there until it is written again, or not needed."""
        self._written: tuple[int, Sequence[Bound]] | None = None
        """The state of the order and what was proven when it was written last."""
        self._background = Background("autosave", self)
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self.write)
        self._timer.start()
        document.network_changed.connect(self.discard)
        document.modified_changed.connect(lambda modified: None if modified else self.discard())

    @property
    def busy(self) -> bool:
        """Whether it writes."""
        return self._background.busy

    def write(self) -> None:
        """Write what is not saved, on a thread, unless it is written already."""
        document = self._document
        now = (document.serial, tuple(document.plan_bounds))
        if not document.modified or self._written == now or self.busy:
            return
        self._written = now
        self._background.run(self._work(), self._told)

    def _work(self) -> Callable[[Callable[[], bool]], object]:
        """What writes the order of this moment."""
        from planner.formats.networks.npz import write_network
        from planner.plan_files.plan_json import write_plan

        document = self._document
        plan, bounds, network = document.current_plan(), document.plan_bounds, document.open_problem.network
        head = {
            "orders": VERSION, "time": time.time(), "name": network.name, "density": document.density,
            "models": [str(path) for path in document.paths],
            "plan": None if document.plan_path is None else str(document.plan_path),
        }  # fmt: skip

        def work(stopped: Callable[[], bool]) -> None:
            if self._lock is None:
                self._lock, self.path = create(self._where or folder(), "orders")
                if not head["models"]:
                    write_network(network, self.path.with_suffix(".npz"))
            assert self.path is not None
            write_plan(self.path.with_suffix(".json"), plan, bounds)
            self._lock.seek(0)
            self._lock.truncate()
            self._lock.write(json.dumps(head) + "\n")
            self._lock.flush()

        return work

    def _told(self, result: object) -> None:
        if isinstance(result, (OSError, StageboardError)):
            self._timer.stop()
            self._document.message.emit(
                Message("warning", f"the order cannot be kept for a crash ({result}); save your plan often")
            )
        elif isinstance(result, Exception):
            raise result
        else:
            self._forget_former()

    def _forget_former(self) -> None:
        if self.former is not None:
            remove(self.former)
            self.former = None

    def discard(self) -> None:
        """There is nothing to lose: the order is saved, or another network is open."""
        self._release(True)

    def _release(self, forget: bool) -> None:
        self._background.close()
        self._written = None
        path, self.path = self.path, None
        lock, self._lock = self._lock, None
        if forget:
            self._forget_former()
            if path is not None:
                remove(path)
        if lock is not None:
            with contextlib.suppress(OSError):
                lock.close()

    def close(self, *, keep: bool = False) -> None:
        """The window goes. With ``keep`` it was not asked whether to save: what is not saved stays for the next start."""
        self._timer.stop()
        keep = keep and self._document.modified
        if keep:
            self._background.close()
            with contextlib.suppress(OSError, StageboardError):
                self._work()(lambda: False)
                self._forget_former()
        self._release(not keep)


def remove(path: Path) -> None:
    """Delete what is kept under a locked file's name."""
    for suffix in (".json", ".npz", path.suffix):
        discard(path.with_suffix(suffix))


# ---------------------------------------------------------------------- recovery
@dataclass(frozen=True)
class LostOrder:
    """An order that a process left behind that ended without closing its window."""

    path: Path
    name: str
    models: tuple[Path, ...]
    density: float | None
    saved: Path | None
    time: float
    """When it was written last."""

    @property
    def sentence(self) -> str:
        """What a person is asked."""
        return f"{ended(self.time, self.name)}; its order can be recovered"

    @property
    def contents(self) -> str:
        """What was not saved, in words."""
        return "the order"

    @property
    def plan(self) -> Path:
        """The plan file."""
        return self.path.with_suffix(".json")

    @property
    def files(self) -> tuple[Path, ...]:
        """What its network is read from."""
        return self.models or (self.path.with_suffix(".npz"),)


def lost_orders(where: Path | None = None) -> list[LostOrder]:
    """Orders that a crash left behind, the latest first. Damaged ones are deleted on the way."""
    where = where or folder()
    found: list[LostOrder] = []
    for path in sorted(where.glob("orders-*.jsonl")) if where.is_dir() else []:
        if locked(path):
            continue
        lost = _read(path)
        if lost is None:
            remove(path)
        else:
            found.append(lost)
    return sorted(found, key=lambda lost: -lost.time)


def _read(path: Path) -> LostOrder | None:
    """What a head says; None where it is damaged, or nothing lies beside it."""
    try:
        if path.stat().st_size > LARGEST_HEAD:
            return None
        head = json.loads(path.read_text(encoding="utf-8"))
        if head["orders"] != VERSION:
            return None
        density, saved = head["density"], head["plan"]
        lost = LostOrder(
            path, str(head["name"]), tuple(Path(str(model)) for model in head["models"]),
            None if density is None else float(density), None if saved is None else Path(str(saved)),
            float(head["time"]),
        )  # fmt: skip
        time.localtime(lost.time)  # no moment that a sentence could name is damage, too
    except (OSError, ValueError, OverflowError, KeyError, TypeError, RecursionError, StageboardError):
        return None
    whole = lost.plan.is_file() and (lost.models or lost.files[0].is_file())
    return lost if whole else None


def prepare(lost: LostOrder) -> tuple[OpenedNetwork, OpenedOrder]:
    """Read the network again and its order. Raises :class:`StageboardError`; may take a while."""
    from gui.document.network.opening import prepare_network
    from planner.formats.networks.read import read_network
    from planner.plan_files.order_json import open_network_plan

    network = read_network(lost.files, density=lost.density)
    order = open_network_plan(lost.plan, network, own_record=True)
    return prepare_network(network, lost.models, lost.density, order.plan.problem.target), order
