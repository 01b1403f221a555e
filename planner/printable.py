"""Text from outside, made fit to be shown: on a terminal, in a window, in a file that others open.

What a file, a command line or a file's name holds may move a terminal's cursor, turn the direction in which all that
follows is written, or be no character at all. Wherever such text is shown it passes :func:`escaped`.
"""

from __future__ import annotations

import json
import re
from typing import Any

LONGEST_TEXT = 4096
"""Characters of a text that is only shown; more are cut off. What tells things apart, such as ids, is never cut."""
LONGEST_ID = 65_536
"""Characters that an id or a name in a file may have. A file with a longer one is refused."""
LONGEST_SENTENCE = 500
UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # controls of terminals, line breaks among them
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks, embeddings, overrides and isolates of direction
    "\u2028\u2029"  # breaks of lines and paragraphs
    "\ud800-\udfff\ufffe\uffff]"  # no characters; file names that are not UTF-8 hold the first
)
_BREAKS = re.compile(r"[ \t\r\n\v\f]+")


def escaped(text: str, keep: str = "") -> str:
    r"""``text`` with what cannot be shown written out, as ``\x1b`` or ``\u202e``; the characters in ``keep`` stay.

    Texts that differ stay different, unless one of them spells out such an escape itself.
    """
    if text.isprintable():
        return text  # nearly all are; none of the characters above is
    return UNPRINTABLE.sub(lambda found: found[0] if found[0] in keep else _written_out(found[0]), text)


def _written_out(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def clean(text: str) -> str:
    """Text to be shown: :func:`escaped`, and no longer than :data:`LONGEST_TEXT`."""
    return escaped(text[:LONGEST_TEXT])[:LONGEST_TEXT]


def one_line(sentence: str) -> str:
    """A sentence without line breaks, so that one problem is one line, and with what cannot be shown written out."""
    return escaped(_BREAKS.sub(" ", sentence).strip(" "))


def concise(sentence: str) -> str:
    """:func:`one_line` within :data:`LONGEST_SENTENCE`, cut in its middle: names in a file may be of any length."""
    words = one_line(sentence)
    if len(words) <= LONGEST_SENTENCE:
        return words
    end = LONGEST_SENTENCE // 3  # what to do stands at the end
    return f"{words[: LONGEST_SENTENCE - end - 5]} ... {words[-end:]}"


def shown(value: Any) -> str:
    """A value as a sentence shows it: short, on one line."""
    words = clean(repr(value)) if not isinstance(value, int) or isinstance(value, bool) else _short_int(value)
    return words if len(words) <= 40 else words[:37] + "..."


def _short_int(value: int) -> str:
    return str(value) if -(10**18) < value < 10**18 else "an integer of more than 18 digits"


def json_text(value: Any, *, indent: int | None = 1, encoding: str = "utf-8") -> str:
    r"""JSON in which what cannot be shown, or not be written in ``encoding``, is a ``\u`` escape; infinite numbers are an error.

    Whoever reads it gets the same texts.
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    # Between the values there are line breaks, and within texts JSON has escaped those itself.
    text = UNPRINTABLE.sub(lambda found: "\n" if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        text = json.dumps(value, indent=indent, ensure_ascii=True, allow_nan=False)
    return text


def plural(count: int, one: str, many: str = "") -> str:
    """``1 op``, ``2 ops``, ``20,000 ops``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
