"""What the order strip says: about the order, a block, a move and its change of I/Os.

Positions are counted from 1 for people, as everywhere in the window: the first connection used is connection 1.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from gui.look.numbers import plural, signed
from planner.model.network import Network

if TYPE_CHECKING:
    from gui.editors.network.strip.drag import Drag
    from planner.machines.two_level_memory.evaluator import Counts
    from planner.machines.two_level_memory.order import OrderEvaluation
    from planner.machines.two_level_memory.orders.blocks import BlockMove, Runs


def change_words(before: OrderEvaluation, after: Counts) -> str:
    """``reads −40, writes −83, total −123 I/Os``."""
    reads, writes = after.reads - before.reads, after.writes - before.writes
    return f"reads {signed(reads)}, writes {signed(writes)}, total {signed(reads + writes)} I/Os"


def order_words(runs: Runs) -> str:
    """The whole order."""
    count = int(runs.begin[-1])
    return f"{plural(count, 'connection')} in {plural(len(runs), 'run')}. Drag a block to move it."


def block_words(move: BlockMove, pieces: int) -> str:
    """The block of the selected neuron."""
    name = move.network.neuron_name(move.neuron)
    first = int(move.at[0]) + 1
    where = f"at {first:,}" if pieces == 1 else f"{pieces:,} runs from {first:,}"
    return f"{name}: {where}, may start at {move.first + 1:,} to {move.last + 1:,}"


def best_words(change: float) -> str:
    """What the best place found would bring."""
    return f"best place: {signed(change)} I/Os" if change < 0 else "no better place"


def drag_words(drag: Drag, before: OrderEvaluation) -> str:
    """The drag, in one line."""
    if not drag.legal:
        return drag.reason
    told = "counting …" if drag.counts is None else change_words(before, drag.counts)
    return f"start at {drag.place + 1:,}: {told}"


def drag_card(drag: Drag, before: OrderEvaluation) -> str:
    """The drag, beside the pointer (rich text)."""
    title = f"<b>{escape(drag.move.network.neuron_name(drag.move.neuron))}</b>"
    if not drag.legal:
        return f"{title}<br>{escape(drag.reason)}"
    if drag.counts is None:
        return f"{title} at {drag.place + 1:,}<br>counting …"
    reads, writes = drag.counts.reads - before.reads, drag.counts.writes - before.writes
    return (
        f"{title} at {drag.place + 1:,}<br>reads {signed(reads)} &nbsp; writes {signed(writes)} &nbsp;"
        f" <b>total {signed(reads + writes)}</b>"
    )


def run_words(network: Network, runs: Runs, run: int) -> str:
    """``neuron 3 of layer 1, 5 to 9, 5 connections``."""
    return f"{network.neuron_name(int(runs.neuron[run]))}, {_run_span(runs, run)}"


def _run_span(runs: Runs, run: int) -> str:
    begin, end = int(runs.begin[run]), int(runs.begin[run + 1])
    return f"{begin + 1:,} to {end:,}, {plural(end - begin, 'connection')}"


def place_card(network: Network, position: int, connection: int, runs: Runs) -> str:
    """What is used at a position (rich text)."""
    run = runs.at(position)
    source, target = int(network.source[connection]), int(network.target[connection])
    rows = (
        ("used", f"{position + 1:,}"),
        ("from", network.neuron_name(source)),
        ("run", _run_span(runs, run)),
    )
    table = "".join(
        f"<tr><td>{name}&nbsp;&nbsp;</td><td align='right'>{escape(value)}</td></tr>" for name, value in rows
    )
    return f"<b>{escape(network.neuron_name(target))}</b><table>{table}</table>"


def rate_card(position: int, span: int, reads: int, writes: int) -> str:
    """What happens around a position under the ribbon (rich text)."""
    return (
        f"<b>at {position + 1:,}</b><table><tr><td>reads of neurons&nbsp;&nbsp;</td><td align='right'>{reads:,}</td></tr>"
        f"<tr><td>writes</td><td align='right'>{writes:,}</td></tr></table>per {plural(span, 'connection')}"
    )
