"""What cannot be shown is written out, and nothing else changes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.printable import LONGEST_SENTENCE, LONGEST_TEXT, clean, concise, escaped, json_text, one_line

HOSTILE = [
    *range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xD800, 0xDFFF,
    0xFFFE, 0xFFFF,
]  # fmt: skip
ANY = st.text(st.characters(codec=None))


@pytest.mark.parametrize("code", HOSTILE)
def test_controls_marks_of_direction_and_no_characters_are_written_out(code: int) -> None:
    words = f"a{chr(code)}b"
    for show in (escaped, clean):
        assert show(words) == (f"a\\x{code:02x}b" if code < 256 else f"a\\u{code:04x}b")
    assert chr(code) not in concise(words)
    assert chr(code) not in json_text({"text": words}).replace("\n", "")
    assert json.loads(json_text({words: words})) == {words: words}


@given(ANY)
def test_what_is_shown_can_be_printed_and_stays_as_it_is(text: str) -> None:
    shown = escaped(text)
    assert shown.encode("utf-8").decode("utf-8") == shown == escaped(shown)
    assert escaped("a\tb\nc", keep="\n") == "a\\x09b\nc"
    assert len(clean(text * 100)) <= LONGEST_TEXT
    assert "\n" not in one_line(text) and len(concise(text * 100)) <= LONGEST_SENTENCE


def test_ordinary_text_of_any_script_is_untouched() -> None:
    text = "convolución µs 東京 \N{HEBREW LETTER ALEF}\N{ARABIC LETTER BEH} \N{CLAPPING HANDS SIGN}"
    assert escaped(text) == clean(text) == one_line(text) == concise(text) == text


def test_a_long_sentence_keeps_its_beginning_and_what_to_do() -> None:
    sentence = f"file.json: two ops have the id '{'x' * 9000}'; ids must be unique"
    assert concise(sentence).startswith("file.json: two ops have the id 'xxx")
    assert concise(sentence).endswith("xxx'; ids must be unique")


@given(st.dictionaries(ANY, ANY), st.sampled_from(["utf-8", "ascii", "latin-1", "cp437", "no such encoding"]))
def test_json_is_the_same_in_every_encoding(value: dict[str, str], encoding: str) -> None:
    text = json_text(value, encoding=encoding)
    if encoding != "no such encoding":
        text.encode(encoding)
    assert json.loads(text) == value
