"""MP4 by ffmpeg: H.264 with 4:2:0 colours at a constant rate, its index first so that it plays while it loads.

Frames go through a pipe as they are painted, to a process that encodes them meanwhile; a keyframe that is held is
painted once.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from gui.present.frames import Painted, Span, pixels_of
from planner.errors import StageboardError
from planner.files import placing

QUALITY = 18
"""x264's constant rate factor: fine text and lines stay clean."""
GRACE_SECONDS = 60.0
"""How long ffmpeg may take to end the file after its last frame."""
MISSING = (
    "MP4 files need ffmpeg, which is not installed; install it with your system's packages, or run"
    ' "pip install imageio-ffmpeg", or write .gif or .html'
)

Progress = Callable[[int, int], None]


def ffmpeg() -> str:
    """The program: the system's, else the one that imageio-ffmpeg brings. Raises :class:`StageboardError` where there is none."""
    if installed := shutil.which("ffmpeg"):
        return installed
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError:
        raise StageboardError(MISSING) from None
    try:
        return str(get_ffmpeg_exe())
    except RuntimeError:
        raise StageboardError(MISSING) from None


def write_video(
    show: Painted,
    frames: Sequence[Span],
    size: tuple[int, int],
    path: Path,
    fps: float,
    title: str,
    progress: Progress,
) -> int:
    """Write ``frames`` of an even ``size`` (width, height) and return the file's bytes.

    ``progress(done, of)`` is told of each picture, and may raise to stop. Raises :class:`StageboardError` where ffmpeg is
    missing or fails.
    """
    program = ffmpeg()
    with placing(path) as temporary, tempfile.TemporaryFile() as complaints:
        encoder = subprocess.Popen(
            _arguments(program, size, temporary, fps, title), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=complaints, start_new_session=True,  # Ctrl-C is for us, who then end it
        )  # fmt: skip
        try:
            assert encoder.stdin is not None
            try:
                for i, span in enumerate(frames):
                    data = pixels_of(show.image(span.seconds)).tobytes()
                    for _ in range(span.frames):
                        encoder.stdin.write(data)
                    progress(i + 1, len(frames))
                encoder.stdin.close()
            except BrokenPipeError:
                pass  # it has ended, and says why below
            if encoder.wait(GRACE_SECONDS) != 0:
                raise StageboardError(f"{path} cannot be written: ffmpeg says {_last_line(complaints)!r}")
            # Some versions of ffmpeg end well although the disk refused the end of the file.
            if not is_whole(temporary):
                raise StageboardError(
                    f"{path} cannot be written: ffmpeg did not end it ({_last_line(complaints)}); nothing was changed,"
                    " choose another place"
                )
        finally:
            if encoder.poll() is None:
                encoder.kill()
                encoder.wait()
            if encoder.stdin is not None and not encoder.stdin.closed:
                with contextlib.suppress(BrokenPipeError):
                    encoder.stdin.close()
    return path.stat().st_size


def _arguments(program: str, size: tuple[int, int], path: Path, fps: float, title: str) -> list[str]:
    # "tune animation" is for flat areas and lines. Bit-exact: nothing of the time or the machine goes into the file.
    return [
        program, "-y", "-v", "error", "-nostdin", "-f", "rawvideo", "-pix_fmt", "bgr0",
        "-s", f"{size[0]}x{size[1]}", "-r", f"{fps:g}", "-i", "pipe:0", "-an",
        "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
        "-c:v", "libx264", "-preset", "veryfast", "-tune", "animation", "-crf", str(QUALITY), "-threads", "2",
        "-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709", "-color_range", "tv",
        "-metadata", f"title={title}", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-movflags", "+faststart",
        "-f", "mp4", str(path),
    ]  # fmt: skip


def is_whole(path: Path) -> bool:
    """Whether an MP4 file has its index and all of its pictures: its boxes (ISO/IEC 14496-12, 4.2) fill it to its end."""
    kinds, at, size = set(), 0, path.stat().st_size
    with path.open("rb") as file:
        while at < size:
            file.seek(at)
            head = file.read(16)
            length = int.from_bytes(head[:4], "big")
            if length == 1:  # too large for 32 bits
                length = int.from_bytes(head[8:], "big")
            if length < 8 or len(head) < 8:
                return False
            kinds.add(head[4:8])
            at += length
    return at == size and {b"ftyp", b"moov", b"mdat"} <= kinds


def _last_line(file: IO[bytes]) -> str:
    file.seek(0)
    lines = file.read().decode("utf-8", "replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "nothing")[:300]
