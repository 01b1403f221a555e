"""Regular expressions that take linear time whatever is typed.

Python's own engine backtracks: ``(a+)+$`` on a name of forty letters can hang the window. This one runs all alternatives
side by side (Thompson's construction) and remembers the sets of states it has met, so a search reads each letter once.
It knows what names need: ``. [a-z] [^a-z] \\d \\w \\s \\D \\W \\S * + ? {m,n} | ( ) ^ $`` and escapes; case does not matter.
Back-references and look-around, which cannot be matched in linear time, are refused.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from planner.errors import StageboardError

LONGEST = 500
"""Characters of an expression."""
MOST_STATES = 4000
"""States an expression may have once its ``{m,n}`` are written out."""
MOST_REMEMBERED = 4000
"""Sets of states that a search remembers before it starts over."""

Predicate = Callable[[str], bool]
_WORD = frozenset(string.ascii_lowercase + string.digits + "_")
_CLASSES: dict[str, Predicate] = {
    "d": str.isdigit,
    "w": lambda c: c in _WORD or c.isalnum(),
    "s": str.isspace,
    "D": lambda c: not c.isdigit(),
    "W": lambda c: not (c in _WORD or c.isalnum()),
    "S": lambda c: not c.isspace(),
}
_CONTROL = {"t": "\t", "n": "\n", "r": "\r"}


class PatternError(StageboardError):
    """An expression cannot be used; the message says why, for the person who typed it."""


@dataclass
class _Node:
    """A parsed expression: ``kind`` is char, cat, alt, repeat, start or end."""

    kind: str
    test: Predicate | None = None
    parts: list[_Node] = field(default_factory=list)
    low: int = 0
    high: int | None = None


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    def error(self, what: str) -> PatternError:
        return PatternError(f"the expression '{self.text}' {what}")

    def peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def take(self) -> str:
        c = self.peek()
        self.at += 1
        return c

    def parse(self) -> _Node:
        node = self.alternatives()
        if self.peek() == ")":
            raise self.error("closes a ')' that was never opened; remove it or write \\)")
        return node

    def alternatives(self) -> _Node:
        self.depth += 1
        if self.depth > 50:
            raise self.error("nests too many parentheses; simplify it")
        options = [self.sequence()]
        while self.peek() == "|":
            self.take()
            options.append(self.sequence())
        self.depth -= 1
        return options[0] if len(options) == 1 else _Node("alt", parts=options)

    def sequence(self) -> _Node:
        parts: list[_Node] = []
        while self.peek() and self.peek() not in "|)":
            parts.append(self.repeated())
        return _Node("cat", parts=parts)

    def repeated(self) -> _Node:
        node = self.atom()
        while (c := self.peek()) and (c in "*+?" or (c == "{" and self._bounds() is not None)):
            if c == "{":
                low, high, length = self._bounds() or (0, 0, 0)
                self.at += length
            else:
                self.take()
                low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[c]
                if self.peek() == "?":  # lazy or greedy makes no difference to whether a name matches
                    self.take()
            node = _Node("repeat", parts=[node], low=low, high=high)
        return node

    def _bounds(self) -> tuple[int, int | None, int] | None:
        """``{m}``, ``{m,}``, ``{,n}`` or ``{m,n}`` ahead with its length, None where the brace is a letter."""
        end = self.text.find("}", self.at)
        inside = self.text[self.at + 1 : end] if end > 0 else ""
        low, comma, high = inside.partition(",")
        if not (low + high).isdecimal() or (low and not low.isdecimal()) or (high and not high.isdecimal()):
            return None
        least = int(low or 0)
        most = (int(high) if high else None) if comma else least
        if max(least, most or 0) > 1000 or (most is not None and most < least):
            raise self.error(f"asks for '{{{inside}}}' repetitions; at most 1000, the smaller number first")
        return least, most, end + 1 - self.at

    def atom(self) -> _Node:
        c = self.take()
        if c == "(":
            if self.text.startswith("?:", self.at):
                self.at += 2
            elif self.peek() == "?":
                raise self.error("uses '(?', which is not supported here; plain parentheses are")
            node = self.alternatives()
            if self.take() != ")":
                raise self.error("opens a '(' that is not closed; add ')' or write \\(")
            return node
        if c == "[":
            return _Node("char", test=self.char_class())
        if c == ".":
            return _Node("char", test=lambda _: True)
        if c == "^":
            return _Node("start")
        if c == "$":
            return _Node("end")
        if c in "*+?":
            raise self.error(
                f"has a '{c}' with nothing to repeat before it; write \\{c} for the character itself"
            )
        if c == "\\":
            return _Node("char", test=self.escape())
        return _Node("char", test=_is(c))

    def escape(self) -> Predicate:
        c = self.take()
        if not c:
            raise self.error("ends in a backslash; add the character it stands for")
        if c in _CLASSES:
            return _CLASSES[c]
        if c in _CONTROL:
            return _is(_CONTROL[c])
        if c.isalnum():
            raise self.error(f"uses '\\{c}', which is not supported here; \\d, \\w and \\s are")
        return _is(c)

    def char_class(self) -> Predicate:
        negated = self.peek() == "^"
        if negated:
            self.take()
        tests: list[Predicate] = []
        first = True
        while True:
            c = self.take()
            if not c:
                raise self.error("opens a '[' that is not closed; add ']' or write \\[")
            if c == "]" and not first:
                break
            first = False
            if c == "\\":
                tests.append(self.escape())
            elif self.peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("", "]"):
                self.take()
                last = self.take()
                if last == "\\":
                    last = self.take()
                if last < c:
                    raise self.error(f"has the range '{c}-{last}' the wrong way round")
                tests.append(_between(c.lower(), last.lower()))
            else:
                tests.append(_is(c))
        if negated:
            return lambda c: not any(test(c) for test in tests)
        return lambda c: any(test(c) for test in tests)


def _is(c: str) -> Predicate:
    wanted = c.lower()
    return lambda other: other == wanted


def _between(low: str, high: str) -> Predicate:
    return lambda c: low <= c <= high


class Pattern:
    """A compiled expression. Matching ignores case. Raises :class:`PatternError` where ``text`` cannot be used."""

    def __init__(self, text: str, *, whole: bool = False) -> None:
        if len(text) > LONGEST:
            raise PatternError(f"the expression has {len(text)} characters; at most {LONGEST} are allowed")
        self.text = text
        # One entry per state: how it tests a character (None = not at all), and where it goes without reading one.
        self._tests: list[Predicate | None] = []
        self._next: list[int] = []
        self._free: list[tuple[str, list[int]]] = []
        node = _Parser(text).parse()
        if whole:
            node = _Node("cat", parts=[_Node("start"), node, _Node("end")])
        self._match = self._state("match")
        self._begin = self._build(node, self._match)
        self._first = self._closure([self._begin], at_start=True)
        self._restart = self._closure([self._begin], at_start=False)
        self._steps: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    def _state(
        self, kind: str, to: list[int] | None = None, test: Predicate | None = None, next: int = -1
    ) -> int:
        if len(self._tests) >= MOST_STATES:
            raise PatternError(f"the expression '{self.text}' repeats too much; use smaller numbers in {{ }}")
        self._tests.append(test)
        self._next.append(next)
        self._free.append((kind, to or []))
        return len(self._tests) - 1

    def _build(self, node: _Node, after: int) -> int:
        """Add the states of ``node`` that lead on to ``after``; returns the first of them."""
        if node.kind == "char":
            return self._state("char", test=node.test, next=after)
        if node.kind in ("start", "end"):
            return self._state(node.kind, [after])
        if node.kind == "alt":
            return self._state("split", [self._build(part, after) for part in node.parts])
        if node.kind == "cat":
            for part in reversed(node.parts):
                after = self._build(part, after)
            return after
        part = node.parts[0]
        if node.high is None:
            loop = self._state("split", [after])
            self._free[loop][1].append(self._build(part, loop))
            after = loop
        else:
            done = after
            for _ in range(node.high - node.low):
                after = self._state("split", [done, self._build(part, after)])
        for _ in range(node.low):
            after = self._build(part, after)
        return after

    def _closure(self, states: list[int], *, at_start: bool = False, at_end: bool = False) -> frozenset[int]:
        seen: set[int] = set()
        stack = list(states)
        while stack:
            state = stack.pop()
            if state in seen:
                continue
            seen.add(state)
            kind, to = self._free[state]
            if kind == "split" or (kind == "start" and at_start) or (kind == "end" and at_end):
                stack.extend(to)
        return frozenset(seen)

    def search(self, text: str) -> bool:
        """Whether the expression occurs in ``text``."""
        states = self._first
        for c in text.lower():
            if self._match in states:
                return True
            key = (states, c)
            following = self._steps.get(key)
            if following is None:
                read = [self._next[s] for s in states if (test := self._tests[s]) is not None and test(c)]
                following = self._closure(read) | self._restart
                if len(self._steps) >= MOST_REMEMBERED:
                    self._steps.clear()
                self._steps[key] = following
            states = following
        return self._match in states or self._match in self._closure(
            list(states), at_start=not text, at_end=True
        )


@lru_cache(maxsize=64)
def compiled(text: str, whole: bool = False) -> Pattern:
    """A pattern, remembered. Raises :class:`PatternError`."""
    return Pattern(text, whole=whole)


def from_wildcards(text: str) -> str:
    """The expression for a text in which ``*`` stands for any characters and ``?`` for one."""
    return "".join({"*": ".*", "?": "."}.get(c, c if c.isalnum() else "\\" + c) for c in text)
