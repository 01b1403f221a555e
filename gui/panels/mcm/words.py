"""What the package view says of chips, links and memory: the lines of its cards, and what a screen reader is told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from gui.look.numbers import one_time, percent, plural, rate_text
from gui.panels.mcm.state import ChipState, Package

if TYPE_CHECKING:
    from planner.problem.decision import Evaluation

Rows = list[tuple[str, str]]

NO_BREAK = "\N{NO-BREAK SPACE}"
MOST_NAMED = 3
"""So many chips that are equally slow are named."""
KEYS = "Arrows walk, Enter selects the chip's ops, M moves the selected ops to it, Home and End go to the ends of the chain."


def held_words(package: Package, chip: int) -> str:
    """What a chip holds of what it can: ``28.10 / 32.00 MiB``."""
    used = package.chips[chip].memory
    held = package.held_text(used)
    if not math.isfinite(package.sram):
        return held
    whole = package.held_text(package.sram)
    return f"{held.removesuffix(' ' + whole.split()[-1])} / {whole}"


def chip_rows(package: Package, chip: int) -> Rows:
    """All numbers of a chip."""
    state = package.chips[chip]
    rows = [
        ("holds", plural(state.ops, "op")),
        ("chip latency", _of_most(package.time_text(state.cost), state.cost, package.slowest)),
        ("receive", package.time_text(state.receive)), ("work", package.time_text(state.work)),
        ("send", package.time_text(state.send)), ("memory", held_words(package, chip)),
        ("parameters", package.held_text(state.parameters)), ("peak activations", package.held_text(state.activations)),
    ]  # fmt: skip
    if chip + 1 < len(package.chips):
        rows.append((f"link to {package.chips[chip + 1].title.lower()}", package.link_text(state.link)))
    if state.through > 0:
        rows.append(("passes through", package.link_text(state.through)))
    return rows


def _of_most(words: str, value: float, most: float) -> str:
    """An amount with its share of the largest."""
    return f"{words} ({percent(value / most, 0)} of the slowest)" if most > 0 and value < most else words


def chip_notes(package: Package, chip: int) -> list[str]:
    """What is special or wrong about a chip, worst first."""
    state = package.chips[chip]
    notes = []
    if package.overfull(chip):
        notes.append(f"holds {package.held_text(state.memory - package.sram)} more than fits")
    if state.broken:
        notes.append("breaks a rule")
    if state.bottleneck:
        notes.append("the slowest chip")
    if state.preview is not None:
        notes.append(preview_note(state))
    return notes


def preview_note(state: ChipState) -> str:
    """What a drop on a chip would give."""
    preview = state.preview
    assert preview is not None
    if preview.stays:
        return "the dragged ops are here"
    if preview.legal:
        return f"a drop here: {preview.long}"
    return f"not allowed: {preview.reason}" + ("" if preview.possible else ", whatever else moves")


def chip_html(package: Package, chip: int) -> str:
    """The card of a chip."""
    notes = "; ".join(chip_notes(package, chip))
    head = f"<b>{escape(package.chips[chip].title)}</b>" + (f"<br>{escape(notes)}" if notes else "")
    return head + table(chip_rows(package, chip))


def link_html(package: Package, chip: int) -> str:
    """The card of the link from a chip to the next."""
    state, following = package.chips[chip], package.chips[chip + 1]
    share = (
        f"{percent(state.link / package.hottest, 0)} of the busiest link"
        if package.hottest > 0
        else "nothing"
    )
    rows = [
        ("bytes per sample", package.link_text(state.link)),
        ("of them from earlier chips", package.link_text(min(state.through, state.link))),
        ("load", share),
    ]
    return f"<b>{escape(state.title)} \N{RIGHTWARDS ARROW} {escape(following.title)}</b>{table(rows)}"


def table(rows: Sequence[tuple[str, str]]) -> str:
    """Names and figures as the rows of a card."""
    cells = "".join(
        f"<tr><td>{escape(name)}&nbsp;&nbsp;</td><td align='right'>{escape(value)}</td></tr>"
        for name, value in rows
    )
    return f"<table>{cells}</table>"


def chip_spoken(package: Package, chip: int) -> str:
    """A chip for a screen reader."""
    words = [f"{name} {value}" for name, value in chip_rows(package, chip)]
    return ", ".join([package.chips[chip].title, *chip_notes(package, chip), *words])


def _chips_words(chips: Sequence[int]) -> str:
    """``chip 5``, ``chips 5 and 8``, ``chips 1, 2 and 3``, ``chips 1, 2 and 4 more``."""
    if len(chips) == 1:
        return f"chip {chips[0]}"
    more = len(chips) - MOST_NAMED
    named, last = (chips[:-1], f"{chips[-1]}") if more <= 0 else (chips[: MOST_NAMED - 1], f"{more + 1} more")
    return f"chips {', '.join(map(str, named))} and {last}"


def summary(package: Package, evaluation: Evaluation, told: float | None = None) -> str:
    """The whole package in one line: pace, the slowest and the fullest chip, the busiest link; it breaks between these alone.

    A latency of the slowest chip that is ``told`` beside it is not said again.
    """
    used = sum(chip.ops > 0 for chip in package.chips)
    parts = [plural(len(package.chips), "chip") + (f", {used} used" if used < len(package.chips) else "")]
    if worst := [chip for chip, state in enumerate(package.chips) if state.bottleneck]:
        cost = "" if package.slowest == told else f": {package.time_text(package.slowest)}"
        parts.append(f"slowest {_chips_words(worst)}{cost}")
    rate = evaluation.figures.get("throughput", math.inf)
    if package.unit is not None and math.isfinite(rate):
        parts.append(f"{rate_text(rate)} samples/s")
    if "latency" in evaluation.figures:
        parts.append(f"one sample {one_time(evaluation.figures['latency'], package.unit)}")
    fullest = max(range(len(package.chips)), key=lambda d: package.chips[d].memory)
    parts.append(f"fullest chip {fullest}: {held_words(package, fullest)}")
    if package.hottest > 0:
        busiest = max(range(len(package.chips)), key=lambda d: package.chips[d].link)
        parts.append(
            f"busiest link {busiest} \N{RIGHTWARDS ARROW} {busiest + 1}: {package.link_text(package.hottest)}"
        )
    kept = (part.replace(" ", NO_BREAK) for part in parts)
    return f"{2 * NO_BREAK} ".join(kept)
