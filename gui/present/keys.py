"""The keys of the presenter as data: what the window does, and what its help lists."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt

K = Qt.Key


@dataclass(frozen=True)
class Command:
    """What keys do: ``run`` names a method of the window; ``shown`` and ``words`` are for the list of keys."""

    run: str
    keys: tuple[Qt.Key, ...]
    shown: str
    words: str


COMMANDS = (
    Command("forward", (K.Key_Right, K.Key_Down, K.Key_Space, K.Key_PageDown), "\N{RIGHTWARDS ARROW}  Space  Page Down", "next"),
    Command("back", (K.Key_Left, K.Key_Up, K.Key_Backspace, K.Key_PageUp), "\N{LEFTWARDS ARROW}  Backspace  Page Up", "back"),
    Command("enter", (K.Key_Return, K.Key_Enter), "12 Enter", "go to number 12; Enter alone: next"),
    Command("to_start", (K.Key_Home,), "Home", "the first"),
    Command("to_end", (K.Key_End,), "End", "the last"),
    Command("toggle_play", (K.Key_P, K.Key_F5), "P  F5", "play by itself, or pause"),
    Command("toggle_black", (K.Key_B, K.Key_Period), "B  .", "black screen"),
    Command("toggle_white", (K.Key_W, K.Key_Comma), "W  ,", "white screen"),
    Command("next_pointer", (K.Key_L,), "L", "laser pointer, spotlight, none"),
    Command("toggle_theme", (K.Key_T,), "T", "light or dark"),
    Command("toggle_full_screen", (K.Key_F, K.Key_F11), "F  F11", "full screen"),
    Command("larger", (K.Key_Plus, K.Key_Equal), "+", "larger letters"),
    Command("smaller", (K.Key_Minus,), "\N{MINUS SIGN}", "smaller letters"),
    Command("reset_view", (K.Key_R, K.Key_0), "R", "undo zooming by the wheel"),
    Command("toggle_notes", (K.Key_N,), "N", "notes, next and time beside the story"),
    Command("toggle_speaker", (K.Key_S,), "S", "the speaker's window"),
    Command("toggle_help", (K.Key_Question, K.Key_F1, K.Key_H), "?  F1", "this list"),
    Command("escape", (K.Key_Escape,), "Esc", "end"),
)  # fmt: skip
MOUSE = (
    ("Click", "next"), ("Right click", "back"), ("Wheel", "zoom at the pointer"), ("Drag", "move what is zoomed"),
)  # fmt: skip
BY_KEY = {int(key): command for command in COMMANDS for key in command.keys}
DIGITS = range(int(K.Key_0), int(K.Key_9) + 1)
OWN = frozenset((*BY_KEY, *DIGITS))
"""All keys of a talk, which are no commands of the window behind it."""


def rows() -> list[tuple[str, str]]:
    """All keys and what the mouse does, as pairs for the help."""
    return [(command.shown, command.words) for command in COMMANDS] + list(MOUSE)
