"""Fuzzy matching of a few typed letters against the names of commands and ops."""

from __future__ import annotations

_START, _NEXT, _WORD, _SKIP = 8.0, 6.0, 5.0, 0.15


def score(query: str, text: str) -> float | None:
    """How well the letters of ``query`` appear in order in ``text`` (larger is better), None where they do not.

    Letters at the start of words and letters next to one another count more; long gaps and long texts count less. All
    words of the query must match; they may come in any order.
    """
    words = query.casefold().split()
    if not words:
        return 0.0
    folded = text.casefold()
    total = 0.0
    for word in words:
        best = _word(word, folded)
        if best is None:
            return None
        total += best
    return total - 0.02 * len(text)


ANYWHERE, STARTS, STANDS, BEGINS = 1, 2, 3, 4
"""How close a match is: letters anywhere; letters at starts of words and beside one another; as typed; a word begins so."""


def closeness(query: str, text: str) -> int:
    """How close ``text`` is to what was typed, in its worst word; 0 where it does not match."""
    folded = text.casefold()
    return min((_closeness(word, folded) for word in query.casefold().split()), default=BEGINS)


def _closeness(word: str, text: str) -> int:
    at = text.find(word)
    if at >= 0:
        while at >= 0:
            if at == 0 or not text[at - 1].isalnum():
                return BEGINS
            at = text.find(word, at + 1)
        return STANDS
    if _word(word, text) is None:
        return 0
    return STARTS if _from_starts(word, text) else ANYWHERE


def _from_starts(word: str, text: str) -> bool:
    """Whether each letter is at the start of a word or next to the letter before it, in order."""
    places = {-1}
    for i, letter in enumerate(word):
        starts = {
            at
            for at in range(min(places) + 1, len(text))
            if text[at] == letter and (at == 0 or not text[at - 1].isalnum())
        }
        beside = {at + 1 for at in places if i and at + 1 < len(text) and text[at + 1] == letter}
        places = starts | beside
        if not places:
            return False
    return True


def _word(word: str, text: str) -> float | None:
    """The best of: the whole word as it stands, or its letters scattered (found greedily from each possible start)."""
    at = text.find(word)
    if at >= 0:
        begins = at == 0 or not text[at - 1].isalnum()
        return _NEXT * len(word) + (_START + _WORD if begins else _START)
    best: float | None = None
    start = text.find(word[0])
    while start >= 0:
        value, place = _scattered(word, text, start)
        if value is not None and (best is None or value > best):
            best = value
        if place is None:
            break
        start = text.find(word[0], start + 1)
    return best


def _scattered(word: str, text: str, start: int) -> tuple[float | None, int | None]:
    value, last = 0.0, start - 1
    for letter in word:
        at = text.find(letter, last + 1)
        if at < 0:
            return None, None
        begins = at == 0 or not text[at - 1].isalnum()
        if begins:
            value += _WORD
        elif at == last + 1:
            value += _NEXT
        else:
            value += 1.0
        value -= _SKIP * (at - last - 1)
        last = at
    return value, last
