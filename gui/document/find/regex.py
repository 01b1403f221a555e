"""Regular expressions on names, matched by RE2: in linear time whatever is typed.

Python's own engine backtracks: ``(a+)+$`` on a name of forty letters can hang the window. RE2's syntax is Python's
without what cannot be matched in linear time, look-around and back-references. Case does not matter, ``.`` is any
character, and ``\\d``, ``\\w`` and ``\\s`` are what they are to Python, letters of every script among them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import numpy as np

from planner.errors import StageboardError
from planner.printable import escaped

LONGEST = 500
"""Characters of an expression."""
MOST_MEMORY = 8 << 20
"""Bytes that RE2 may take for an expression and for what it remembers while it searches."""

# What RE2 says, and what we say instead; {} is the part of the expression that RE2 complains about.
_COMPLAINTS = {
    "missing )": "opens a '(' that is not closed; add ')' or write \\(",
    "unexpected )": "closes a ')' that was never opened; remove it or write \\)",
    "missing ]": "opens a '[' that is not closed; add ']' or write \\[",
    "no argument for repetition operator": "has a '{}' with nothing to repeat before it; for the character itself write a backslash in front",
    "bad repetition operator": "has '{}', which repeats a repetition; keep one, or put the first in parentheses",
    "invalid repetition size": "repeats too much with '{}'; at most 1000 in all, the smaller number first",
    "invalid character class range": "has '{}', which is no range; write the smaller character first, as in [a-z]",
    "invalid perl operator": "uses '{}', which is not supported here, as no look-around is; plain parentheses are",
    "invalid escape sequence": "uses '{}', which is not supported here, as no back-reference is; \\d, \\w and \\s are",
    "trailing \\": "ends in a backslash; add the character it stands for",
    "pattern too large - compile failed": "repeats too much; use smaller numbers in {{ }}",
}  # fmt: skip

_TOKEN = re.compile(
    r"\\Q.*?(?:\\E|\Z)|(?P<open>\[\^?\]?)(?P<set>(?:\\.|[^\]\\])*)|\\.|\{,(?=\d+\})", re.DOTALL
)
_KINDS = frozenset("dwsDWS")
_SET_TOKEN = re.compile(r"-?\\.|\[", re.DOTALL)


class PatternError(StageboardError):
    """An expression cannot be used; the message says why, for the person who typed it."""


def searcher(text: str, *, whole: bool = False) -> Callable[[str], bool]:
    """A test whether the expression ``text`` occurs in a name, or is all of it. Raises :class:`PatternError`."""
    import re2

    if len(text) > LONGEST:
        raise PatternError(f"the expression has {len(text)} characters; at most {LONGEST} are allowed")
    options = re2.Options()
    options.max_mem = MOST_MEMORY
    options.case_sensitive = False
    options.dot_nl = True
    options.never_capture = True
    options.log_errors = False
    try:
        pattern = re2.compile(_utf8(_TOKEN.sub(_in_re2, text)), options)
    except re2.error as error:
        theirs = error.args[0].decode(errors="replace")
        complaint, _, part = theirs.partition(": ")
        ours = _COMPLAINTS.get(complaint, "").format(part) or f"cannot be used: {theirs}"
        raise PatternError(escaped(f"the expression '{text}' {ours}")) from None
    search = pattern.fullmatch if whole else pattern.search
    return lambda name: search(_utf8(name)) is not None


def from_wildcards(text: str) -> str:
    """The expression for a text in which ``*`` stands for any characters and ``?`` for one."""
    return re.escape(text).replace("\\*", ".*").replace("\\?", ".")


def _utf8(text: str) -> bytes:
    """``text`` for RE2. Half a surrogate pair, which is no character, becomes the one that stands for such."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return re.sub(r"[\ud800-\udfff]", "\ufffd", text).encode()


def _in_re2(found: re.Match[str]) -> str:
    r"""A part of an expression where RE2 reads it otherwise than Python: ``\w``, ``{,3}``, ``[[:]`` and their like."""
    if found["open"]:
        return found["open"] + _SET_TOKEN.sub(_in_set, found["set"])
    if found[0] == "{,":
        return "{0,"
    if found[0][1:] in _KINDS:
        return f"[{_ranges(found[0])}]"
    return found[0] if found[0].isascii() or found[0].startswith("\\Q") else found[0][1:]


def _in_set(found: re.Match[str]) -> str:
    r"""The same between brackets. Before ``\w`` and its like a hyphen is itself: they cannot end a range."""
    hyphen, _, character = found[0].rpartition("\\")
    if found[0] == "[":
        return "\\["
    if character in _KINDS:
        return hyphen.replace("-", "\\-") + _ranges("\\" + character)
    return found[0] if character.isascii() else hyphen + character


@cache
def _ranges(kind: str) -> str:
    r"""All characters that ``\d``, ``\w`` and so on are to Python, as RE2 wants them between brackets."""
    everything = np.arange(0x110000, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    everything = everything.replace(
        "\u0345", "ι"
    )  # two cases of one letter to RE2, but to Python the first is none
    return "".join(
        f"\\x{{{ord(run[0]):x}}}-\\x{{{ord(run[-1]):x}}}" for run in re.findall(f"{kind}+", everything)
    )
