"""The certificate of a plan as a page: what is certain about it in large letters, and beside it how anybody can check."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.look.numbers import DASH, gap_text, plural, seconds_text
from gui.look.theme import Theme
from gui.look.writing import LEFT
from gui.present.captions import LEAST, STEPS, flowed, letters, measure
from gui.present.certificate.facts import Fact, facts
from gui.widgets.labels import capital
from gui.words.methods import by_method
from gui.words.objectives import component_columns, component_words, in_unit
from gui.words.proofs import assumed, component_title
from planner.problem.bound import Bound
from planner.problem.proof_words import of_objective, optimal_words
from planner.reports.certificate.certificate import Certificate, Part
from planner.text_table import with_article

MARGIN = 40.0
FRAME = (1280, 720)
"""Pixels of a page in its usual size."""
STATUS, VALUE, BODY, SMALL = 34.0, 22.0, 17.0, LEAST
"""Letters in pixels of a frame of 1280 x 800."""
CLOSEST = 0.7
"""How far apart columns of figures are at least, in their letters."""
LEAST_SHARE, MOST_SHARE = 1.0, 1.6
"""The page is set so much larger where it is short; where it would be smaller, what is least important is left out."""
ALL, WITHOUT_COMMAND, SHORT = 0, 1, 2
"""How much of the proofs is there: with the command, without it, or no more than the method of each."""
SHORTEST = 0.1
"""Seconds: proofs that took less are not told apart."""
MOST_VIOLATIONS = 5


def status_line(certified: Certificate, theme: Theme) -> tuple[str, str]:
    """The verdict in a few words, of which objective where that is not the usual one, with its colour."""
    names = [part.name for part in certified.parts]
    if certified.violations:
        return f"\N{BALLOT X} Not valid: {plural(len(certified.violations), 'violation')}", theme.bad
    if certified.status == "optimal":
        return f"\N{CHECK MARK} {capital(optimal_words(names, component_title))}", theme.good
    if certified.gap is None:
        return "Valid, nothing proven yet", theme.text
    first = certified.first_open
    where = f" of the {component_title(first.name)}" if first and of_objective(names) else ""
    return f"Valid, gap {gap_text(certified.gap)}{where}", theme.text


def verdict(certified: Certificate) -> str:
    """What the status means, in one sentence."""
    if certified.violations:
        return "A plan that breaks rules cannot run as it is, so nothing is claimed about its cost."
    if certified.status == "optimal":
        if certified.constraints:
            return f"No valid plan that keeps {plural(len(certified.constraints), 'constraint')} is better."
        return "No valid plan of this problem is better."
    if certified.gap is None:
        return "No bound is known: how much better a plan could be is open."
    part = certified.first_open
    if part is None or part.proof is None:
        return "Nobody has proven how much better a plan could be."
    title, bound = component_words(part.name).title, amount(certified, part.name, part.proof.value)
    among = (
        "No valid plan" if part is certified.parts[0] else "Of the plans that are as good before that, none"
    )
    return f"{among} has {with_article(title)} below {bound}; this one has {amount(certified, part.name, part.value)}."


def amount(certified: Certificate, component: str, value: float) -> str:
    """A value of a component as the page writes it, and what stands around the page: each component in the unit of the plan's value."""
    columns = component_columns([(part.name, part.unit, part.value) for part in certified.parts])
    return in_unit(columns[component], certified.unit_of(component), value)


def proof_lines(certified: Certificate, part: Part, *, brief: bool = False) -> list[str]:
    """How the bound of a component was proven, in sentences; ``brief``: by which method, and no more."""
    proof = part.proof
    if proof is None:
        return []
    title = component_words(part.name).title
    if brief:
        return [f"{title[:1].upper()}{title[1:]}: by {by_method(proof.method)}."]
    limits = [
        f"{component_words(name).title} of at most {amount(certified, name, most)}"
        for name, most in proof.given
    ]
    among = f", among plans with {' and '.join(limits)}" if limits else ""
    source = f" ({proof.source})" if proof.source else ""
    if proof.proven_for:
        source += f" for {proof.proven_for}, which holds here all the more"
    using = assumed(Bound(part.name, proof.value, proof.method, "", frozenset(proof.assumes)))
    took = seconds_text(proof.seconds) if proof.seconds >= SHORTEST else f"less than {seconds_text(SHORTEST)}"
    now = f", proven here now in {took}" if proof.now else ""
    return [
        f"{title[:1].upper()}{title[1:]}: by {by_method(proof.method)}{source}, using {using}{among}{now}."
    ]


def commands(certified: Certificate) -> list[str]:
    """The commands that prove all components again, each once."""
    return list(
        dict.fromkeys(p.proof.again for p in certified.parts if p.proof is not None and p.proof.again)
    )


def claim_lines(certified: Certificate) -> list[str]:
    """What a file claims beyond what is proven, in sentences: an audience knows no file by its name."""
    claim = certified.claim
    if claim is None:
        return []
    return [f"The plan's file{claim.words.removeprefix(claim.claimed_by)}. It counts for nothing above."]


def _command_lines(command: str, width: float, size: float) -> list[str]:
    """A command in lines that end before an option."""
    first, *options = command.split(" --")
    out = [first]
    for option in options:
        longer = f"{out[-1]} --{option}"
        if measure(max(6, round(size))).horizontalAdvance(longer) <= width:
            out[-1] = longer
        else:
            out.append(f"--{option}")
    return out


def component_rows(certified: Certificate) -> list[tuple[str, str, str, str]]:
    """The table of components, its head first: what, the plan's value, what no plan is below, and the gap."""
    rows = [("", "this plan", "at least", "gap")]
    for part in certified.parts:
        least = DASH if part.proof is None else amount(certified, part.name, part.proof.value)
        shown = "\N{CHECK MARK} 0" if part.proven else DASH if part.gap is None else gap_text(part.gap)
        if part.gap == 0.0 and not part.proven:
            shown = "met"
        title = component_words(part.name).title
        value = amount(certified, part.name, part.value)
        rows.append((title[:1].upper() + title[1:], value, least, shown))
    return rows


class CertificatePage:
    """Paints a certificate into any rectangle: one screen, never more."""

    def __init__(self, certified: Certificate) -> None:
        self.certificate = certified

    def paint(
        self, painter: QPainter, rect: QRectF, unit: float, type_unit: float, theme: Theme, *, ground: bool = True
    ) -> None:  # fmt: skip
        """The page, on its ground where there is one; ``unit`` is a pixel of a frame of 1280 x 800, ``type_unit`` the same for letters."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if ground:
            painter.fillRect(rect, QColor(theme.canvas))
        page = rect.adjusted(MARGIN * unit, 18 * unit, -MARGIN * unit, -18 * unit)
        painter.setPen(QPen(QColor(theme.border), max(1.0, unit)))
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(page, 12 * unit, 12 * unit)
        inner = page.adjusted(28 * unit, 20 * unit, -28 * unit, -20 * unit)
        split = 0.53 * inner.width()
        left = QRectF(inner.left(), inner.top(), split - 20 * unit, inner.height())
        right = QRectF(
            inner.left() + split + 20 * unit, inner.top(), inner.width() - split - 20 * unit, inner.height()
        )
        painter.setPen(QPen(QColor(theme.border), max(1.0, unit)))
        x = inner.left() + split
        painter.drawLine(QPointF(x, inner.top()), QPointF(x, inner.bottom()))
        tried = [type_unit, *(step * unit for step in STEPS if step * unit < type_unit)]
        type_unit = next(
            (size for size in tried[:-1] if Sheet(painter, theme, size).has_room(self.certificate, left)),
            tried[-1],
        )
        share = Sheet(painter, theme, type_unit).verdict(self.certificate, left)
        shown = facts(self.certificate)
        # What matters most is never left out for larger letters.
        needed = [fact for fact in shown if fact.weight == 0]
        size = next(
            (
                size
                for size in (type_unit, *(step * unit for step in STEPS if step * unit < type_unit))
                if facts_height(needed, right, SMALL * LEAST_SHARE * size) <= right.height()
            ),
            min(type_unit, unit),
        )
        paint_facts(painter, right, shown, size, theme, share)
        painter.restore()


class Sheet:
    """Sets the left half: verdict, components, proofs or what is broken; all smaller where it would not fit."""

    def __init__(self, painter: QPainter, theme: Theme, unit: float) -> None:
        self._painter, self._theme, self._unit = painter, theme, unit

    def verdict(self, c: Certificate, rect: QRectF) -> float:
        """All of it, from the top of ``rect``; returns how much larger than usual it is set."""

        def fits(share: float, how: int) -> bool:
            return self.lay(c, rect, share, how, False) <= rect.bottom()

        # What is left of the proofs grows into the room of what was left out.
        how = next((how for how in (ALL, WITHOUT_COMMAND) if fits(LEAST_SHARE, how)), SHORT)
        share = MOST_SHARE
        while share > LEAST_SHARE and not fits(share, how):
            share = max(LEAST_SHARE, share - 0.04)
        self._painter.save()
        self._painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
        self.lay(c, rect, share, how, True)
        self._painter.restore()
        return share

    def has_room(self, c: Certificate, rect: QRectF) -> bool:
        """Whether it is whole in the least of its sizes, no figure of the table beside another."""
        size, _, apart = self._columns(component_rows(c), rect.width(), self._unit)
        return apart >= CLOSEST * size and self.lay(c, rect, LEAST_SHARE, SHORT, False) <= rect.bottom()

    def lay(self, c: Certificate, rect: QRectF, share: float, how: int, paint: bool) -> float:
        """Set everything at a share of its size from the top of ``rect``, with as much of the proofs as ``how`` says; returns where it
        ends."""
        t, unit = self._theme, self._unit * share
        words, colour = status_line(c, t)
        y = self._text(rect, rect.top(), f"Certificate of {c.model}", BODY * unit, t.muted, paint)
        status = STATUS * unit
        while (
            measure(max(6, round(status)), True).horizontalAdvance(words) > rect.width()
            and status > BODY * unit
        ):
            status -= 1.0
        y = self._text(rect, y, words, status, colour, paint, bold=True)
        y = self._text(rect, y + 4 * unit, verdict(c), BODY * unit, t.muted, paint) + 18 * unit
        y = self._table(rect, y, c, unit, paint) + 14 * unit
        if c.violations:
            y = self._text(rect, y, "What is broken", BODY * unit, t.text, paint, bold=True) + 2 * unit
            for sentence in c.violations[:MOST_VIOLATIONS]:
                y = self._text(rect, y, sentence, SMALL * unit, t.text, paint) + 5 * unit
            more = len(c.violations) - MOST_VIOLATIONS
            return self._text(rect, y, f"and {more} more", SMALL * unit, t.muted, paint) if more > 0 else y
        proofs = [line for part in c.parts for line in proof_lines(c, part, brief=how == SHORT)]
        if proofs:
            y = self._text(rect, y, "How it is proven", BODY * unit, t.text, paint, bold=True) + 2 * unit
        for line in proofs:
            y = self._text(rect, y, line, SMALL * unit, t.text, paint) + 5 * unit
        claims = claim_lines(c)
        if claims:
            y = self._text(rect, y + 5 * unit, "What is only claimed", BODY * unit, t.text, paint, bold=True)
            y += 2 * unit
        for line in claims:
            y = self._text(rect, y, line, SMALL * unit, t.warning, paint) + 5 * unit
        head, again = "Prove it again", commands(c)
        if c.claim is not None and c.claim.again:
            head, again = "Prove what is claimed", [c.claim.again]
        if again and how == ALL:
            y = self._text(rect, y + 5 * unit, head, BODY * unit, t.text, paint, bold=True) + 2 * unit
            for line in (line for one in again for line in _command_lines(one, rect.width(), SMALL * unit)):
                y = self._text(rect, y, line, SMALL * unit, t.muted, paint)
        return y

    def _table(self, rect: QRectF, y: float, c: Certificate, unit: float, paint: bool) -> float:
        """One row per component: value, what no plan is below, and the gap."""
        t, wide = self._theme, rect.width()
        rows = component_rows(c)
        value, columns, _ = self._columns(rows, wide, unit)
        for i, row in enumerate(rows):
            size = min(value, SMALL * unit) if i == 0 else value
            high = 1.75 * size
            for j, words in enumerate(row):
                x, end = columns[j], columns[j + 1]
                colour = t.muted if i == 0 or j == 0 else t.good if "\N{CHECK MARK}" in words else t.text
                if paint:
                    cell = QRectF(rect.left() + x, y, end - x, high)
                    self._cell(cell, words, size if j else min(size, BODY * unit), colour, j == 1 and i > 0)
            y += high
            if paint:
                self._painter.setPen(QPen(QColor(t.border), max(1.0, unit)))
                self._painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y))
        return y

    def _columns(
        self, rows: Sequence[Sequence[str]], wide: float, unit: float
    ) -> tuple[float, list[float], float]:
        """The size of the letters of all values, one for the table so that no figure looks smaller than another, and where its columns begin
        and the last one ends, and how far apart they are."""
        size = VALUE * unit
        while True:
            columns = []
            for j, cells in enumerate(zip(*rows, strict=True)):
                pixels = max(6, round(size if j else min(size, BODY * unit)))
                columns.append(max(measure(pixels, j == 1).horizontalAdvance(words) for words in cells))
            apart = (wide - sum(columns)) / max(1, len(columns) - 1)
            if apart >= CLOSEST * size or size <= SMALL * self._unit:
                return size, [0.0, *accumulate(column + apart for column in columns)], apart
            size -= 1.0

    def _cell(self, rect: QRectF, words: str, size: float, colour: str, bold: bool) -> None:
        self._painter.setFont(letters(max(6, round(size)), bold))
        self._painter.setPen(QColor(colour))
        self._painter.drawText(rect, LEFT, words)

    def _text(
        self, rect: QRectF, y: float, words: str, size: float, colour: str, paint: bool, *, bold: bool = False
    ) -> float:  # fmt: skip
        pixels = max(6, round(size))
        for line in flowed(words, pixels, bold, rect.width()):
            if paint:
                self._painter.setFont(letters(pixels, bold))
                self._painter.setPen(QColor(colour))
                self._painter.drawText(QPointF(rect.left(), y + measure(pixels, bold).ascent()), line)
            y += 1.28 * pixels
        return y


def paint_facts(
    painter: QPainter, rect: QRectF, shown: Sequence[Fact], unit: float, theme: Theme, most: float
) -> None:
    """Labels and values, as :func:`fact_rows` has them."""
    chosen, pixels, label_wide = fact_rows(shown, rect, SMALL * unit, most)
    y = rect.top()
    painter.save()
    painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
    for fact in chosen:
        painter.setFont(letters(pixels, True))
        painter.setPen(QColor(theme.muted))
        ascent = measure(pixels).ascent()
        painter.drawText(QPointF(rect.left(), y + ascent), fact.label)
        painter.setFont(letters(pixels))
        painter.setPen(QColor(theme.text))
        for line in flowed(fact.words, pixels, False, rect.width() - label_wide):
            painter.drawText(QPointF(rect.left() + label_wide, y + ascent), line)
            y += 1.32 * pixels
        y += 0.55 * pixels
    painter.restore()


def fact_rows(
    shown: Sequence[Fact], rect: QRectF, size: float, most: float = MOST_SHARE
) -> tuple[list[Fact], int, float]:
    """Facts that fit ``rect``, the size of their letters and the width of the labels (pixels): as much larger than ``size`` as they fit,
    never more than ``most``, which is how the verdict beside them is set; at ``size`` without what is least important."""
    chosen, share = list(shown), min(0.9 * MOST_SHARE, most)
    while share > LEAST_SHARE and facts_height(chosen, rect, size * share) > rect.height():
        share = max(LEAST_SHARE, share - 0.04)
    while len(chosen) > 1 and facts_height(chosen, rect, size * share) > rect.height():
        weight = max(fact.weight for fact in chosen)
        chosen.remove(next(fact for fact in reversed(chosen) if fact.weight == weight))
    for fact in sorted(
        shown, key=lambda fact: fact.weight
    ):  # a short one may have room where a long one had none
        tried = [other for other in shown if other in chosen or other == fact]
        if facts_height(tried, rect, size * share) <= rect.height():
            chosen = tried
    pixels = max(6, round(size * share))
    return chosen, pixels, _label_width(chosen, pixels)


def _label_width(shown: Sequence[Fact], pixels: int) -> float:
    return max(measure(pixels, True).horizontalAdvance(fact.label) for fact in shown) + 1.1 * pixels


def facts_height(shown: Sequence[Fact], rect: QRectF, size: float) -> float:
    """Pixels that facts take in the width of ``rect`` in letters of ``size``."""
    pixels = max(6, round(size))
    room = rect.width() - _label_width(shown, pixels)
    return sum(1.32 * pixels * len(flowed(fact.words, pixels, False, room)) + 0.55 * pixels for fact in shown)
