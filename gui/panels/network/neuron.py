"""The inspector of a network's window: the selected neuron, or the whole network and how to read what is shown."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QWidget

from gui.document.network.neuron_facts import block_facts, traffic_facts
from gui.look.numbers import percent, plural
from gui.look.theme import Theme
from gui.panels.inspector_pages import fact_rows, framed, link, nothing, section
from gui.panels.network.base import POLICY_WORDS, OrderPanel
from gui.widgets.facts import facts_view

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from planner.machines.two_level_memory.problem import NetworkProblem
    from planner.model.graph import Ints
    from planner.model.network import Longs

MOST_STAYS, MOST_NEIGHBOURS = 6, 8


class NeuronPanel(OrderPanel):
    """A page of facts. Every link can be reached with Tab and followed with Return."""

    id: ClassVar[str] = "inspector"
    title: ClassVar[str] = "Inspector"

    def __init__(self, document: OrderDocument, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.view = facts_view(self, "Facts about the selected neuron", self._follow)
        for signal in (
            document.model_changed, document.problem_changed, document.decision_changed, document.trace_changed,
            document.selection_changed,
        ):  # fmt: skip
            signal.connect(self.request_refresh)

    def refresh(self) -> None:
        """Build the page anew."""
        document = self.document
        if document.problem is None:
            page = nothing(self.document.nothing("Open a sparse network to look at its neurons."))
        elif document.selection < 0:
            page = network_page(document.problem)
        else:
            page = neuron_page(document, document.selection)
        bar = self.view.verticalScrollBar()
        position = bar.value()
        self.view.setHtml(framed(page, self.theme))
        bar.setValue(position)

    def _follow(self, url: QUrl) -> None:
        """``neuron:3`` selects, ``at:120`` shows a moment."""
        action, _, number = url.toString().partition(":")
        if self.document.problem is None or not number.lstrip("-").isdigit():
            return
        if action == "neuron" and -1 <= int(number) < self.document.problem.network.neuron_count:
            self.document.select(int(number))
        elif action == "at":
            self.document.set_position(int(number))


def network_page(problem: NetworkProblem) -> str:
    """The whole network, and what the window shows of it."""
    network, memory = problem.network, problem.target
    sizes = [f"{size:,}" for size in network.layer_sizes.tolist()]
    shown = " → ".join(sizes if len(sizes) <= 8 else [*sizes[:4], "…", *sizes[-3:]])
    layered = bool((network.layer[network.target] - network.layer[network.source] == 1).all())
    facts = fact_rows(
        [
            ("Connections", f"{network.connection_count:,}"),
            ("Neurons", f"{network.neuron_count:,}"),
            ("Inputs, outputs", f"{len(network.inputs):,}, {len(network.outputs):,}"),
            ("Layers", shown),
            # Of a network whose connections skip layers the density between neighbours says nothing.
            ("Density", percent(network.density, 2) if layered else ""),
            ("Fast memory", f"{memory.size:,} values, {POLICY_WORDS[memory.policy][0]}"),
        ]
    )
    words = (
        "The network runs one connection at a time, in an order that you choose. A connection needs the value of the neuron it"
        f" leaves and the partial sum of the one it leads to in fast memory. Of its {memory.size:,} places {memory.size - 1:,} are for these; the last is for the weight of the"
        " connection. Everything else is read and written: the fewer I/\N{WORD JOINER}Os, the better the order."
    )
    how = (
        ("Colour", "when a connection is used, from first to last."),
        ("Scrubber", "play the order; what is in fast memory lights up."),
        ("Planners", "search for a better order in the background."),
        ("Strip", "drag a neuron's block of connections earlier or later."),
    )
    lines = "".join(
        f"<p style='margin: 2px 0'><b>{name}</b> <span class='m'>{text}</span></p>" for name, text in how
    )
    return (
        f"<h3>{escape(network.name)}</h3>{facts}{section('What you see')}<p>{escape(words)}</p>{lines}"
        "<p class='m'>Select a neuron to see when it runs and what it costs.</p>"
    )


def neuron_page(document: OrderDocument, neuron: int) -> str:
    """One neuron under the order on the canvas."""
    from planner.model.network import ACTIVATIONS

    problem = document.open_problem
    network = problem.network
    block = block_facts(network, document.order, neuron)
    kind = [
        word for word, holds in (("input", network.is_input), ("output", network.is_output)) if holds[neuron]
    ]
    rows = [
        ("Kind", ", ".join(kind) or "hidden"),
        ("Number in the file", f"{int(network.ids[neuron]):,}"),
        ("Connections in, out", f"{int(network.in_degree[neuron]):,}, {int(network.out_degree[neuron]):,}"),
    ]
    fed = neuron in network.inputs[network.feature >= 0]
    if not fed:
        activation = ACTIVATIONS[network.activation[neuron]]
        rows.append(("Activation, bias", f"{activation}, {float(network.bias[neuron]):.4g}"))
    when = []
    if block.runs:
        when.append(("Summed at", _span(block.first, block.last)))
        when.append(("In", "one run" if block.runs == 1 else plural(block.runs, "run")))
    if block.first_use >= 0:
        when.append(("Read at", _span(block.first_use, block.last_use)))
    parts = [
        f"<h3>{escape(network.neuron_name(neuron)).capitalize()}</h3>",
        fact_rows(rows),
        section("When"),
        fact_rows(when),
        section("Fast memory"),
        _traffic(document, neuron),
    ]
    parts += _neighbours(document, "Reads from", network.source, network.incoming, neuron)
    parts += _neighbours(document, "Leads to", network.target, network.outgoing, neuron)
    return "".join([*parts, f"<p>{link('neuron', -1, 'Back to the network')}</p>"])


def _span(first: int, last: int) -> str:
    """Two moments, each of which can be shown. Positions are counted from 1 for people."""
    start = link("at", first + 1, f"{first + 1:,}")
    return start if first == last else f"{start} to {link('at', last + 1, f'{last + 1:,}')}"


def _traffic(document: OrderDocument, neuron: int) -> str:
    trace = document.trace
    if trace is None:
        return nothing("Counting …")
    facts = traffic_facts(trace, neuron)
    length = len(document.order)
    rows = [
        ("Reads", f"{facts.reads:,}" + (f" <span class='bad'>({facts.reads - 1:,} again)</span>" if facts.reads > 1 else "")),
        ("Writes", f"{facts.writes:,}"),
        ("In it for", f"{percent(facts.resident / length)} of the order"),
    ]  # fmt: skip
    for i, (begin, end) in enumerate(facts.stays[:MOST_STAYS]):
        rows.append(("In it at" if i == 0 else "", _span(begin, end - 1)))
    if len(facts.stays) > MOST_STAYS:
        rows.append(("", f"and {plural(len(facts.stays) - MOST_STAYS, 'stay')} more"))
    return fact_rows(rows)


def _neighbours(
    document: OrderDocument, title: str, ends: Ints, grouped: tuple[Longs, Ints], neuron: int
) -> list[str]:
    """Links to the first neurons at the other ends of its connections."""
    offsets, connections = grouped
    mine = connections[offsets[neuron] : offsets[neuron + 1]]
    if not len(mine):
        return []
    network = document.open_problem.network
    others = ends[mine[:MOST_NEIGHBOURS]].tolist()
    names = ", ".join(link("neuron", other, network.neuron_name(other)) for other in others)
    more = f" <span class='m'>and {len(mine) - len(others):,} more</span>" if len(mine) > len(others) else ""
    return [section(title), f"<p style='margin: 2px 0'>{names}{more}</p>"]
