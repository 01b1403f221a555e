"""What only the speaker reads of a talk at a moment: where it is, the notes, what comes next, and the time."""

from __future__ import annotations

import time
from dataclasses import dataclass

from planner.story.story import Resolved


@dataclass(frozen=True)
class SpeakerWords:
    """``place`` is the keyframe of how many, ``elapsed`` the time since the talk began, ``clock`` that of day.

    ``title`` and ``notes`` are those of the keyframe that the talk is at or makes for; ``following`` and ``following_caption`` of the
    next one, or that there is none.
    """

    place: str
    elapsed: str
    clock: str
    title: str
    notes: str
    following: str
    following_caption: str


def speaker_words(resolved: Resolved, at: int, elapsed: float, pictured: int = -1) -> SpeakerWords:
    """The words at keyframe ``at``, ``elapsed`` seconds after the talk began; what follows is that of the keyframe that is still
    ``pictured``, if any, on the way to this one."""
    keyframes = resolved.story.keyframes
    last = at if pictured < 0 else pictured
    here, after = keyframes[at], keyframes[last + 1 : last + 2]
    notes = here.notes
    if resolved.notes:  # the speaker should know before somebody asks
        notes = "\n".join(part for part in (notes, f"Note: {resolved.notes[0]}") if part)
    following = f"Next: {after[0].title or 'untitled'}" if after else "This is the last"
    return SpeakerWords(
        f"{at + 1} of {len(keyframes)}", duration_words(elapsed), time.strftime("%H:%M"), here.title or "untitled", notes,
        following, after[0].caption if after else "",
    )  # fmt: skip


def duration_words(seconds: float) -> str:
    """Seconds as on a stopwatch: ``4:05``, ``1:02:09``."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
