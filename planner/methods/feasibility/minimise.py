"""Small sets that are enough for a proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def smallest(
    items: Sequence[T], proves: Callable[[list[T]], bool], stopped: Callable[[], bool] = lambda: False
) -> list[T]:
    """A subset of ``items`` that still ``proves``, without any item that the proof goes through without.

    A deletion filter that drops halves first, so that few of many items are found in few tests. ``proves`` holds for
    ``items``; a proof that it does not find in time counts as none. When ``stopped`` the smallest set so far is returned.
    """
    kept = list(items)
    size = max(len(kept) // 2, 1)
    while size >= 1:
        at = 0
        while at < len(kept):
            if stopped():
                return kept
            rest = kept[:at] + kept[at + size :]
            if proves(rest):
                kept = rest
            else:
                at += size
        size //= 2
    return kept
