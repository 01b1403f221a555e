"""What ``stageboard compare`` says of orders of one network: the fields of its JSON and the same as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.cli.comparing import SHOWN_OPS
from planner.cli.comparing_figures import (
    and_more,
    change_text,
    claimed_lines,
    figure_fields,
    figure_table,
    heading,
    signed,
    violation_lines,
)
from planner.reports.comparison.orders import OrderComparison
from planner.text_table import table


def order_fields(comparison: OrderComparison, files: Sequence[str]) -> dict[str, Any]:
    """The JSON of a comparison of orders; everything is listed, and what differs is against the first."""
    plans = comparison.plans
    moves = [comparison.displaced(i) for i in range(len(plans))]
    return {
        "model": comparison.network.name,
        "reference": comparison.letter(0),
        "plans": [
            {
                **figure_fields(comparison.figures(i), file),
                "reads": plans[i].evaluation.reads,
                "writes": plans[i].evaluation.writes,
                "difference": None if not i else plans[i].objective - plans[0].objective,
                "objective_by_reference": None,
                "moved_neurons": len(moves[i].neurons),
                "displaced_connections": moves[i].connections,
            }
            for i, file in enumerate(files)
        ],
        "why_incomparable": "",
        "differing": comparison.differing.sentence,
        "devices": [],
        "groups": [],
        "moved": [
            {"plan": comparison.letter(i), "neuron": neuron, "from": before, "to": after}
            for i, found in enumerate(moves)
            for neuron, before, after in zip(
                found.neurons.tolist(), found.before.tolist(), found.after.tolist(), strict=True
            )
        ],
        "flows": [],
        "notes": list(comparison.notes),
    }


def order_text(
    comparison: OrderComparison,
    files: Sequence[str],
    everything: bool = False,
    proven_for: float | None = None,
) -> str:
    """Figures of all orders, then for each but the first which neurons moved. ``proven_for``: seconds of proving behind them."""
    plans = comparison.plans
    figures = [comparison.figures(i) for i in range(len(plans))]
    first = plans[0]
    moves = [comparison.displaced(i) for i in range(1, len(plans))]
    neurons, connections = len(comparison.sequence(0)), comparison.network.connection_count
    more = [
        (f"against {comparison.letter(0)}", ["", *(change_text(p.objective - first.objective, first.objective, "I/Os") for p in plans[1:])]),
        ("reads", _counts([plan.evaluation.reads for plan in plans])),
        ("writes", _counts([plan.evaluation.writes for plan in plans])),
        ("neurons moved", ["", *(f"{len(found.neurons):,} of {neurons:,}" for found in moves)]),
        ("connections displaced", ["", *(f"{found.connections:,} of {connections:,}" for found in moves)]),
    ]  # fmt: skip
    what, said = comparison.differing
    parts = [
        heading(comparison.network.name, figures, files),
        *([f"  {said}"] if said else []),
        figure_table(figures, more, what),
        *violation_lines(figures),
        *claimed_lines(figures, proven_for),
    ]
    for i in range(1, len(plans)):
        parts.append(_section(comparison, i, everything))
    return "\n\n".join(parts)


def _counts(values: Sequence[int]) -> list[str]:
    """Counts, each but the first with its difference to the first."""
    first = values[0]
    return [f"{first:,}", *(f"{v:,} ({signed(v - first, f'{abs(v - first):,}')})" for v in values[1:])]


def _section(comparison: OrderComparison, i: int, everything: bool) -> str:
    a, b = comparison.letter(0), comparison.letter(i)
    found = comparison.displaced(i)
    if not len(found.neurons):
        return f"{b} against {a}: the neurons are completed in the same order"
    count = len(found.neurons)
    title = f"{b} against {a}: {count:,} {'neuron' if count == 1 else 'neurons'} moved, the fewest that lead from one order to the other"
    shown = count if everything else min(count, SHOWN_OPS)
    layer = comparison.network.layer
    rows = [
        [
            str(neuron),
            str(int(layer[neuron])),
            f"{before:,}",
            f"{after:,}",
            signed(after - before, f"{abs(after - before):,}"),
        ]
        for neuron, before, after in zip(
            found.neurons[:shown].tolist(),
            found.before[:shown].tolist(),
            found.after[:shown].tolist(),
            strict=True,
        )
    ]
    head = ["neuron", "layer", f"place in {a}", f"place in {b}", "moved by"]
    return f"{title}\n{table(head, rows, left=0)}{and_more(count - shown)}"
