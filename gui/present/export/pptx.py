"""PowerPoint slides (PPTX), by python-pptx: words, notes, legend and certificate as native text, the canvas as a vector picture.

A picture is an SVG with a PNG beside it for programs that draw none (the extension "svgBlip" of Office Open XML).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QTransform

from gui.canvas.graph.heat.heat import heat_of
from gui.canvas.graph.items import items_of
from gui.look.drawn import drawing, encoded
from gui.look.glyphs import glyph_path
from gui.look.numbers import amount_column
from gui.look.theme import THEMES, Theme, device_colours
from gui.look.writing import elided
from gui.present.captions import (
    LEADING,
    MARGIN,
    NAMES,
    Run,
    flowed,
    letters,
    measure,
    words_for,
)
from gui.present.comparison.making import comparison_of
from gui.present.export.pptx_deck import Deck, Slide
from gui.present.panels.rows import worth_showing
from gui.present.show import Show
from gui.present.transition.legend import NO_OPS
from planner.errors import StageboardError
from planner.files import write_atomically
from planner.problem.problem import Plan
from planner.problem.worst import plain_word, worst_word
from planner.story.keyframe import CANVASES, Keyframe
from planner.story.story import Resolved

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import OrderPlan
    from planner.reports.comparison import Comparison

MISSING = 'PPTX files need python-pptx, which is not installed; run "pip install python-pptx", or write .pdf or .svg'
SIZE = (1280, 720)
"""Pixels of a slide, of 1/96 inch: 13.33 x 7.5 inches, which PowerPoint calls 16:9."""
LETTERS = 1.2
"""Letters are so much larger than on the stage."""
LINE, WORDS, MARK, APART = 32.0, 18.0, 22.0, 28.0
"""The legend in pixels: height of a line, its letters, room for the mark, and between entries."""
MORE = 140.0
"""Room for how many more there are."""
MOST_LINES = 2
"""Of more devices than fit the slowest are named."""
LEAST, LEAST_LINE = 11.0, 16.0
"""The smallest letters of the line above, in pixels, and those of two lines in its place."""
SHARPNESS = 2.0
"""Pixels of the PNG for each of the slide."""

Progress = Callable[[int, int], None]


def check_library() -> None:
    """Raises :class:`StageboardError` where python-pptx is not installed."""
    try:
        import pptx  # noqa: F401
    except ImportError:
        raise StageboardError(MISSING) from None


def write_pptx(resolved: Resolved, path: Path, theme: str, progress: Progress) -> int:
    """Write a slide for each keyframe and return the file's bytes. ``progress(done, of)`` may raise to stop.

    Raises :class:`StageboardError` where python-pptx is missing or the file cannot be written.
    """
    check_library()
    colours = THEMES[theme]
    slides = _Slides(resolved, colours)
    deck = Deck(resolved.story.title, SIZE, colours, device_colours(6, colours))
    count = len(resolved.story.keyframes)
    for index in range(count):
        slides.fill(deck.slide(), index)
        progress(index + 1, count)
    data = deck.data()
    write_atomically(path, data)
    return len(data)


@dataclass(frozen=True)
class Entry:
    """A device of a legend: its colour by number (-1: nothing in the picture has it), what it is called, its pace, the same in words, what
    it is called where it is the worst."""

    colour: int
    name: str
    pace: float = 0.0
    cost: str = ""
    worst: str = ""

    @property
    def width(self) -> float:
        """Pixels of its mark and words."""
        words = "".join(run.text for run in self.runs(THEMES["light"]))
        return self.mark + measure(round(WORDS), True).horizontalAdvance(words)

    @property
    def mark(self) -> float:
        """Pixels of its mark."""
        return MARK if self.colour >= 0 else 0.0

    def runs(self, theme: Theme) -> list[Run]:
        """Its words in their colours."""
        if not self.cost:
            return [Run(self.name, theme.text)]
        tone = theme.warning if self.worst else theme.text
        last = [Run(f"  {self.worst}", theme.warning)] if self.worst else []
        return [Run(f"{self.name}  ", theme.text), Run(self.cost, tone, True), *last]


def legend_entries(plan: Plan | OrderPlan, numbers: Sequence[int] = ()) -> list[Entry]:
    """The devices of a plan that have ops, or all of a few; none of an order. ``numbers`` are those of their colours (none: their own)."""
    if not isinstance(plan, Plan):
        return []
    e, problem = plan.evaluation, plan.problem
    column = amount_column(e.pace, problem.unit(problem.components[0]))
    return [
        Entry(
            numbers[d] if numbers else d,
            problem.devices[d].title,
            float(e.pace[d]),
            column.text(float(e.pace[d])) if e.ops[d] else NO_OPS,
            plain_word(worst_word(problem, e)) if d == e.bottleneck else "",
        )
        for d in worth_showing(plan)
    ]


def compared_entries(comparison: Comparison) -> list[Entry]:
    """The devices of compared plans by the colours and names that the picture gives them."""
    return [
        Entry(number, comparison.row_title(row), pace=float(-row))
        for row, number in enumerate(comparison.numbers)
    ]


@dataclass(frozen=True)
class Legend:
    """Lines of entries with the place (pixels) at which each begins, and how many of the fastest devices have no room."""

    lines: tuple[tuple[tuple[float, Entry], ...], ...] = ()
    left_out: int = 0
    end: float = 0.0
    """Where the last line ends."""


def legend_of(entries: Sequence[Entry], width: float) -> Legend:
    """Entries in at most :data:`MOST_LINES` lines of ``width`` pixels; of more the slowest."""
    by_pace = sorted(entries, key=lambda entry: -entry.pace)
    for count in range(len(entries), 0, -1):
        named = set(by_pace[:count])
        left_out = len(entries) - count
        lines, end = _flow([entry for entry in entries if entry in named], width)
        if len(lines) < MOST_LINES or (len(lines) == MOST_LINES and (not left_out or end + MORE <= width)):
            return Legend(lines, left_out, end)
    return Legend()


def _flow(
    entries: Sequence[Entry], width: float
) -> tuple[tuple[tuple[tuple[float, Entry], ...], ...], float]:
    """One entry after the other, on the next line where one is full; and where the last line ends."""
    lines: list[list[tuple[float, Entry]]] = [[]]
    x = 0.0
    for entry in entries:
        wide = entry.width
        if lines[-1] and x + wide > width:
            lines.append([])
            x = 0.0
        lines[-1].append((x, entry))
        x += wide + APART
    return tuple(map(tuple, lines)), x


class _Slides:
    """Puts the keyframes of a story on slides, where the stage has them; the legend is between stage and caption."""

    def __init__(self, resolved: Resolved, theme: Theme) -> None:
        self._resolved, self._theme = resolved, theme
        self._room = SIZE[0] - 2 * MARGIN
        self._legends = [legend_of(self._entries(k), self._room) for k in resolved.story.keyframes]
        self._below = LINE * max(len(legend.lines) for legend in self._legends)
        size = (SIZE[0], round(SIZE[1] - self._below))
        self._show = Show(resolved, theme, size, type_scale=LETTERS, legend=False)

    def _entries(self, keyframe: Keyframe) -> list[Entry]:
        """What the legend of a keyframe names."""
        if keyframe.view == "certificate":
            return []
        if keyframe.view != "comparison":
            resolved, plan = self._resolved, keyframe.plan
            found = legend_entries(resolved.plans[plan], resolved.device_numbers.get(plan, ()))
            return [replace(entry, colour=-1) for entry in found] if self._is_heat_map(keyframe) else found
        flows = keyframe.comparison in CANVASES and keyframe.layout == "flow"
        # The picture of a flow has a line of devices itself.
        return [] if flows else compared_entries(comparison_of(self._resolved, keyframe))

    def _is_heat_map(self, keyframe: Keyframe) -> bool:
        """Whether nothing in the picture has the colour of a device: cards have those of a scale, and no lanes or blocks say whose they are."""
        plan = self._resolved.plans[keyframe.plan]
        if keyframe.view != "flow" or not isinstance(plan, Plan):
            return False
        cards, device_of = items_of(plan.problem.graph, None, frozenset()), plan.decision.device_of
        return heat_of(plan.problem, device_of, cards, keyframe.colouring) is not None

    def fill(self, slide: Slide, index: int) -> None:
        """All of one keyframe."""
        keyframe = self._resolved.story.keyframes[index]
        self._write_words(slide, index)
        self._write_header(slide, index)
        if keyframe.view == "certificate":
            from gui.present.export.pptx_certificate import write_certificate
            from planner.reports.certificate.certificate import certificate

            certified = certificate(self._show.shots.plan(index), self._resolved.bounds[keyframe.plan])
            room = self._show.places.stage.adjusted(MARGIN, 18, -MARGIN, self._below - 10)
            write_certificate(slide, certified, room, self._theme)
        else:
            self._draw(slide, index)
            self._write_legend(slide, index)
        if keyframe.notes:
            slide.notes(keyframe.notes)

    def _write_words(self, slide: Slide, index: int) -> None:
        """Title and caption, broken into lines by who shows them."""
        keyframe, plan = self._resolved.story.keyframes[index], self._show.shots.plan(index)
        title = keyframe.title or ("Certificate" if keyframe.view == "certificate" else plan.problem.name)
        band = self._show.places.caption.translated(0, self._below).adjusted(MARGIN, 10, -MARGIN, -12)
        words = words_for(title, keyframe.caption, band.width(), band.height(), self._show.letters)
        above = LEADING * words.title_px * len(words.title)
        band.setTop(band.top() + max(0.0, (band.height() - words.height) / 2))
        slide.title(title, QRectF(band.left(), band.top(), band.width(), above), words.title_px)
        if keyframe.caption:
            below = QRectF(band.left(), band.top() + above + 6, band.width(), band.height() - above - 6)
            lines = [[Run(line, self._theme.text)] for line in keyframe.caption.splitlines()]
            slide.text(below, lines, words.caption_px, "Caption", anchor="top")

    def _write_header(self, slide: Slide, index: int) -> None:
        """The line above: what is shown at the left, how good the plan provably is at the right."""
        shots, theme = self._show.shots, self._theme
        rect = self._show.places.header.adjusted(MARGIN, 0, -MARGIN, 0)
        runs = [
            Run(run.text if run.text.endswith(" ") else f"{run.text}    ", run.colour, run.bold)
            for run in shots.figures(index)
        ]
        runs[-1] = Run(runs[-1].text.rstrip(), runs[-1].colour, runs[-1].bold)
        pixels = NAMES * self._show.letters

        def needed() -> float:
            return sum(measure(round(pixels), run.bold).horizontalAdvance(run.text) for run in runs) + 8

        while pixels > LEAST and needed() > 0.8 * rect.width():
            pixels -= 1
        wide = min(needed(), 0.8 * rect.width())
        right = QRectF(rect.right() - wide, rect.top(), wide, rect.height())
        left = QRectF(rect.left(), rect.top(), rect.width() - wide - 16, rect.height())
        name, target = shots.plan(index).problem.name, shots.target(index)
        lines, size = [[Run(f"{name}   ", theme.text, True), Run(target, theme.muted)]], pixels
        if len(flowed(f"{name}   {target}", round(pixels), True, left.width())) > 1:
            # The figures stand beside the model's name alone: what it is for has the whole of the line below.
            size = min(pixels, LEAST_LINE)
            called = elided(name, letters(size, True), left.width() - 8)
            cut = elided(target, letters(size), rect.width() - 8)
            lines = [[Run(called, theme.text, True)], [Run(cut, theme.muted)]]
            left.setWidth(rect.width())
            right.setHeight(rect.height() / 2)
        slide.text(right, [runs], pixels, "Figures", align="right")
        slide.text(left, lines, size, "Model and target")

    def _draw(self, slide: Slide, index: int) -> None:
        """Canvas and panel, a picture each."""
        show = self._show
        pixels = show.slide_image(index, SHARPNESS)
        name, description = show.words(index)
        seen = show.seen(index)
        parts = [(seen, show.paint_stage, "Canvas", f"{name}. {description}")]
        kind = show.shots.panel_kind(index)
        if kind:
            panel = show.places.panel(kind)
            parts.append(
                (panel.adjusted(-1, -1, 1, 1), show.paint_beside, "Panel", f"{kind.capitalize()} of {name}")
            )
        for rect, paint, called, words in parts:

            def shapes(painter: QPainter, rect: QRectF = rect, paint: Callable[..., None] = paint) -> None:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.translate(-rect.topLeft())
                painter.fillRect(rect, self._theme.canvas if paint == show.paint_stage else self._theme.panel)
                paint(painter, index)

            size = (round(rect.width()), round(rect.height()))
            part = QRectF(rect.topLeft() * SHARPNESS, rect.size() * SHARPNESS).toRect()
            slide.picture(rect, drawing(size, name, shapes), encoded(pixels.copy(part)), called, words)

    def _write_legend(self, slide: Slide, index: int) -> None:
        legend = self._legends[index]
        numbers = [entry.colour for line in legend.lines for _, entry in line]
        colours = device_colours(max(numbers, default=-1) + 1, self._theme)
        top = self._show.places.caption.top()
        for row, line in enumerate(legend.lines):
            y = top + row * LINE
            for place, entry in line:
                x = MARGIN + place
                if entry.colour >= 0:
                    colour = colours[entry.colour]
                    at = QTransform(15, 0, 0, 15, x + MARK / 2 - 3, y + LINE / 2)
                    slide.mark(at.map(glyph_path(colour.glyph)), colour.accent, f"Mark of {entry.name}")
                box = QRectF(x + entry.mark, y, entry.width - entry.mark + 8, LINE)
                slide.text(box, [entry.runs(self._theme)], WORDS, f"Legend: {entry.name}")
        if legend.left_out:
            box = QRectF(MARGIN + legend.end, top + (len(legend.lines) - 1) * LINE, MORE, LINE)
            slide.text(box, [[Run(f"and {legend.left_out} more", self._theme.muted)]], WORDS, "Legend: more")
