"""Stories as files: which frames are painted, and slides, pictures, animations and videos that decode to what was painted."""

from __future__ import annotations

import dataclasses
import importlib.util
import itertools
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from PIL.GifImagePlugin import GifImageFile
from PySide6.QtGui import QColor, QImage, QImageReader, QPainter
from pytestqt.qtbot import QtBot

from gui.app.present import configure, story_file
from gui.app.present import run as run_command
from gui.present.export import export
from gui.present.export import gif as export_gif
from gui.present.export import video as export_video
from gui.present.export.export import (
    FORMATS,
    USUAL,
    Exported,
    ExportOptions,
    export_story,
    fitted,
    show_of,
    with_certificates,
)
from gui.present.export.gif import choose_palette
from gui.present.frames import Span, held_at, pixels_of, spans
from planner.cli.command import Command, Console, Parser
from planner.errors import StageboardError
from planner.export.stages.child import Cancelled
from planner.story.keyframe import Camera, Keyframe
from planner.story.story import Resolved
from tests.gui.present.talks import graph_members, network_talk, resolved, talk

SMALL = ExportOptions(size=(320, 200), fps=5.0)
by_suffix = {form.suffix: form for form in FORMATS}
needs_ffmpeg = pytest.mark.skipif(
    shutil.which("ffmpeg") is None and importlib.util.find_spec("imageio_ffmpeg") is None,
    reason="neither the system's ffmpeg nor imageio-ffmpeg (the extra 'video') is installed",
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
    with pytest.raises(
        StageboardError, match=r"\.pdf, \.pptx, \.html, \.mp4, \.gif, \.svg \(\.svg: a folder"
    ):
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
def test_drawn_slides_are_a_folder_called_without_the_ending(tmp_path: Path, qtbot: QtBot) -> None:
    done = export_story(short_talk(), tmp_path / "talk.svg", ExportOptions(theme="dark"))
    assert done.path == tmp_path / "talk" and done.count == 3 and "3 slides as SVG" in done.sentence
    assert left(tmp_path) == ["talk"]
    assert left(tmp_path / "talk") == ["01-first.svg", "02-then.svg", "03-the-certificate-of-shifted.svg"]
    text = (tmp_path / "talk" / "02-then.svg").read_text("utf-8")
    assert 'viewBox="0 0 1280 720"' in text and "As it might be.</text>" in text.replace("\n", "")
    with pytest.raises(StageboardError, match="not empty"):
        export_story(short_talk(), tmp_path / "talk.svg")


def test_a_drawn_slide_is_clipped_as_the_window_is(tmp_path: Path, qtbot: QtBot) -> None:
    close = Keyframe("Close", "", 0, "lanes", Camera(0.3, 0.2, 0.2, 0.2), panel="costs")
    story = resolved(graph_members(n=60), close)
    export_story(story, tmp_path / "talk.svg")
    drawn = min((tmp_path / "talk").iterdir()).read_text("utf-8")
    seen = show_of(story, ExportOptions((1280, 720))).seen(0)
    clips = re.findall(r'<clipPath id="(\w+)">\s*<path [^>]*d="M0,45 L([\d.]+),45', drawn)
    assert clips and float(clips[0][1]) == pytest.approx(seen.right(), abs=0.01)
    assert f'clip-path="url(#{clips[0][0]})"' in drawn


def test_slides_are_vectors_with_a_certificate_at_the_end(tmp_path: Path, qtbot: QtBot) -> None:
    done = export_story(short_talk(), tmp_path / "talk.pdf", USUAL)
    data = (tmp_path / "talk.pdf").read_bytes()
    assert done.count == 3 and len(re.findall(rb"/Type /Page\b", data)) == 3
    assert "3 slides" in done.sentence and done.bytes == len(data) < 300_000
    assert b"/FontFile2" in data and "A talk".encode("utf-16-be") in data
    assert re.search(rb"/MediaBox \[0 0 960(\.0*)? 540(\.0*)?\]", data)
    again = export_story(talk(), tmp_path / "proof.pdf", USUAL)
    assert again.count == len(talk().story.keyframes)  # it ends with one already


def test_the_certificate_at_the_end_is_that_of_the_plan_that_is_proven() -> None:
    (plan, _), (worse, _) = graph_members()
    problem = plan.problem
    values = sorted((one.objective, i) for i, one in enumerate((plan, worse)))
    proof = problem.bound(problem.components[0], values[0][0], "simple", frozenset())
    members = [(plan, (proof,)), (worse, (proof,))]
    good, bad = values[0][1], values[1][1]
    assert values[0][0] < values[1][0]
    page = with_certificates(
        resolved(members, Keyframe("", "", good), Keyframe("", "", bad))
    ).story.keyframes[-1]
    assert (page.view, page.plan) == ("certificate", good)
    assert members[good][0].name in page.title and page.caption
    lettered = Keyframe("", "", bad, "comparison", versus=good, comparison="side-by-side")
    assert "plan A, " in with_certificates(resolved(members, lettered)).story.keyframes[-1].title
    called = [(replace(plan, name="ideals-dp"), (proof,)), (replace(worse, name="ideals-dp"), (proof,))]
    titled = with_certificates(resolved(called, Keyframe("", "", good), Keyframe("", "", bad)))
    assert titled.story.keyframes[-1].title == "The certificate of “Ideals DP”"
    open_ = [(plan, ()), (worse, ())]
    last = with_certificates(resolved(open_, Keyframe("", "", good), Keyframe("", "", bad))).story.keyframes[
        -1
    ]
    assert last.plan == bad and members[bad][0].name in last.title


def test_each_model_with_a_proven_plan_has_its_certificate_at_the_end(tmp_path: Path, qtbot: QtBot) -> None:
    parts = []
    for n in (12, 16):
        plan, _ = graph_members(n=n)[0]
        proof = plan.problem.bound(plan.problem.components[0], plan.objective, "simple", frozenset())
        parts.append(resolved([(plan, (proof,))], Keyframe(f"{n} ops", "", 0)))
    first, second = (part.story for part in parts)
    story = dataclasses.replace(
        first,
        models=(*first.models, *second.models),
        plans=(first.plans[0], dataclasses.replace(second.plans[0], model=1)),
        keyframes=(*first.keyframes, dataclasses.replace(second.keyframes[0], plan=1)),
    )
    both = Resolved(
        story, *(getattr(parts[0], n) + getattr(parts[1], n) for n in ("models", "plans", "bounds"))
    )
    pages = with_certificates(both).story.keyframes[2:]
    assert [(page.view, page.plan) for page in pages] == [("certificate", 0), ("certificate", 1)]
    unproven = dataclasses.replace(both, bounds=((), both.bounds[1]))
    assert [page.plan for page in with_certificates(unproven).story.keyframes[2:]] == [1]
    own = dataclasses.replace(story.keyframes[0], view="certificate")
    shown = dataclasses.replace(
        both, story=dataclasses.replace(story, keyframes=(story.keyframes[0], own, story.keyframes[1]))
    )
    assert [page.plan for page in with_certificates(shown).story.keyframes[3:]] == [1]
    done = export_story(both, tmp_path / "both.pdf", USUAL)
    assert done.count == 4 and "(4 slides, the last 2 certificates, " in done.sentence
    assert (
        "(3 slides, the last a certificate, " in export_story(unproven, tmp_path / "one.pdf", USUAL).sentence
    )


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
def shown_as(colours: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """What a palette makes of the colours it was chosen for: int64[n, 3]."""
    nearest, palette = choose_palette(colours, counts)
    row = Image.frombytes("RGB", (len(colours), 1), channels(colours).astype(np.uint8).tobytes())
    entry = np.asarray(row.quantize(palette=nearest, dither=Image.Dither.NONE)).reshape(-1)
    assert len(palette) == 768 and entry.max() < export_gif.UNCHANGED
    return np.frombuffer(palette, np.uint8).reshape(-1, 3)[entry].astype(int)


def channels(colours: np.ndarray) -> np.ndarray:
    """Packed colours as int64[n, 3]."""
    return np.stack([colours >> 16 & 255, colours >> 8 & 255, colours & 255], axis=-1).astype(int)


@given(st.lists(st.integers(0, 63).map(lambda c: c * 0x040404), min_size=1, max_size=64, unique=True))
def test_few_colours_are_kept_as_they_are(grey: list[int]) -> None:
    colours = np.array(sorted(grey), np.uint32)
    assert np.array_equal(shown_as(colours, np.ones(len(colours), np.int64)), channels(colours))


def test_a_palette_keeps_large_areas_and_hairlines_among_a_thousand_others() -> None:
    rng = np.random.default_rng(0)
    ground, line = 0xF7F9FB, 0x3B6DB8
    greys = np.unique(0x010101 * rng.integers(0, 256, 200) + rng.integers(0, 24, 200)).astype(np.uint32)
    noise = np.unique(rng.integers(0, 2**24, 1000)).astype(np.uint32)
    colours = np.unique(np.concatenate([noise, greys, np.array([ground, line], np.uint32)]))
    counts = np.where(np.isin(colours, greys), 500, 3)
    counts[colours == ground], counts[colours == line] = 400_000, 12
    seen = shown_as(colours, counts)
    assert seen[colours == ground].tolist() == [[0xF7, 0xF9, 0xFB]]
    assert np.abs(seen[colours == line] - channels(np.array([line]))).max() <= 32
    assert np.abs(seen - channels(colours)).max() < 64


def test_a_gif_decodes_to_the_frames(tmp_path: Path, qtbot: QtBot) -> None:
    story = short_talk()
    done = export_story(story, tmp_path / "talk.gif", SMALL)
    show = show_of(story, SMALL)
    painted = spans(show.starts, story.story.keyframes, done.fps)
    reader = QImageReader(str(tmp_path / "talk.gif"))
    assert 2 < reader.imageCount() <= len(painted) and reader.loopCount() == -1
    shown: list[np.ndarray] = []  # one for each frame of the story: pictures that are equal are stored as one
    for _ in range(reader.imageCount()):
        seen = pixels_of(reader.read())
        assert reader.nextImageDelay() % 200 == 0
        shown += [seen] * (reader.nextImageDelay() // 200)
    assert len(shown) == done.count == 8 == sum(span.frames for span in painted)
    for span in painted:
        wanted = channels(pixels_of(show.image(span.seconds)))
        for seen in shown[: span.frames]:
            assert np.abs(channels(seen) - wanted).mean() < 2.0
        del shown[: span.frames]
    again = tmp_path / "again.gif"
    export_story(story, again, SMALL)
    assert again.read_bytes() == (tmp_path / "talk.gif").read_bytes()


class Square:
    """A show of a square of two colours that jumps along every second."""

    starts, duration = [0.0], 3.0

    def paint(self, painter: QPainter, seconds: float) -> None:
        painter.fillRect(0, 0, 64, 48, QColor("#f7f9fb"))
        for width, colour in ((8, "#3b6db8"), (4, "#b4443d")):
            painter.fillRect(10 + 4 * int(seconds), 20, width, 6, QColor(colour))

    def image(self, seconds: float, ratio: float = 1.0) -> QImage:
        image = QImage(64, 48, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        self.paint(painter, seconds)
        painter.end()
        return image


def test_of_each_frame_a_gif_has_only_what_changed(tmp_path: Path, qtbot: QtBot) -> None:
    frames = [Span(0.0, 3), Span(0.5, 2), Span(1.0, 1), Span(2.0, 700)]
    path = tmp_path / "a.gif"
    assert export_gif.write_gif(Square(), frames, path, 12.5, lambda done, of: None) == path.stat().st_size
    reader = QImageReader(str(path))
    for seconds, delay in ((0.0, 400), (1.0, 80), (2.0, 56_000)):  # the second picture is like the first
        assert np.array_equal(pixels_of(reader.read()), pixels_of(Square().image(seconds)))
        assert reader.nextImageDelay() == delay
    assert not reader.canRead()
    with Image.open(path) as file:
        assert isinstance(file, GifImageFile)
        boxes = []
        for i in range(file.n_frames):
            file.seek(i)
            boxes.append(tuple(file.tile[0].extents or ()))
        assert boxes == [(0, 0, 64, 48), (10, 20, 22, 26), (14, 20, 26, 26)]


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
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(StageboardError, match=r"pip install imageio-ffmpeg"):
        export.check_place(tmp_path / "a.mp4")


def test_the_systems_ffmpeg_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    assert export_video.ffmpeg() == "/usr/bin/ffmpeg"


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


def test_a_gif_is_cancelled_while_it_is_written(tmp_path: Path, qtbot: QtBot) -> None:
    told: list[tuple[int, int]] = []
    with pytest.raises(Cancelled):
        export_story(
            short_talk(), tmp_path / "a.gif", SMALL, lambda done, of: told.append((done, of)),
            lambda: len(told) > 2 and told[-1][0] == told[-1][1],
        )  # fmt: skip
    assert told[-1][0] == told[-1][1]  # all was painted
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
    parser = Parser(Command("present", "", "gui.app.present"))
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
    with pytest.raises(StageboardError, match="leave out -o"):
        command("edge-tpu", "--notes", "-o", str(tmp_path / "a.pdf"))
    with pytest.raises(StageboardError, match="frames per second"):
        command("edge-tpu", "-o", str(tmp_path / "a.mp4"), "--fps", "0")
    with pytest.raises(StageboardError, match="no folder"):
        command("edge-tpu", "-o", str(tmp_path / "no" / "a.pdf"))


def test_ctrl_c_ends_the_command_between_two_pictures(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    began: list[str] = []

    def progress(console: Console, text: str) -> None:
        began.append(text)
        if len(began) == 2:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Console, "progress", progress)
    with pytest.raises(KeyboardInterrupt):
        command("edge-tpu", "-o", str(tmp_path / "pictures"), "--size", "320x200")
    assert 2 <= len(began) < 5 and not list(tmp_path.iterdir())


def test_a_sentence_says_what_was_written() -> None:
    done = Exported(Path("a.mp4"), by_suffix[".mp4"], (1920, 1080), 600, 30.0, 20.0, 5_000_000)
    assert done.sentence == "wrote a.mp4 (20.0 s, 1920 x 1080, 30 frames/s, 5.0 MB)"
