"""The report of a headless tour: one HTML file with its pictures inside, readable anywhere and printable."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from planner import __version__
from planner.files import write_atomically
from planner.quantity import amount_text
from planner.text_table import gap_limit

if TYPE_CHECKING:
    from gui.app.tour.tour import Figures

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; margin: 0 auto; padding: 2.5rem 1.25rem 4rem;
  max-width: 62rem; color: #1b2233; background: #f7f9fb; }
h1 { font-size: 1.9rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 3rem 0 .5rem; }
p { max-width: 44rem; } .muted { color: #5f6a7d; }
figure { margin: 1rem 0; } img { width: 100%; height: auto; border: 1px solid #dde3ec; border-radius: 8px; display: block; }
figcaption { font-size: .85rem; color: #5f6a7d; margin-top: .35rem; }
table { border-collapse: collapse; width: 100%; margin: 1.5rem 0; font-variant-numeric: tabular-nums; font-size: .95rem; }
th, td { text-align: right; padding: .4rem .6rem; border-bottom: 1px solid #dde3ec; white-space: nowrap; }
th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left; white-space: normal; }
th { color: #5f6a7d; font-weight: 600; } .good { color: #1f7d58; } .bad { color: #b3261e; font-weight: 600; }
@media (prefers-color-scheme: dark) {
  body { color: #e6eaf1; background: #171b22; } .muted, figcaption, th { color: #9ba6b8; }
  img { border-color: #313947; } th, td { border-color: #313947; } .good { color: #5cc79a; } .bad { color: #f28b82; }
}
@media print { h2 { break-after: avoid; } figure { break-inside: avoid; } body { background: none; } }
"""


@dataclass(frozen=True)
class Told:
    """One step as the report tells it. ``pictures`` are file names in the tour's folder with what they show."""

    title: str
    text: str
    figures: Figures
    pictures: tuple[tuple[str, str], ...]


TOUR = "Stageboard, a guided tour"
PRE = ' style="overflow-x: auto; font-size: .85rem; line-height: 1.4"'


def write_report(
    path: Path,
    steps: Sequence[Told],
    *,
    title: str = TOUR,
    summary: str = "",
    certificate: str = "",
    more: Sequence[tuple[str, str]] = (),
) -> Path:
    """Write :func:`report` beside its pictures, whole or not at all. The pictures must exist."""
    return write_atomically(path, report(path.parent, steps, title, summary, certificate, more))


def report(
    folder: Path,
    steps: Sequence[Told],
    title: str = TOUR,
    summary: str = "",
    certificate: str = "",
    more: Sequence[tuple[str, str]] = (),
) -> str:
    """The report's HTML; ``certificate`` is text for its end, ``more`` are further reports: (title, file)."""
    body = [
        f"<h1>{html.escape(title)}</h1>",
        *([f"<p>{html.escape(summary)}</p>"] if summary else []),
        f'<p class="muted">Made by <code>stageboard demo --headless</code>, version {html.escape(__version__)}. Every figure was'
        f" computed {'when this was made' if summary else 'during the tour'}; searches are seeded, so that another run finds the same plans.</p>",
        _table(steps),
    ]
    for number, step in enumerate(steps, 1):
        body.append(f"<h2>{number}. {html.escape(step.title)}</h2>")
        body.append(f"<p>{html.escape(step.text)}</p>")
        body += [_figure(folder / name, caption) for name, caption in step.pictures]
    if certificate:
        body.append(f"<h2>Certificate</h2>\n<pre{PRE}>{html.escape(certificate)}</pre>")
    if more:
        body.append(
            "<h2>Stories</h2>\n<p>Told in the same way, each in a folder beside this report:</p>\n<ul>"
        )
        body += [f"<li>{html.escape(name)}: <code>{html.escape(file)}</code></li>" for name, file in more]
        body.append("</ul>")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{html.escape(title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def _table(steps: Sequence[Told]) -> str:
    rows = []
    for number, step in enumerate(steps, 1):
        f = step.figures
        bound = "" if f.bound is None else html.escape(amount_text(f.bound, f.unit))
        gap = "" if f.gap is None else gap_limit(f.gap)
        rules = '<span class="good">valid</span>' if f.valid else '<span class="bad">broken</span>'
        rows.append(
            f"<tr><td>{number}</td><td>{html.escape(step.title)}</td><td>{html.escape(amount_text(f.objective, f.unit))}</td>"
            f"<td>{bound}</td><td>{gap}</td><td>{rules}</td></tr>"
        )
    head = "<tr><th></th><th>step</th><th>objective</th><th>lower bound</th><th>gap</th><th>rules</th></tr>"
    return f"<table>\n<thead>{head}</thead>\n<tbody>\n" + "\n".join(rows) + "\n</tbody>\n</table>"


def _figure(path: Path, caption: str) -> str:
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    text = html.escape(caption)
    return f'<figure><img alt="{text}" src="data:image/png;base64,{data}"><figcaption>{text}</figcaption></figure>'
