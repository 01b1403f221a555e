"""What it takes to check a plan: the lines at the right of a certificate's page."""

from __future__ import annotations

from dataclasses import dataclass

from gui.words.methods import shown_name
from planner.reports.certificate.certificate import Certificate
from planner.reports.certificate.text import options_text, searched_text, setting_text, sizes_text

MOST_CONSTRAINTS = 4


@dataclass(frozen=True)
class Fact:
    """A line of the page at the right: what, and its value; ``weight`` 0 is left out last."""

    label: str
    words: str
    weight: int = 0


def facts(certified: Certificate) -> list[Fact]:
    """What it takes to check the plan, the most important first."""
    c = certified
    p = c.provenance
    changed = [s for s in c.settings if not s.default]
    if any(
        s.counts for s in changed
    ):  # a pool has devices of two kinds: whoever reads of one asks about the other
        changed = [s for s in c.settings if s.counts or not s.default]
    settings = [f"{s.name} {setting_text(s)}" for s in changed]
    seed = "" if p.get("seed") is None else f", seed {p['seed']}"
    # Plans of stories that are made anew each time say nothing of the time: it would be another.
    searched = searched_text(p)
    out = [
        Fact("Model", f"{c.model}: {sizes_text(c)}"),
        Fact("", f"fingerprint {c.fingerprint[:16]}\N{HORIZONTAL ELLIPSIS}", 2),
        Fact("Target", c.target_spec),
        Fact("Settings", ", ".join(settings) if settings else "all as they are by default", 3),
        *(Fact("Times" if not i else "", line) for i, line in enumerate(c.times)),
        Fact("Rules", "; ".join(rule.words for rule in c.rules) or "none"),
        *_constraints(c),
        Fact(
            "Decision", f"{c.decision.replace('-', ' ')}, SHA-256 {c.digest[:16]}\N{HORIZONTAL ELLIPSIS}", 1
        ),
        Fact("Planner", f"{_planner(str(p['planner']))}{seed}{searched and f', {searched}'}", 1),
    ]
    if options := options_text(p):
        out.append(Fact("Options", options, 3))
    out.append(Fact("Versions", ", ".join(f"{name} {version}" for name, version in c.versions.items()), 1))
    out.extend(Fact("Note", note, 1) for note in c.notes)
    return out


def _constraints(certified: Certificate) -> list[Fact]:
    """The first of the constraints, in one line; none without any."""
    if not certified.constraints:
        return []
    shown = [", ".join(str(v) for k, v in one.items() if k != "kind") for one in certified.constraints]
    more = f" and {len(shown) - MOST_CONSTRAINTS} more" if len(shown) > MOST_CONSTRAINTS else ""
    return [Fact("Constraints", "; ".join(shown[:MOST_CONSTRAINTS]) + more, 2)]


def _planner(name: str) -> str:
    """By its title, and the name that commands know it by where that says more."""
    title = shown_name(name)
    return (
        title
        if title.casefold() in (name.casefold(), name.replace("-", " ").casefold())
        else f"{title} ({name})"
    )
