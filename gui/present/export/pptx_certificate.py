"""A certificate on a PowerPoint slide: the verdict as text, components and facts as native tables."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from gui.look.theme import Theme
from gui.present.captions import LEADING, Run, flowed
from gui.present.certificate.facts import facts
from gui.present.certificate.page import (
    MOST_VIOLATIONS,
    claim_lines,
    commands,
    component_rows,
    fact_rows,
    proof_lines,
    status_line,
    verdict,
)
from gui.present.export.pptx_deck import Slide
from planner.reports.certificate.certificate import Certificate

LEFT = 0.53
"""Share of the width that verdict and components take."""
STATUS, BODY, CELL, LEAST = 34.0, 19.0, 20.0, 12.0
"""Letters in pixels of a slide, and the smallest of what has little room."""
ROW = 1.9
"""Height of a row, in letters."""


def write_certificate(slide: Slide, certified: Certificate, rect: QRectF, theme: Theme) -> None:
    """Fill ``rect`` (pixels of the slide) with a certificate."""
    left = QRectF(rect.left(), rect.top(), LEFT * rect.width() - 24, rect.height())
    right = QRectF(left.right() + 48, rect.top(), rect.right() - left.right() - 48, rect.height())
    words, colour = status_line(certified, theme)
    head = QRectF(left.left(), left.top(), left.width(), STATUS * LEADING)
    slide.text(head, [[Run(words, colour, True)]], STATUS, "Verdict", anchor="top")
    meaning = verdict(certified)
    high = LEADING * BODY * len(flowed(meaning, round(BODY), False, left.width()))
    below = QRectF(left.left(), head.bottom() + 4, left.width(), high)
    slide.text(below, [[Run(meaning, theme.muted)]], BODY, "What it means", anchor="top")
    rows = component_rows(certified)
    table = QRectF(left.left(), below.bottom() + 16, left.width(), ROW * CELL * len(rows))
    cells = [
        [
            Run(cell, theme.muted if i == 0 or j == 0 else theme.text, i > 0 and j == 1)
            for j, cell in enumerate(row)
        ]
        for i, row in enumerate(rows)
    ]
    shares = (0.36, 0.26, 0.24, 0.14)
    slide.table(table, cells, shares, [ROW * CELL] * len(rows), CELL, "Components")
    rest = QRectF(left.left(), table.bottom() + 16, left.width(), left.bottom() - table.bottom() - 16)
    _write_lines(slide, _lines(certified, theme), rest)
    _write_facts(slide, certified, right, theme)


def _lines(certified: Certificate, theme: Theme) -> list[Run]:
    """What is broken, or how it is proven, what is only claimed, and how to prove it again."""
    broken = certified.violations
    if broken:
        more = [f"and {len(broken) - MOST_VIOLATIONS} more"] if len(broken) > MOST_VIOLATIONS else []
        return [Run(line, theme.text) for line in (*broken[:MOST_VIOLATIONS], *more)]
    out = [Run(line, theme.text) for part in certified.parts for line in proof_lines(certified, part)]
    out += [Run(line, theme.warning) for line in claim_lines(certified)]
    return [*out, *(Run(f"Again: {command}", theme.muted) for command in commands(certified))]


def _write_lines(slide: Slide, lines: list[Run], rect: QRectF) -> None:
    """Sentences as large as they fit."""
    if not lines:
        return
    pixels = BODY
    while pixels > LEAST and rect.height() < LEADING * pixels * sum(
        len(flowed(line.text, round(pixels), False, rect.width())) for line in lines
    ):
        pixels -= 0.5
    slide.text(rect, [[line] for line in lines], pixels, "How it is proven", anchor="top")


def _write_facts(slide: Slide, certified: Certificate, rect: QRectF, theme: Theme) -> None:
    """What it takes to check the plan, as a table of two columns."""
    chosen, pixels, label = fact_rows(facts(certified), rect, BODY)
    share = label / rect.width()
    rows = [[Run(fact.label, theme.muted, True), Run(fact.words, theme.text)] for fact in chosen]
    heights = [
        LEADING * pixels * len(flowed(fact.words, pixels, False, rect.width() - label)) + 0.5 * pixels + 4
        for fact in chosen
    ]
    slide.table(rect, rows, (share, 1.0 - share), heights, pixels, "How to check it")
