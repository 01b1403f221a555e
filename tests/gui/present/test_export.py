"""Stories as files: which frames are painted, and slides, pictures, animations and videos that decode to what was painted."""

from __future__ import annotations

import dataclasses
import importlib.util
import itertools
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QImage, QImageReader
from pytestqt.qtbot import QtBot

from gui.present import export, export_gif, export_video
from gui.present.command import configure, story_file
from gui.present.command import run as run_command
from gui.present.export import FORMATS, USUAL, Exported, ExportOptions, export_story, fitted, show_of
from gui.present.export_gif_kernels import BINS, compress, count_colours
from gui.present.frames import held_at, pixels_of, spans
from planner.cli.command import Command, Console, Parser
from planner.errors import StageboardError
from planner.export.child import Cancelled
from planner.story import Keyframe, Resolved
from tests.gui.present.talks import graph_members, network_talk, resolved, talk

SMALL = ExportOptions(size=(320, 200), fps=5.0)
by_suffix = {form.suffix: form for form in FORMATS}
needs_ffmpeg = pytest.mark.skipif(
    importlib.util.find_spec("imageio_ffmpeg") is None,
    reason="imageio-ffmpeg (the extra 'video') is not installed",
)


def short_talk() -> Resolved:
    """Two keyframes, of which the second moves ops: 1.6 seconds."""
    return resolved(
        graph_members(),
        Keyframe("First", "As it is.", 0, "lanes", hold=0.4, transition=0.0),
        Keyframe("Then", "As it might be.", 1, "lanes", panel="costs", hold=0.6, transition=0.6),
    )


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# ---------------------------------------------------------------------- frames
@given(
    st.lists(st.tuples(st.floats(0.0, 2.0), st.floats(0.1, 3.0)), min_size=1, max_size=6),
    st.floats(1.0, 60.0),
    st.booleans(),
)
def test_frames_fill_the_story_and_hold_keyframes_once(
    times: list[tuple[float, float]], fps: float, cut: bool
) -> None:
    keyframes = [Keyframe("", "", 0, transition=t, hold=h) for t, h in times]
    starts = [sum(t + h for t, h in times[:i]) for i in range(len(times))]
    duration = sum(t + h for t, h in times)
    found = spans(starts, keyframes, fps, reduced_motion=cut)
    assert sum(span.frames for span in found) == max(1, round(duration * fps))
    seconds = [span.seconds for span in found]
    assert all(a < b for a, b in itertools.pairwise(seconds))
    held = {held_at(starts, keyframes, k) for k in range(len(times))}
    assert all(span.seconds in held for span in found if span.frames > 1)
    if cut:
        assert set(seconds) <= held


def test_held_frames_are_those_that_the_show_calls_settled(qtbot: QtBot) -> None:
    story = short_talk()
    show = show_of(story, SMALL)
    for span in spans(show.starts, story.story.keyframes, 20.0):
        assert span.frames == 1 or show.settled(span.seconds)


# ---------------------------------------------------------------------- what may be asked
def test_formats_are_named_by_their_ending() -> None:
    assert export.format_of(Path("a.PDF")).suffix == ".pdf"
    assert export.format_of(Path("pictures")).suffix == ""
    with pytest.raises(StageboardError, match=r"\.pdf, \.html, \.mp4, \.gif"):
        export.format_of(Path("a.avi"))


def test_sizes_and_rates_are_made_what_a_format_can_have() -> None:
    options, notes = fitted(by_suffix[".mp4"], ExportOptions(size=(321, 201)))
    assert options.size == (320, 200) and "even" in notes[0]
    options, notes = fitted(by_suffix[".gif"], ExportOptions(size=(1920, 1080), fps=30.0))
    assert options.size == (1280, 720) and "1280 x 720" in notes[0]
    assert options.fps == pytest.approx(100 / 3) and "hundredths" in notes[1]
    assert fitted(by_suffix[".pdf"], USUAL) == (ExportOptions(size=(1280, 720)), ())
    assert "--fps" in fitted(by_suffix[".pdf"], ExportOptions(fps=10.0))[1][0]
    for bad in (ExportOptions(size=(10, 10)), ExportOptions(fps=500.0)):
        with pytest.raises(StageboardError, match="choose"):
            fitted(by_suffix[".mp4"], bad)


def test_a_gif_of_too_many_pictures_is_refused(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "MOST_GIF_FRAMES", 2)
    with pytest.raises(StageboardError, match=r"write an \.mp4"):
        export_story(short_talk(), tmp_path / "a.gif", SMALL)
    assert left(tmp_path) == []


# ---------------------------------------------------------------------- slides and pictures
def test_slides_are_vectors_with_a_certificate_at_the_end(tmp_path: Path, qtbot: QtBot) -> None:
    done = export_story(short_talk(), tmp_path / "talk.pdf", USUAL)
    data = (tmp_path / "talk.pdf").read_bytes()
    assert done.count == 3 and len(re.findall(rb"/Type /Page\b", data)) == 3
    assert "3 slides" in done.sentence and done.bytes == len(data) < 300_000
    assert b"/FontFile2" in data and "A talk".encode("utf-16-be") in data
    assert re.search(rb"/MediaBox \[0 0 960(\.0*)? 540(\.0*)?\]", data)
    again = export_story(talk(), tmp_path / "proof.pdf", USUAL)
    assert again.count == len(talk().story.keyframes)  # it ends with one already


def test_pictures_are_those_that_the_show_paints(tmp_path: Path, qtbot: QtBot) -> None:
    story = short_talk()
    done = export_story(story, tmp_path / "pictures", SMALL)
    assert left(tmp_path) == ["pictures"] and left(tmp_path / "pictures") == ["01-first.png", "02-then.png"]
    assert done.count == 2
    image = QImage(str(tmp_path / "pictures" / "02-then.png"))
    assert np.array_equal(pixels_of(image), pixels_of(show_of(story, SMALL).image(1.5)))
    with pytest.raises(StageboardError, match="not empty"):
        export_story(story, tmp_path / "pictures", SMALL)


# ---------------------------------------------------------------------- GIF
def unpacked(data: bytes, count: int) -> list[int]:
    """LZW as its readers do it (GIF89a, appendix F), slowly."""
    table: dict[int, list[int]] = {}
    out: list[int] = []
    wide, held, bits, at, before = 9, 0, 0, 0, None
    while True:
        while bits < wide:
            held |= data[at] << bits
            at, bits = at + 1, bits + 8
        code, held, bits = held & ((1 << wide) - 1), held >> wide, bits - wide
        if code == 257:
            assert at == len(data)
            return out
        if code == 256:
            table, wide, before = {i: [i] for i in range(256)}, 9, None
            table[256] = table[257] = []
            continue
        entry = table[code] if code in table else [*before, before[0]]  # type: ignore[misc]
        out += entry
        if before is not None and len(table) < 4096:
            table[len(table)] = [*before, entry[0]]
            if len(table) == 1 << wide and wide < 12:
                wide += 1
        before = entry


@given(st.integers(1, 30_000), st.integers(1, 256), st.integers(0, 2**32 - 1))
def test_compressed_pixels_are_read_again(count: int, colours: int, seed: int) -> None:
    entries = np.random.default_rng(seed).integers(0, colours, count).astype(np.uint8)
    out = np.empty(2 * count + 16, np.uint8)
    assert unpacked(out[: compress(entries, out)].tobytes(), count) == entries.tolist()


def test_a_palette_keeps_the_colours_of_large_areas() -> None:
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 2**24, 20_000).astype(np.uint32)
    pixels = np.concatenate([np.full(50_000, 0xFFF7F9FB, np.uint32), noise | np.uint32(0xFF000000)])
    counts, sums = np.zeros(BINS, np.int64), np.zeros((BINS, 3), np.int64)
    count_colours(pixels, counts, sums)
    assert counts.sum() == len(pixels)
    palette = export_gif.choose_palette(counts, sums)
    assert len(palette) <= 255 and [0xF7, 0xF9, 0xFB] in np.rint(palette).astype(int).tolist()


def test_a_gif_decodes_to_the_frames(tmp_path: Path, qtbot: QtBot) -> None:
    story = short_talk()
    done = export_story(story, tmp_path / "talk.gif", SMALL)
    show = show_of(story, SMALL)
    painted = spans(show.starts, story.story.keyframes, done.fps)
    reader = QImageReader(str(tmp_path / "talk.gif"))
    assert reader.imageCount() == len(painted) and reader.loopCount() == -1
    total = 0
    for span in painted:
        image = reader.read()
        total += reader.nextImageDelay()
        seen = pixels_of(image).reshape(-1).view(np.uint8).astype(int)
        wanted = pixels_of(show.image(span.seconds)).reshape(-1).view(np.uint8).astype(int)
        assert np.abs(seen - wanted).mean() < 3.0
    assert total == pytest.approx(1000 * story.story.duration, abs=200)
    again = tmp_path / "again.gif"
    export_story(story, again, SMALL)
    assert again.read_bytes() == (tmp_path / "talk.gif").read_bytes()


def test_a_gif_that_grows_too_large_is_given_up(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_gif, "LARGEST_FILE", 1000)
    with pytest.raises(StageboardError, match="smaller"):
        export_story(short_talk(), tmp_path / "a.gif", SMALL)
    assert left(tmp_path) == []


# ---------------------------------------------------------------------- MP4
@needs_ffmpeg
def test_a_video_decodes_to_the_frames(tmp_path: Path, qtbot: QtBot) -> None:
    story, path = short_talk(), tmp_path / "talk.mp4"
    done = export_story(story, path, SMALL)
    assert done.count == 8 and done.size == (320, 200)
    data = path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")  # plays while it loads
    assert b"avc1" in data and b"A talk" in data
    decoded = subprocess.run(
        [export_video.ffmpeg(), "-v", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "bgra", "pipe:1"],
        capture_output=True, check=True,
    ).stdout  # fmt: skip
    frames = np.frombuffer(decoded, np.uint8).reshape(-1, 200, 320, 4).astype(int)
    assert len(frames) == done.count
    show, at = show_of(story, SMALL), 0
    for span in spans(show.starts, story.story.keyframes, done.fps):
        wanted = pixels_of(show.image(span.seconds)).view(np.uint8).reshape(200, 320, 4).astype(int)
        for frame in frames[at : at + span.frames]:
            assert np.abs(frame - wanted)[..., :3].mean() < 6.0
        at += span.frames


def test_without_ffmpeg_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    with pytest.raises(StageboardError, match=r"pip install 'stageboard\[video\]'"):
        export.check_place(tmp_path / "a.mp4")


@needs_ffmpeg
def test_what_ffmpeg_complains_of_is_passed_on(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = export_video._arguments
    monkeypatch.setattr(
        export_video, "_arguments", lambda *args: [*usual(*args)[:-1], str(tmp_path / "no" / "a.mp4")]
    )
    with pytest.raises(StageboardError, match="ffmpeg says"):
        export_story(short_talk(), tmp_path / "a.mp4", SMALL)
    assert left(tmp_path) == []


# ---------------------------------------------------------------------- all of them
@pytest.mark.parametrize("suffix", [pytest.param(".mp4", marks=needs_ffmpeg), ".gif", ".pdf", ".html", ""])
def test_a_cancelled_export_leaves_nothing(suffix: str, tmp_path: Path, qtbot: QtBot) -> None:
    asked: list[int] = []

    def stopped() -> bool:
        asked.append(1)
        return len(asked) > 2

    with pytest.raises(Cancelled):
        export_story(short_talk(), tmp_path / f"a{suffix}", SMALL, stopped=stopped)
    assert left(tmp_path) == []


def test_an_export_that_fails_leaves_the_old_file(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.gif"
    path.write_bytes(b"old")
    monkeypatch.setattr(export_gif, "LARGEST_FILE", 1000)
    with pytest.raises(StageboardError):
        export_story(short_talk(), path, SMALL)
    assert path.read_bytes() == b"old" and left(tmp_path) == ["a.gif"]


def test_networks_are_written_too(tmp_path: Path, qtbot: QtBot) -> None:
    story = network_talk()
    quick = [
        dataclasses.replace(k, hold=0.2, transition=min(k.transition, 0.4)) for k in story.story.keyframes
    ]
    story = dataclasses.replace(story, story=dataclasses.replace(story.story, keyframes=tuple(quick)))
    for name in ("a.pdf", "a.gif"):
        assert export_story(story, tmp_path / name, SMALL).bytes > 1000


def test_reduced_motion_cuts(tmp_path: Path, qtbot: QtBot) -> None:
    export_story(short_talk(), tmp_path / "a.gif", dataclasses.replace(SMALL, reduced_motion=True))
    assert QImageReader(str(tmp_path / "a.gif")).imageCount() == 2


# ---------------------------------------------------------------------- the command
def command(*words: str) -> tuple[int, Callable[[], None]]:
    parser = Parser(Command("present", "", "gui.present.command"))
    configure(parser)
    return run_command(parser.parse_args(list(words)), Console(as_json=True)), lambda: None


def test_the_command_writes_a_story_that_stageboard_brings_along(
    tmp_path: Path, qtbot: QtBot, capsys: pytest.CaptureFixture[str]
) -> None:
    import json

    out = tmp_path / "edge-tpu.pdf"
    assert command("edge-tpu", "-o", str(out), "--json")[0] == 0
    told = json.loads(capsys.readouterr().out)
    assert told["format"] == "pdf" and told["bytes"] == out.stat().st_size and told["count"] >= 6


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(StageboardError, match="take one of"):
        story_file("no such story")
    with pytest.raises(StageboardError, match="about files"):
        command("edge-tpu", "--size", "640x400")
    with pytest.raises(StageboardError, match="frames per second"):
        command("edge-tpu", "-o", str(tmp_path / "a.mp4"), "--fps", "0")
    with pytest.raises(StageboardError, match="no folder"):
        command("edge-tpu", "-o", str(tmp_path / "no" / "a.pdf"))


def test_a_sentence_says_what_was_written() -> None:
    done = Exported(Path("a.mp4"), by_suffix[".mp4"], (1920, 1080), 600, 30.0, 20.0, 5_000_000)
    assert done.sentence == "wrote a.mp4 (20.0 s, 1920 x 1080, 30 frames/s, 5.0 MB)"
