"""What the palette offers beside commands: devices for the selection, and ops by name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gui.canvas.graph.consequence import IMPOSSIBLE
from gui.document.find.fuzzy import score
from gui.document.plan.preview import moved_change
from gui.editors.plan.actions import move_to
from gui.editors.plan.pin_notice import pin_words
from gui.look.numbers import plural
from gui.look.theme import device_colours
from gui.shell.palette import Choice

if TYPE_CHECKING:
    from gui.background.repairing import Repairing
    from gui.editors.plan.body import GraphBody

MOST_OPS = 40
LEAST_LETTERS = 2


class Pickers(QObject):
    """Makes the choices; :class:`gui.shell.palette.Palette` shows them.

    ``repairing`` moves ops together with whatever else must move.
    """

    def __init__(self, window: GraphBody, repairing: Repairing) -> None:
        super().__init__(window)
        self._window = window
        self._document = window.document
        self._repairing = repairing
        self._folded_names: tuple[object, list[str]] = (None, [])

    # ------------------------------------------------------------------ ops
    def ops_after_commands(self, text: str) -> Iterable[Choice]:
        """Ops by name for what was typed among commands, once two letters were."""
        return self.op_choices(text, "Go to op ") if len(text.strip()) >= LEAST_LETTERS else ()

    def pick_op(self) -> None:
        """Ops by a few letters of their names."""
        if self._document.problem is not None:
            self._window.palette_window.ask("Go to op", (), lambda text: self.op_choices(text, ""))

    def op_choices(self, text: str, prefix: str) -> list[Choice]:
        """The ops whose names match best."""
        problem = self._document.problem
        if problem is None:
            return []
        graph = problem.graph
        if self._folded_names[0] is not graph:
            self._folded_names = (graph, [name.casefold() for name in graph.op_names])
        names = self._folded_names[1]
        query = text.strip().casefold()
        if not query:
            ops = list(range(min(graph.n, MOST_OPS)))
        else:
            # Names that hold the letters as they stand first; scattered letters only where few do.
            words = query.split()
            ops = [v for v, name in enumerate(names) if all(word in name for word in words)]
            if len(ops) < 5:
                ops += [
                    v for v, name in enumerate(names) if v not in set(ops) and score(query, name) is not None
                ]
            ops.sort(key=lambda v: -(score(query, names[v]) or 0.0))
        colours = device_colours(len(problem.devices), self._window.theme)
        device_of = self._document.device_of
        return [
            Choice(
                prefix + graph.op_names[v], partial(self._go_to, v), f"{graph.kinds[v]} · {problem.devices[int(device_of[v])].name}",
                mark=colours[int(device_of[v])].accent, by_end=True,
            )
            for v in ops[:MOST_OPS]
        ]  # fmt: skip

    def _go_to(self, op: int) -> None:
        self._document.select([op])
        self._window.canvas.reveal(op)

    # ------------------------------------------------------------------ devices
    def _move(self, device: int, along: bool, repair: bool) -> None:
        document = self._document
        if repair:
            ops = document.moving_set(document.selection)
            self._repairing.move_and_repair(ops, device)
        elif along:
            document.move(document.selection, device, along=True)
        else:
            move_to(self._window, device)

    def pick_device(self, along: bool, repair: bool = False) -> None:
        """The devices, each with what moving the selection there would give or what is in the way.

        ``along``: neighbours come along; ``repair``: whatever else must move does.
        """
        document = self._document
        problem = document.problem
        if problem is None or not len(document.selection):
            return
        choices = self.device_choices(along, repair)
        what = plural(len(document.selection), "op")
        taking = " and take neighbours along" if along else " and repair the rest" if repair else ""
        self._window.palette_window.ask(f"Move {what} to{taking} …", choices, passing=True)

    def device_choices(self, along: bool, repair: bool = False) -> list[Choice]:
        """One choice per device."""
        document = self._document
        problem = document.problem
        assert problem is not None
        check = document.check(document.selection)
        theme = self._window.theme
        colours = device_colours(len(problem.devices), theme)
        choices = []
        for d, device in enumerate(problem.devices):
            key = str(d) if d < 10 else ""
            run = partial(self._move, d, along, repair)
            if len(check.origins) == 1 and d == check.origins[0]:
                choices.append(Choice(device.title, run, "is here", False, colours[d].accent, key=key))
                continue
            if check.legal[d]:
                change = check.changes[d]
                tone = ("", theme.bad, theme.good)[change.sign]
                choices.append(
                    Choice(device.title, run, change.whole, True, colours[d].accent, tone, key=key)
                )
                continue
            possible = check.possible(d)
            reasons = check.reasons(d)
            detail = IMPOSSIBLE if not possible else "repairs the rest" if repair else "breaks a rule"
            moved = document.closure(document.selection, d) if along else check.ops
            if len(moved) > len(check.ops):
                detail = f"takes {plural(len(moved) - len(check.ops), 'op')} along"
                # What comes along keeps the order: what is broken even so counts more.
                reasons = document.check(moved).reasons(d) or reasons
            if not repair and possible:
                detail += f": {moved_change(document.board.open_live, moved, d).text}"
            note = reasons[0] if reasons else "breaks a rule"
            pin = pin_words(document, moved[document.device_of[moved] != d])
            if pin and pin not in note:
                note = f"{pin}; {note}"
            allowed = possible or not repair
            choices.append(
                Choice(
                    device.title,
                    run,
                    detail,
                    allowed,
                    colours[d].accent,
                    theme.muted,
                    note,
                    key,
                    advised=along or repair,
                )
            )
        return choices
