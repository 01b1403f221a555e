"""Stories as files: slides (PDF, PPTX), animations (GIF, MP4), a page that plays by itself (HTML), or a folder of pictures (SVG, PNG)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gui.present.frames import Span, held_at, spans
from planner.errors import StageboardError
from planner.export.stages.child import Cancelled
from planner.story.story import Resolved

if TYPE_CHECKING:
    from gui.present.show import Show
    from planner.story.keyframe import Keyframe

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Format:
    """What a story can be written as. ``size`` (width, height in pixels) and ``fps`` are those that are usual for it."""

    suffix: str
    title: str
    words: str
    size: tuple[int, int]
    fps: float = 0.0


FORMATS = (
    Format(".pdf", "PDF Slides", "slides, one for each keyframe", (1280, 720)),
    Format(".pptx", "PowerPoint Slides", "slides, their words as text", (1280, 720)),
    Format(".html", "Web Page", "one page that plays in any browser", (1280, 800)),
    Format(".mp4", "MP4 Video", "a video", (1920, 1080), 30.0),
    Format(".gif", "Animated GIF", "an animation", (960, 600), 12.5),
    Format(".svg", "SVG Slides", "a folder of slides as drawings, one for each keyframe", (1280, 720)),
    Format("", "PNG Pictures", "a folder of pictures, one for each keyframe", (1920, 1080)),
)
"""What a story can be written as; the last two are folders."""
FOLDERS = (".svg", "")
SLIDES = (".pdf", ".pptx", ".svg")
"""What ends with certificates."""

SMALLEST, LARGEST = 160, 7680
"""Limits of a frame's width and height in pixels."""
LARGEST_GIF = (1280, 800)
FASTEST = 60.0
MOST_GIF_FRAMES = 1500
"""Pictures of a GIF that differ: more would be a file that nothing shows smoothly, and all are held while it is written."""


@dataclass(frozen=True)
class ExportOptions:
    """``size`` None and ``fps`` 0: what is usual for the format. ``theme`` empty: the story's own (HTML: the reader's)."""

    size: tuple[int, int] | None = None
    fps: float = 0.0
    theme: str = ""
    reduced_motion: bool = False


USUAL = ExportOptions()


@dataclass(frozen=True)
class Exported:
    """What was written: ``count`` slides, frames or pictures of ``size``, ``seconds`` of story, ``bytes`` of file.

    ``notes`` are sentences on what was done otherwise than asked; ``certificates`` says how many of the slides, the last ones, are no
    keyframes of the story.
    """

    path: Path
    format: Format
    size: tuple[int, int]
    count: int
    fps: float
    seconds: float
    bytes: int
    notes: tuple[str, ...] = ()
    certificates: int = 0

    @property
    def sentence(self) -> str:
        """What was written, in words."""
        width, height = self.size
        shape = f"{width} x {height}"
        certificates = (
            f"the last {self.certificates} certificates"
            if self.certificates > 1
            else "the last a certificate"
        )
        added = f", {certificates}" if self.certificates else ""
        what = {
            ".pdf": f"{self.count} slides{added}",
            ".pptx": f"{self.count} slides{added}",
            ".svg": f"{self.count} slides as SVG{added}",
            ".html": f"{self.count} keyframes, one page",
            "": f"{self.count} pictures, {shape}",
        }.get(self.format.suffix, f"{self.seconds:.1f} s, {shape}, {self.fps:g} frames/s")
        return f"wrote {self.path} ({what}, {bytes_text(self.bytes)})"


def bytes_text(size: int) -> str:
    """The size of a file in words."""
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"


def format_of(path: Path) -> Format:
    """The format that the ending of ``path`` names; a name without one is a folder. Raises :class:`StageboardError`."""
    suffix = path.suffix.lower()
    for form in FORMATS:
        if form.suffix == suffix:
            return form
    names = ", ".join(form.suffix for form in FORMATS if form.suffix)
    raise StageboardError(
        f"{path}: stories are written as {names} (.svg: a folder of drawings) or, without an ending, as a folder of PNG pictures; choose one of these"
    )


def place_of(path: Path, form: Format) -> Path:
    """What is written where ``path`` is asked for: itself; of SVG slides a folder, which is called so without the ending."""
    return path.with_suffix("") if form.suffix == ".svg" else path


def check_place(path: Path) -> Format:
    """Refuse a place or a format that cannot be written, before long work begins. Raises :class:`StageboardError`."""
    from gui.present.export.place import check_folder
    from gui.present.export.pptx import check_library
    from gui.present.export.video import ffmpeg
    from planner.cli.inputs import check_output

    form = format_of(path)
    if form.suffix in FOLDERS:
        check_folder(place_of(path, form))
    else:
        check_output(str(path))
    if form.suffix == ".mp4":
        ffmpeg()
    if form.suffix == ".pptx":
        check_library()
    return form


def fitted(form: Format, options: ExportOptions) -> tuple[ExportOptions, tuple[str, ...]]:
    """The options with sizes and rates that the format can have, and sentences on what had to be changed.

    Raises :class:`StageboardError` where they make no sense.
    """
    size, fps, notes = options.size or form.size, options.fps or form.fps, []
    if not all(SMALLEST <= side <= LARGEST for side in size):
        raise StageboardError(
            f"frames of {size[0]} x {size[1]} pixels cannot be written; choose {SMALLEST} to {LARGEST} each way"
        )
    if options.fps and not form.fps:
        notes.append(
            f"{form.title.lower() if form.suffix == '' else form.suffix} has no rate of frames; --fps is left aside"
        )
    if form.fps and not 1.0 <= fps <= FASTEST:
        raise StageboardError(f"{fps:g} frames per second cannot be written; choose 1 to {FASTEST:g}")
    if form.suffix == ".pptx" and size != form.size:
        notes.append("slides of .pptx are 16:9, whatever their size; --size is left aside")
        size = form.size
    if form.suffix == ".mp4":
        even = (size[0] - size[0] % 2, size[1] - size[1] % 2)
        if even != size:
            notes.append(f"videos have even sizes: written at {even[0]} x {even[1]}")
            size = even
    if form.suffix == ".gif":
        from gui.present.export.gif import gif_rate

        shrunk = min(1.0, LARGEST_GIF[0] / size[0], LARGEST_GIF[1] / size[1])
        if shrunk < 1.0:
            size = (round(size[0] * shrunk), round(size[1] * shrunk))
            notes.append(
                f"GIF files of large frames are slow and huge: written at {size[0]} x {size[1]}; an .mp4 can be larger"
            )
        if abs(gif_rate(fps) - fps) > 0.01:
            notes.append(f"GIF frames last whole hundredths of a second: {gif_rate(fps):.4g} frames/s")
        fps = gif_rate(fps)
    return replace(options, size=size, fps=fps if form.fps else 0.0), tuple(notes)


def export_story(
    resolved: Resolved,
    path: Path,
    options: ExportOptions = USUAL,
    progress: Progress | None = None,
    stopped: Callable[[], bool] | None = None,
) -> Exported:
    """Write a story; the ending of ``path`` says as what. Needs a QApplication, no display.

    ``progress(done, of)`` is told as it goes on. Nothing is left where it fails. Raises :class:`StageboardError`, and
    :class:`planner.export.stages.child.Cancelled` soon after ``stopped`` says so.
    """
    form = check_place(path)
    asked, (options, notes) = options, fitted(form, options)
    assert options.size is not None

    def told(done: int, of: int) -> None:
        if stopped is not None and stopped():
            raise Cancelled("the export was cancelled; nothing was written")
        if progress is not None:
            progress(done, of)

    told(0, 1)
    slides = with_certificates(resolved) if form.suffix in SLIDES else resolved
    if form.suffix == ".html":
        from gui.present.html.page import write_html

        size = write_html(resolved, path, asked.theme, told, size=options.size, still=options.reduced_motion)
        count = len(resolved.story.keyframes)
    elif form.suffix in (".pdf", ".svg"):
        size, count = _slides(slides, form, place_of(path, form), options, told)
    elif form.suffix == ".pptx":
        from gui.present.export.pptx import write_pptx

        size = write_pptx(slides, path, options.theme or resolved.story.theme, told)
        count = len(slides.story.keyframes)
    else:
        size, count = _frames(resolved, form, path, options, told)
    place = place_of(path, form)
    added = len(slides.story.keyframes) - len(resolved.story.keyframes)
    return Exported(
        place, form, options.size, count, options.fps, resolved.story.duration, size, notes, added
    )


def show_of(resolved: Resolved, options: ExportOptions) -> Show:
    """The show that is painted. ``options`` have a size."""
    from gui.look.theme import THEMES
    from gui.present.show import Show

    assert options.size is not None
    show = Show(resolved, THEMES[options.theme or resolved.story.theme], options.size)
    show.reduced_motion = options.reduced_motion
    return show


def _frames(
    resolved: Resolved, form: Format, path: Path, options: ExportOptions, progress: Progress
) -> tuple[int, int]:
    """Bytes and count of frames or pictures."""
    assert options.size is not None
    story, show = resolved.story, show_of(resolved, options)
    if not form.suffix:
        from gui.present.export.pictures import write_pictures

        count = len(story.keyframes)
        moments = [held_at(show.starts, story.keyframes, k) for k in range(count)]
        titles = [keyframe.title for keyframe in story.keyframes]
        return write_pictures(show, moments, titles, path, progress), count
    frames: list[Span] = spans(
        show.starts, story.keyframes, options.fps, reduced_motion=options.reduced_motion
    )
    count = sum(span.frames for span in frames)
    if form.suffix == ".gif":
        from gui.present.export.gif import write_gif

        if len(frames) > MOST_GIF_FRAMES:
            raise StageboardError(
                f"{path.name} would have {len(frames):,} pictures, more than the {MOST_GIF_FRAMES:,} that a GIF is good for;"
                " choose fewer --fps, --reduced-motion, or write an .mp4"
            )
        return write_gif(show, frames, path, options.fps, progress), count
    from gui.present.export.video import write_video

    return write_video(show, frames, options.size, path, options.fps, story.title, progress), count


def _slides(
    story: Resolved, form: Format, path: Path, options: ExportOptions, progress: Progress
) -> tuple[int, int]:
    """Bytes and count of slides: pages of a PDF, or drawings in a folder."""
    from gui.present.export.pdf import write_pdf
    from gui.present.export.pictures import write_drawings

    assert options.size is not None
    show = show_of(story, options)
    count = len(story.story.keyframes)

    def page(index: int) -> Callable[..., None]:
        return lambda painter: show.paint_slide(painter, index)

    pages = [page(index) for index in range(count)]
    if form.suffix == ".svg":
        titles = [keyframe.title or "certificate" for keyframe in story.story.keyframes]
        return write_drawings(pages, options.size, titles, path, progress), count
    return write_pdf(pages, options.size, path, story.story.title, progress), count


def with_certificates(resolved: Resolved) -> Resolved:
    """The story with certificates at its end, where it does not end with one: that of the plan of its last problem that is proven optimal,
    or of its last plan where none is; before it those of other models that it tells of, where a plan of theirs is proven and no keyframe is
    its certificate."""
    story = resolved.story
    last = story.keyframes[-1]
    if last.view == "certificate":
        return resolved
    told = {story.plans[k.plan].model: k.plan for k in story.keyframes}
    certified = {story.plans[k.plan].model for k in story.keyframes if k.view == "certificate"}
    certified.add(story.plans[last.plan].model)
    best = [_proven_best(resolved, plan) for model, plan in told.items() if model not in certified]
    numbers = [
        *(number for number in best if _is_proven(resolved, number)),
        _proven_best(resolved, last.plan),
    ]
    pages = [_certificate_of(resolved, number) for number in numbers]
    return replace(resolved, story=replace(story, keyframes=(*story.keyframes, *pages)))


def _certificate_of(resolved: Resolved, number: int) -> Keyframe:
    """A keyframe that is the certificate of a plan of the story."""
    from gui.words.methods import shown_name
    from planner.reports.comparison.figures import own_name
    from planner.story.keyframe import Keyframe
    from planner.story.making import CERTIFICATE, letter_of
    from planner.story.telling import certificate_title

    name = shown_name(own_name(resolved.plans[number]))
    title = certificate_title(name, letter_of(number, resolved.story.keyframes))
    return Keyframe(title, CERTIFICATE, number, "certificate")


def _proven_best(resolved: Resolved, last: int) -> int:
    """The plan that is proven optimal among those that the story shows of the problem of plan ``last``; this one where none is."""
    shown = {i for k in resolved.story.keyframes for i in (k.plan, k.versus, *k.beside) if i >= 0}
    for number in (last, *sorted(shown)):
        if _is_proven(resolved, number) and resolved.plans[number].problem == resolved.plans[last].problem:
            return number
    return last


def _is_proven(resolved: Resolved, number: int) -> bool:
    """Whether a plan of the story is proven optimal."""
    plan, bounds = resolved.plans[number], resolved.bounds[number]
    standing = plan.problem.standing(plan.evaluation.values, bounds)
    return plan.evaluation.valid and standing.status == "optimal"
