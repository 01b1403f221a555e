"""The windows that :mod:`benchmarks.kills` kills and starts again: ``python -m benchmarks.killed_window act|look FOLDER SEED``.

``act`` edits a graph, an order and a story, plans and saves without end, and writes into ``FOLDER/log`` what is about to be and what has been
done, a line of JSON each. ``look`` recovers all that is offered and prints as JSON what is there; it ends as a person does who saves nothing.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

from gui.app import app as gui_app
from gui.app.recovering import everything_left
from gui.background.signals import quit_on_signals
from gui.editors.network import windows as networks
from gui.editors.plan import windows as graphs
from gui.tools.story.frames import Frame, ModelSource, Shown
from planner.errors import StageboardError
from planner.machines.catalogue import planner
from planner.processes.forking import server_id
from planner.runs.messages import Order
from planner.story.keyframe import Keyframe
from tests.gui.editors.network.models import shuffled_order

MODEL, NETWORK, PLAN = "model.json", "net.npz", "saved.plan.json"
EVERY_MS = 15
"""From one act to the next."""
PLANNERS = ("anneal", "brkga", "slice", "mtpp-mip")
LONGEST_SEARCH = 4.0
PATIENCE = 1500.0


class Acting(QObject):
    """Acts of a person who works on three documents at once, each told before and after."""

    def __init__(self, folder: Path, seed: int, parts: graphs.Parts, network: Any) -> None:
        super().__init__()
        self.folder, self.rng, self.parts, self.network = folder, random.Random(seed), parts, network
        self.document = parts.document
        self.states = [self._state()]
        """The decision after each step of the undo stack."""
        self.orders = self.kept_orders = self.frames = self.kept_frames = 0
        self._log = os.open(folder / "log", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        self.tell("did", state=self.states[0])
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self.act)
        self._timer.start()

    def _state(self) -> str:
        return bytes(self.document.device_of.astype("uint8")).hex()

    def tell(self, what: str, **more: object) -> None:
        """One line, written at once."""
        plans = [entry.id for entry in self.document.plans] if what == "did" else None
        line = {
            what: self.document.undo_stack.index(),
            "server": server_id(),
            **({} if plans is None else {"plans": plans}),
            **more,
        }
        os.write(self._log, json.dumps(line).encode() + b"\n")

    def act(self) -> None:
        """One act at random."""
        acts: tuple[tuple[float, Callable[[], None]], ...] = (
            (0.62, self.move), (0.1, self.undo), (0.08, self.redo), (0.1, self.save), (0.05, self.order), (0.03, self.frame), (0.02, self.plan),
        )  # fmt: skip
        self.rng.choices([act for _, act in acts], [share for share, _ in acts])[0]()
        self._note_what_is_kept()

    def move(self) -> None:
        """An op to another device."""
        index, op = self.document.undo_stack.index(), self.rng.randrange(self.document.device_of.size)
        devices = len(self.document.open_problem.devices)
        device = (int(self.document.device_of[op]) + self.rng.randrange(1, devices)) % devices
        after = self.document.device_of.copy()
        after[op] = device
        self.tell("will", state=bytes(after.astype("uint8")).hex())
        self.document.move([op], device)
        if self.document.undo_stack.index() == index + 1:
            self.states[index + 1 :] = [self._state()]
        self.tell("did", state=self._state())

    def _go(self, index: int) -> None:
        if 0 <= index < len(self.states):
            self.tell("will", state=self.states[index])
            self.document.undo_stack.setIndex(index)
            self.tell("did", state=self._state())

    def undo(self) -> None:
        """One step back."""
        self._go(self.document.undo_stack.index() - 1)

    def redo(self) -> None:
        """One step on again."""
        self._go(self.document.undo_stack.index() + 1)

    def save(self) -> None:
        """The plan, to its file: beside the window where the model is large."""
        self.tell("saving", state=self._state())
        self.parts.window.files.save_plan(beside=True)
        if not self.parts.window.files.takes_long():
            self.tell("saved", state=self._state())

    def order(self) -> None:
        """Another order of the network, to be kept."""
        document = self.network.document
        self.orders += 1
        document.set_order(shuffled_order(document.network, self.orders), "by hand")
        self.network.autosave.write()

    def frame(self) -> None:
        """Another keyframe of the story, to be kept."""
        document = self.document
        shown = Shown(
            document.current_plan(),
            tuple(document.plan_bounds),
            ModelSource(document.graph, tuple(document.paths), 1),
        )
        self.frames += 1
        self.parts.window.studio.draft.add(Frame(Keyframe(f"frame {self.frames}", "words", 0), shown))
        self.parts.window.studio.autosave.write()

    def _note_what_is_kept(self) -> None:
        if not self.network.autosave.busy and self.kept_orders != self.orders:
            self.kept_orders = self.orders
            self.tell("order", number=self.orders)
        if not self.parts.window.studio.autosave.busy and self.kept_frames != self.frames:
            self.kept_frames = self.frames
            self.tell("story", number=self.frames)

    def plan(self) -> None:
        """A planner, unless two run."""
        problem, method = self.document.open_problem, self.rng.choice(PLANNERS)
        if len(self.parts.jobs.running) < 2 and planner(method).refusal(problem) is None:
            self.parts.jobs.start(
                Order(method, problem, seed=self.rng.randrange(99), time_limit=LONGEST_SEARCH), follow=False
            )


def until(true: Callable[[], Any]) -> None:
    """Let the windows live until something is true. Raises :class:`TimeoutError`."""
    end = time.monotonic() + PATIENCE
    while not true():
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        if time.monotonic() > end:
            raise TimeoutError("it did not come to pass in time")
        time.sleep(0.005)


def act(folder: Path, seed: int, app: QApplication) -> int:
    """Open the documents and act until somebody ends it."""
    parts = graphs.make_window(app, theme="light")
    parts.window.show()
    parts.document.open_model(folder / MODEL)
    assert parts.document.active is not None, "it has a plan to begin with"
    parts.document.active.path = folder / PLAN
    network = networks.open_order_window(parts.themes, parts.session, [folder / NETWORK], beside=parts.window)
    until(lambda: network.document.problem is not None)
    parts.jobs.warm_up()
    acting = Acting(folder, seed, parts, network)
    with quit_on_signals(app):
        app.exec()
    del acting
    parts.jobs.close()
    parts.window.studio.keep()
    return 0


def look(folder: Path, app: QApplication) -> int:
    """Recover everything, print it, and end."""
    parts = graphs.make_window(app, theme="light")
    parts.window.show()
    parts.jobs.warm_up()  # as every window does: it clears what dead processes noted
    offered = sorted(type(one).__name__ for one in everything_left())
    gui_app._offer_recovery(parts)
    notice, told = parts.window.notice, list[str]()
    parts.document.message.connect(lambda message: told.append(f"{message.text} {message.detail}"))
    for _ in offered:
        until(lambda: notice.isVisible() and notice._action.text() == "Recover")
        said = notice.text
        notice._action.click()
        until(lambda said=said: notice.text != said or not notice.isVisible())  # type: ignore[misc]
    until(lambda: not parts.window.files.loading.busy and not everything_left())
    document, draft = parts.document, parts.window.studio.draft
    found: dict[str, Any] = {
        "offered": offered,
        "frames": [one.keyframe.title for one in draft.frames],
        "told": told,
    }
    if document.problem is not None:
        found["state"] = bytes(document.device_of.astype("uint8")).hex()
        found["plans"] = [entry.id for entry in document.plans]
        found["index"] = document.undo_stack.index()
        document.undo_stack.setIndex(0)
        found["first"] = bytes(document.device_of.astype("uint8")).hex()
    for window in networks.order_windows():
        until(lambda window=window: window.document.problem is not None)  # type: ignore[misc]
        found["order"] = window.document.order.tolist()
        window.document.undo_stack.setClean()
        window.close()
    print(json.dumps(found), flush=True)
    parts.close()
    networks.close_all()
    graphs.close_all()
    return 0


def main(arguments: list[str]) -> int:
    """Run from the command line."""
    what, folder, seed = arguments[0], Path(arguments[1]), int(arguments[2])
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication(["killed"])
    wrong = []

    def caught(*error: Any) -> None:
        if not isinstance(error[1], StageboardError):
            wrong.append(error)
        sys.__excepthook__(*error)

    sys.excepthook = caught
    status = act(folder, seed, app) if what == "act" else look(folder, app)
    return 1 if wrong else status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
