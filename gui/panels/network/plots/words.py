"""What the memory plot says in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.look.numbers import plural, signed
from gui.look.theme import Theme, device_colours
from planner.machines.two_level_memory.target import POLICIES

if TYPE_CHECKING:
    from gui.panels.network.plots.sampling import Curves
    from planner.machines.two_level_memory.orders.io_bounds import IoBounds
    from planner.machines.two_level_memory.target import TwoLevelMemory

CALLED = {"least": ("every order at least ", "every ≥ ", ""), "most": ("best order at most ", "best ≤ ", "")}
"""What the lines of Theorem 1 say before their formulas, with ever less room: a bad order may well be above the upper one."""
COMPONENTS = {"total": "All I/Os", "reads": "Reads", "writes": "Writes"}


def policy_name(policy: str) -> str:
    """``MIN``, ``LRU``, ``RR``."""
    return policy.upper()


def policy_colour(policy: int, theme: Theme) -> str:
    """The colour of a policy's curves; the policy's code is its place in :data:`POLICIES`."""
    return (theme.accent, theme.warning, device_colours(4, theme)[3].accent)[policy]


def legend_html(theme: Theme, compared: bool) -> str:
    """Which colour is which policy, as rich text."""
    squares = "&nbsp; ".join(
        f"<span style='color:{policy_colour(i, theme)}'>\N{BLACK SQUARE}</span> {policy_name(p)}"
        for i, p in enumerate(POLICIES)
    )
    return squares + ("&nbsp; \N{BOX DRAWINGS LIGHT TRIPLE DASH HORIZONTAL} B" if compared else "")


def bound_lines(bounds: IoBounds, component: str) -> tuple[tuple[float, str], tuple[float, str]]:
    """The least and the most of Theorem 1, each with its formula."""
    if component == "reads":
        return (bounds.least_reads, "W + N"), (bounds.most_reads, "2W + N \N{MINUS SIGN} I")
    if component == "writes":
        return (bounds.least_writes, "S"), (bounds.most_writes, "N \N{MINUS SIGN} I")
    return (bounds.least, "W + N + S"), (bounds.most, "2 (W + N \N{MINUS SIGN} I)")


def sample_words(curves: Curves, at: int, component: str, policy: int, names: tuple[str, ...]) -> str:
    """``M = 143: MIN 88,001, LRU 101,233, RR 110,022``; of two orders what both need under the present policy."""
    values = curves.values(component)[:, :, at]
    size = f"M = {int(curves.memory[at]):,}"
    if len(values) == 1:
        told = (f"{policy_name(p)} {int(v):,}" for p, v in zip(POLICIES, values[0], strict=True))
        return f"{size}: {', '.join(told)}"
    first, second = (int(v) for v in values[:, policy])
    return (
        f"{size}, {policy_name(POLICIES[policy])}: {names[0]} {first:,}, {names[1]} {second:,}"
        f" ({signed(second - first)})"
    )


def standing_words(total: float, bounds: IoBounds, reaches: int) -> str:
    """Where the order stands at the present memory, and what it would need for the lower bound (0: not known)."""
    where = f"; MIN reaches it from M = {reaches:,} on" if reaches else ""
    if total <= bounds.least:
        return f"The least possible{where}"
    # A count: the share of it is the gap, which is said elsewhere.
    return f"{int(total - bounds.least):,} I/Os above the lower bound{where}"


def described(curves: Curves, component: str, target: TwoLevelMemory) -> str:
    """The active order's curve under the present policy, for a screen reader."""
    values = curves.values(component)[0, target.policy_code]
    return (
        f"{COMPONENTS[component]} by size of fast memory, {plural(len(values), 'size')}:"
        f" {int(values[0]):,} at {int(curves.memory[0]):,}, {int(values[-1]):,} at {int(curves.memory[-1]):,}."
        " Left and Right go from size to size, Enter takes a size over."
    )
