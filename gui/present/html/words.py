"""The words of a story's page: figures, captions and certificates as elements that can be read, listened to and copied.

Whatever comes from a model or a story is text that nobody vouches for; all of it is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gui.look.numbers import DASH, gap_text, one_amount
from gui.look.theme import THEMES
from gui.present.captions import Run
from gui.present.certificate.facts import facts
from gui.present.certificate.page import claim_lines, proof_lines, status_line, verdict
from gui.words.objectives import component_words
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.problem import Plan
from planner.reports.certificate.certificate import Certificate

_THEME = THEMES["light"]
_CLASSES = {_THEME.muted: "muted", _THEME.good: "good", _THEME.bad: "bad"}


def figures(runs: Sequence[Run], index: int) -> str:
    """The figures of the line above."""
    parts: list[str] = []
    joined = False
    for run in runs:
        words = escape(run.text)
        classes = " ".join(
            part for part in (_CLASSES.get(run.colour, ""), "joined" if joined else "") if part
        )
        shown = f"<b>{words}</b>" if run.bold else words
        parts.append(f'<span class="{classes}">{shown}</span>' if classes else f"<span>{shown}</span>")
        joined = run.text.endswith(" ")
    return f'<p class="figures" data-keyframe="{index}">{"".join(parts)}</p>'


def subject(plan: Plan | OrderPlan, words: str, index: int) -> str:
    """What is shown: the model, and in words the machine it is planned for."""
    return (
        f'<p class="subject" data-keyframe="{index}"><b>{escape(plan.problem.name)}</b>'
        f' <span class="muted">{escape(words)}</span></p>'
    )


def certificate_table(certified: Certificate) -> str:
    """A certificate as a table: the verdict, each component with what is proven of it, and what it takes to check."""
    status, colour = status_line(certified, _THEME)
    rows = [("Objective", certified.objective)] if len(certified.parts) > 1 else []
    for part in certified.parts:
        value = one_amount(part.value, part.unit)
        if part.proof is not None:
            proven = (
                "proven" if part.proven else f"gap {gap_text(part.gap)}" if part.gap is not None else DASH
            )
            value += f"; no valid plan is below {one_amount(part.proof.value, part.unit)} ({proven})"
        rows.append((component_words(part.name).title.capitalize(), value))
        rows += [("Proof", line) for line in proof_lines(certified, part)]
        if part.proof is not None and part.proof.again:
            rows.append(("Prove it again", part.proof.again))
    rows += [("Claimed", line) for line in claim_lines(certified)]
    rows += [("Broken", sentence) for sentence in certified.violations]
    rows += [(fact.label, fact.words) for fact in facts(certified)]
    rows.append(("Decision in full", certified.digest))
    body = "".join(
        f'<tr><th scope="row">{escape(label)}</th><td>{escape(words)}</td></tr>' for label, words in rows
    )
    return (
        f'<div class="certificate"><h3 class="{_CLASSES.get(colour, "")}">{escape(status)}</h3>'
        f"<p>{escape(verdict(certified))}</p><table>{body}</table></div>"
    )


def said(title: str, caption: str) -> str:
    """A caption in large type."""
    head = f"<h2>{escape(title)}</h2>" if title else ""
    return f'<div class="said">{head}{f"<p>{escape(caption)}</p>" if caption else ""}</div>'
