"""How large networks may be made: no larger than can be read again."""

from __future__ import annotations

from planner.errors import NetworkError
from planner.formats.networks.npz import MOST_CONNECTIONS


def check_size(kind: str, connections: float, smaller: str) -> None:
    """Refuse a network before it takes memory; ``smaller`` names the options to set lower. Raises :class:`NetworkError`."""
    if connections > MOST_CONNECTIONS:
        raise NetworkError(
            f"'{kind}' would have about {connections:,.0f} connections; at most {MOST_CONNECTIONS:,} can be read from a file,"
            f" so set {smaller} lower"
        )
