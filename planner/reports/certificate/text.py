"""A certificate in words: its status, its parts, and a page of plain text."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from planner.problem.per_device import in_words
from planner.problem.proof_words import of_objective, optimal_words
from planner.quantity import amount_text, bytes_text, time_text
from planner.reports.certificate.certificate import Certificate, Setting
from planner.text_table import gap_limit, seconds_text

COLUMN = 100
"""Characters of a line of text."""


def status_words(certified: Certificate) -> str:
    """The status as a person says it: ``proven optimal``, ``valid; gap 2.1 %`` and so on, of which objective where that is not the usual one
    (:func:`planner.problem.proof_words.of_objective`)."""
    names = [part.name for part in certified.parts]
    if certified.violations:
        count = len(certified.violations)
        return f"not valid: {count} rule{'s' if count > 1 else ''} broken"
    if certified.status == "optimal":
        return optimal_words(names)
    if certified.gap is None:
        return "valid; nothing is proven about how good it is"
    where = f" of {certified.first_open.name}" if certified.first_open and of_objective(names) else ""
    return f"valid; gap {gap_limit(certified.gap)}{where}"


def options_text(provenance: Mapping[str, Any]) -> str:
    """The options of a planner, those that name nothing (no file) left out."""
    options = dict(provenance.get("options") or {})
    return ", ".join(f"{key}={value}" for key, value in options.items() if value != "")


def setting_text(setting: Setting) -> str:
    """The value of a parameter with its unit."""
    if setting.value is None:
        return "unlimited"
    if isinstance(setting.value, bool):
        return "yes" if setting.value else "no"
    if isinstance(setting.value, (int, float)) and setting.unit in ("B", "B/s"):
        return bytes_text(float(setting.value)) + setting.unit.removeprefix("B")
    if isinstance(setting.value, float) and setting.unit == "s":
        return time_text(setting.value, "s")
    if isinstance(setting.value, list):
        return in_words(setting.value, lambda one: setting_text(replace(setting, value=one)))
    words = f"{setting.value:g}" if isinstance(setting.value, float) else str(setting.value)
    return f"{words} {setting.unit}".strip()


def sizes_text(certified: Certificate) -> str:
    """``424 ops, 480 edges, parameters 12.00 MiB``."""
    out: list[str] = []
    for name, value in certified.sizes.items():
        if name == "deployed_param_bytes":
            out[-1] += f" ({bytes_text(value)} as deployed)"
        elif name.endswith("_bytes"):
            what = {"tensor_bytes": "tensors", "param_bytes": "parameters"}[name]
            out.append(f"{what} {bytes_text(value)}")
        else:
            out.append(f"{int(value):,} {name.removesuffix('s') if value == 1 else name}")
    return ", ".join(out)


STOPPED = {
    "gap": "stopped at the gap that was asked for",
    "iterations": "stopped after as many iterations as were asked for",
    "cancelled": "stopped by hand",
}
"""How searches ended that did not end by themselves, by their reason to stop."""


def time_words(limit: float | None) -> str:
    """Whose time it was at which a search stopped: the ``limit`` that somebody set, or what planners do unasked."""
    if limit is None:
        return "usual work done, no time limit set"
    return f"stopped at the time limit of {limit:g} s that was set"


def searched_text(provenance: Mapping[str, Any]) -> str:
    """How long a plan's search took, and whether it was stopped: ``search 0.089 s, stopped by hand``; empty where nothing is told.

    That is the search alone: reading the model and proving bounds afterwards are not in it.
    """
    seconds = float(provenance.get("seconds") or 0.0)
    took = [f"search {seconds_text(seconds)}"] if seconds else []
    reason, limit = str(provenance.get("stop_reason") or ""), provenance.get("time_limit")
    how = time_words(limit) if reason == "time" else STOPPED.get(reason, "")
    return ", ".join([*took, *([how] if how else [])])


def certificate_text(certified: Certificate) -> str:
    """The certificate for people, a page of text."""
    c = certified
    out = [f"CERTIFICATE: {c.model}, {status_words(c)}", ""]

    def row(label: str, words: str) -> None:
        lines = textwrap.wrap(words, COLUMN - 16) or [""]
        out.append(f"  {label:<13} {lines[0]}")
        out.extend(f"  {'':<13} {line}" for line in lines[1:])

    def section(title: str) -> None:
        out.extend(["", title])

    row("objective", c.objective)
    for part in c.parts:
        row(part.name, amount_text(part.value, part.unit))
        if part.proof is None:
            row("", "no bound is known")
            continue
        proof = part.proof
        among = "".join(
            f", of plans whose {name} is at most {amount_text(value, c.unit_of(name))}"
            for name, value in proof.given
        )
        if math.isinf(proof.value):
            row("", f"no plan{among} is valid")
        else:
            row(
                "",
                f"at least {amount_text(proof.value, part.unit)}{among}{'; proven' if part.proven else ''}",
            )
        other = f", for {proof.proven_for}, which holds here all the more" if proof.proven_for else ""
        row("", f"shown by {proof.title}{f' ({proof.source})' if proof.source else ''}{other}")
        if proof.now:
            row("", f"proven here now by {proof.method} in {seconds_text(proof.seconds)}")
        row("", f"assumes {', '.join(proof.assumes) or 'no rule'}")
        if proof.again:
            row("", f"again: {proof.again}")
    if c.claim is not None:
        row("claimed", c.claim.words)
        tried = any(part.proof.now and part.proof.method == c.claim.method for part in c.parts if part.proof)
        if tried:
            row("", f"{c.claim.method} was run here now and proved no more than is said above")
        if c.claim.again:
            row("", f"{'run it longer' if tried else 'prove it'}: {c.claim.again}")
    for sentence in c.violations:
        row("broken", sentence)
    section("What was planned")
    row("model", sizes_text(c))
    row("fingerprint", c.fingerprint)
    for line in c.times:
        row("times", line)
    row("target", f"{c.target}: {c.target_spec}")
    for setting in c.settings:
        row("", f"{setting.name} = {setting_text(setting)}{' (default)' if setting.default else ''}")
    for rule in c.rules:
        row("rule", f"{rule.name}: {rule.words}")
    for constraint in c.constraints:
        row("constraint", ", ".join(f"{key} {value}" for key, value in constraint.items()))
    row("problem", c.problem)
    section("The plan")
    row("decision", f"{c.decision}, SHA-256 {c.digest}")
    p = c.provenance
    options = options_text(p)
    row("planner", str(p["planner"]) + (f" ({options})" if options else ""))
    row("seed", "none" if p.get("seed") is None else str(p["seed"]))
    row("found by", f"Stageboard {p.get('version') or '?'}, {searched_text(p) or 'no search is told'}")
    section("Evaluated by")
    row("", ", ".join(f"{name} {version}" for name, version in c.versions.items()))
    for note in c.notes:
        row("note", note)
    return "\n".join(line.rstrip() for line in out) + "\n"
