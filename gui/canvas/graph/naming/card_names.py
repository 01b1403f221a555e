"""What cards are called: an op's kind where its name does not say it, and no two alike in a block that a name tells apart."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PySide6.QtCore import Qt

from gui.canvas.graph.naming.blocks import neighbours_of
from gui.canvas.graph.naming.kinds import INPUTS, plain, says_kind, short_kinds
from gui.look.fonts import metrics
from gui.look.writing import CUT
from planner.lifetime import while_it_lives

if TYPE_CHECKING:
    from gui.canvas.graph.items import Items
    from gui.canvas.graph.scene import Scene
    from planner.model.graph import Graph

MOST_KEPT = 24
"""Sizes of type and card whose names are kept."""
ALL_GROUPS = -1
"""Stands for the neighbours of folded groups."""
LEAST_CUT = 2
"""Letters that must be left of a word that is cut."""
SMALLER = 0.7
"""How much of their usual height letters have at least that are smaller so that a name is whole."""


def short_name(name: str) -> str:
    """The last part of a scoped name: what tells an op from its neighbours."""
    tail = name.strip("/").rsplit("/", 1)[-1]
    return tail or name


@lru_cache(maxsize=200_000)
def wide(text: str, pixels: int, bold: bool) -> float:
    """How wide a text is in pixels."""
    return metrics(pixels, bold).horizontalAdvance(text)


@lru_cache(maxsize=60_000)
def elided(text: str, pixels: int, bold: bool, width: int) -> str:
    """``text`` shortened to ``width`` pixels: whole, else its last parts that fit, else cut before its number.

    The end of a name (``conv2_block1_1_conv``) is what tells a card from its neighbours.
    """
    if wide(text, pixels, bold) <= width:
        return text
    for tail in _ends(text):
        if wide(tail, pixels, bold) <= width:
            return tail
    number = re.search(r"\d+$", text)
    if number is not None and number.start() > 0:  # of node101 and node102 the number says which
        room = width - wide(number.group(), pixels, bold)
        head = metrics(pixels, bold).elidedText(
            text[: number.start()], Qt.TextElideMode.ElideRight, max(0, room)
        )
        if head and wide(head + number.group(), pixels, bold) <= width:
            return head + number.group()
    return _cut(text, pixels, bold, width)


def _cut(text: str, pixels: int, bold: bool, width: int) -> str:
    """The beginning of a text and dots, in ``width`` pixels. Qt rounds what it adds up: its own cut may be a fraction wider."""
    measure, room = metrics(pixels, bold), width
    cut = measure.elidedText(text, Qt.TextElideMode.ElideRight, room)
    while room > 0 and wide(cut, pixels, bold) > width:
        room -= 1
        cut = measure.elidedText(text, Qt.TextElideMode.ElideRight, room)
    return cut


def _ends(text: str) -> list[str]:
    """The ends of a name that begin behind one of its signs, the longest first, none without two letters."""
    ends = [text[m.end() :] for m in re.finditer(r"[_./:]", text)]
    return [end for end in ends if sum(c.isalpha() for c in end) >= 2]


@lru_cache(maxsize=60_000)
def name_ends(name: str) -> tuple[str, ...]:
    """A name and its ends, the longest first."""
    whole = name.strip("/") or name
    return (whole, *_ends(whole))


@lru_cache(maxsize=60_000)
def op_names(name: str, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What an op may be called on its card: first the names to choose from, the best first, then longer ones.

    The longer ones tell ops apart whose best names are alike; they are the ends of the whole name, the shortest first.
    """
    tail, parts = short_name(name), name.strip("/").split("/")
    further = ["/".join(parts[-i:]) for i in range(2, len(parts) + 1)]
    if not kind:
        return (tail,), tuple(further)
    if not says_kind(tail, kind):
        return (kind, *short_kinds(kind)), tuple(f"{kind} {end}" for end in (tail, *further))
    if plain(kind) in INPUTS:  # mask says more than Input
        own = [end for end in _ends(tail) if plain(end) not in plain(kind)]
        return (tail, *own, kind, *short_kinds(kind)), (*_ends(tail), *further)
    if plain(tail).startswith(plain(kind)):  # MatMul_1 is no better cut than its kind is
        number = re.search(r"_\d+$", tail)
        marks = (number.group() if number else "", "")
        shorter = [short + mark for short in (kind, *short_kinds(kind)) for mark in marks]
        return tuple(dict.fromkeys((tail, *shorter))), tuple(further)
    telling = tuple(end for end in _ends(tail) if says_kind(end, kind))
    return (tail, *telling, kind, *short_kinds(kind)), tuple(further)


@lru_cache(maxsize=8192)
def group_names(name: str, size: int, whole: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The same for ``size`` of the ``whole`` ops of a folded group: the last part of its scope, else its end.

    The longer names are its scopes, and what it begins and ends with."""
    tail, parts = short_name(name), name.strip("/").split("/")
    further = tuple("/".join(parts[-i:]) for i in range(2, len(parts) + 1))
    ends = tuple(end for end in _ends(tail) if end[:1].isalpha())
    if (
        outer := re.match(r"([^_./:]+)[_./:].*?[a-zA-Z].*?(\d+[a-z]?)$", tail)
    ) is not None:  # conv2...1 of conv2_block1
        further += (f"{outer[1]}\N{HORIZONTAL ELLIPSIS}{outer[2]}",)
        if (counted := re.fullmatch(r"([a-zA-Z])[a-zA-Z]+(\d+)", outer[1])) is not None:  # c2...1
            further += (f"{counted[1]}{counted[2]}\N{HORIZONTAL ELLIPSIS}{outer[2]}",)
    part = () if size == whole else (f"{tail}, {size} of {whole}",)
    return (*part, tail, *ends), further


class Family(NamedTuple):
    """Folded groups whose names differ by numbers alone, and in which ``forms`` all of them can be told apart, the best form first:
    of each the name of each member."""

    members: tuple[int, ...]
    forms: tuple[tuple[str, ...], ...]


def families_of(items: Items) -> list[Family]:
    """The families of folded groups that have two groups at least. The cards of one group have the same name."""
    alike: dict[str, list[int]] = {}
    for item in np.flatnonzero(items.whole_size > 1).tolist():
        alike.setdefault(re.sub(r"\d+", "#", items.names[item]), []).append(item)
    found = []
    for members in alike.values():
        names = [items.names[item] for item in members]
        count = len(set(names))
        if count < 2:
            continue
        each = ((*best, *further) for best, further in (group_names(name, 2, 2) for name in names))
        forms = tuple(form for form in zip(*each, strict=False) if len(set(form)) == count)
        found.append(Family(tuple(members), forms))
    return found


@lru_cache(maxsize=60_000)
def _first_fitting(best: tuple[str, ...], pixels: int, bold: bool, width: int) -> str:
    """The first name that fits, else the shortest cut; nothing where too little would be left of it."""
    for name in best:
        if wide(name, pixels, bold) <= width:
            return name
    if len(best) == 1:  # nothing else is known of it
        return elided(best[0], pixels, bold, width)
    least = min(best, key=lambda name: wide(name, pixels, bold))
    cut = _cut(least, pixels, bold, width)
    return cut if len(cut) > LEAST_CUT else ""


@while_it_lives
def tells_kinds(graph: Graph) -> bool:
    """Whether the ops are of several kinds, so that a kind says anything."""
    return len(set(graph.kinds)) > 1


class CardNames:
    """The names on cards, for each size of type and card worked out among ``neighbours`` (int32[count]: those with the same number) when
    first asked for.

    Folded groups are told apart from all others: not every picture has headers that say which is where.
    """

    def __init__(self, items: Items, neighbours: np.ndarray) -> None:
        self._items = items
        self._among = among = np.where(items.whole_size > 1, ALL_GROUPS, neighbours)
        self._kinds = tells_kinds(items.graph)
        order = np.argsort(among, kind="stable")
        cuts = np.flatnonzero(np.diff(among[order])) + 1
        self._members = {int(among[part[0]]): part.tolist() for part in np.split(order, cuts) if len(part)}
        self._families = families_of(items)
        self._known: dict[tuple[int, bool, int, int], dict[int, str]] = {}

    def of(self, item: int, pixels: int, bold: bool, room: int) -> str:
        """The name of an item where there are ``room`` pixels; its neighbours may have as much."""
        among = int(self._among[item])
        key = (pixels, bold, room, among)
        if key not in self._known:
            if len(self._known) > MOST_KEPT * max(1, len(self._members)):
                self._known.clear()
            self._known[key] = self._named(self._members[among], pixels, bold, room)
        return self._known[key][item]

    def fitted(self, item: int, pixels: int, bold: bool, room: int, least: float = 0.0) -> tuple[str, int]:
        """The same and how high its letters are: where the name would be cut, so much smaller than ``pixels`` that it is whole, or that most of
        it is there, but not below ``least``."""
        smallest = min(pixels, max(ceil(least), ceil(SMALLER * pixels)))
        for size in range(pixels, smallest, -1):
            name = self.of(item, size, bold, room)
            if name and not name.endswith(CUT):
                return name, size
        return self.of(item, smallest, bold, room), smallest

    def choices(self, item: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What an item may be called, the best first, and longer names."""
        items = self._items
        if items.whole_size[item] > 1:
            return group_names(items.names[item], int(items.size[item]), int(items.whole_size[item]))
        kind = items.graph.kinds[items.first[item]] if self._kinds else ""
        return op_names(items.names[item], kind)

    def _named(self, members: list[int], pixels: int, bold: bool, room: int) -> dict[int, str]:
        """The names of neighbours: the best that fits, and where several are alike a longer one that is nobody else's."""
        choices = {item: self.choices(item) for item in members}
        named = {item: _first_fitting(best, pixels, bold, room) for item, (best, _) in choices.items()}
        if self._items.whole_size[members[0]] > 1:
            named |= self._shortened_alike(named, pixels, bold, room)
        while self._told_apart(named, choices, pixels, bold, room):
            pass
        return named

    def _shortened_alike(self, named: dict[int, str], pixels: int, bold: bool, room: int) -> dict[int, str]:
        """The names of groups that differ by numbers alone, all in the first form in which all of them have room. A share of a group
        says how much of it it is where that has room beside its whole name."""
        out: dict[int, str] = {}
        for members, forms in self._families:
            fitting = (form for form in forms if all(wide(name, pixels, bold) <= room for name in form))
            if (form := next(fitting, None)) is not None:
                out |= {
                    item: named[item] if named[item].startswith(f"{name}, ") else name
                    for item, name in zip(members, form, strict=True)
                }
        return out

    def _told_apart(
        self,
        named: dict[int, str],
        choices: dict[int, tuple[tuple[str, ...], tuple[str, ...]]],
        pixels: int,
        bold: bool,
        room: int,
    ) -> bool:
        """Give items that are called alike names of their own where some fit, and say whether any got one."""
        alike: dict[str, list[int]] = {}
        for item, name in named.items():
            alike.setdefault(name, []).append(item)
        taken, changed = set(alike), False
        for name, members in alike.items():
            # The parts of one group stay alike where their sizes have no room.
            parts: dict[tuple[str, int], list[int]] = {}
            for i in members:
                whole = (self._items.names[i], -1) if self._items.whole_size[i] > 1 else ("", i)
                parts.setdefault(whole, []).append(i)
            if len(parts) < 2 or not name:
                continue
            fitting = {
                whole: [
                    long
                    for long in dict.fromkeys(long for i in of for long in (*choices[i][0], *choices[i][1]))
                    if wide(long, pixels, bold) <= room
                ]
                for whole, of in parts.items()
            }
            count = Counter(long for longer in fitting.values() for long in longer)
            for whole, longer in fitting.items():
                own = next((long for long in longer if count[long] == 1 and long not in taken), None)
                if own is not None:
                    named.update(dict.fromkeys(parts[whole], own))
                    taken.add(own)
                    changed = True
        return changed


def card_names(scene: Scene) -> CardNames:
    """The names of a scene's cards: the same in all layouts of them, where they have as much room."""
    # With the cards themselves: they are gone when no picture shows them any more.
    kept: CardNames | None = scene.items.__dict__.get("_card_names")
    if kept is None:
        kept = scene.items.__dict__["_card_names"] = CardNames(scene.items, neighbours_of(scene.items))
    return kept
