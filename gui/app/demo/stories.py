"""Stories without a window: a picture of each keyframe, the plans, the certificate of the last one, and a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui.app.tour.tour import Figures
from gui.present.export.place import slug
from planner.errors import StageboardError
from planner.files import to_json, write_atomically
from planner.model import samples

if TYPE_CHECKING:
    from gui.app.demo.report import Told
    from planner.cli.command import Console
    from planner.story.story import Resolved, Story

SUFFIX = ".story.json"
SIZE = (1280, 800)


@dataclass(frozen=True)
class Listed:
    """A story that Stageboard brings along."""

    name: str
    path: Path
    story: Story


def shipped() -> list[Listed]:
    """The stories in ``assets/stories``, by name. Raises :class:`StageboardError` where there are none."""
    from planner.story.files.json import read_story

    files = sorted(samples.STORIES.glob("*" + SUFFIX))
    if not files:
        raise StageboardError(f"there are no stories in {samples.STORIES}; install Stageboard again")
    return [Listed(file.name.removesuffix(SUFFIX), file, read_story(file)) for file in files]


def list_stories(console: Console) -> None:
    """Print what there is to play."""
    found = shipped()
    data = {
        "stories": [
            {
                "name": entry.name,
                "title": entry.story.title,
                "summary": entry.story.summary,
                "seconds": round(entry.story.duration, 3),
                "keyframes": len(entry.story.keyframes),
                "models": [model.name for model in entry.story.models],
                "file": str(entry.path),
            }
            for entry in found
        ]
    }

    def text() -> str:
        width = max(len(entry.name) for entry in found)
        lines = ["Stories (stageboard demo NAME)", ""]
        for entry in found:
            about = " and ".join(model.name for model in entry.story.models)
            plays = f"{entry.story.duration:.0f} s, {len(entry.story.keyframes)} keyframes"
            lines.append(f"  {entry.name.ljust(width)}  {entry.story.title} ({about}; {plays})")
        return "\n".join(lines)

    console.result(data, text)


# ---------------------------------------------------------------------- playing without a window
@dataclass(frozen=True)
class Played:
    """What a story left: its files, and the fields that are printed."""

    files: tuple[Path, ...]
    data: dict[str, Any]


def play(
    path: Path,
    out: Path,
    console: Console,
    *,
    name: str = "",
    size: tuple[int, int] = SIZE,
    theme: str = "",
    given: Sequence[Path] = (),
) -> Played:
    """Play the story in ``path`` into the folder ``out``; same story, same bytes.

    ``theme`` is the story's own unless named; ``given`` are model files that stand in for those not found. Needs a
    ``QApplication``. Raises :class:`StageboardError`.
    """
    from gui.look.drawn import encoded
    from gui.look.theme import THEMES
    from gui.present.show import Show
    from planner.story.files.json import read_story
    from planner.story.files.plans import resolve
    from planner.story.proving import prove_story

    name = name or path.name.removesuffix(SUFFIX)
    story = read_story(path)
    console.progress(f"{name}: evaluating {len(story.plans)} plans")
    resolved = prove_story(resolve(story, path.parent, given))
    for note in resolved.notes:
        console.note(f"{path.name}: {note}")
    out.mkdir(parents=True, exist_ok=True)
    show = Show(resolved, THEMES[theme or story.theme], size)
    show.reduced_motion = True
    pictures: list[Path] = []
    for i, keyframe in enumerate(story.keyframes):
        console.progress(f"{name}: keyframe {i + 1}/{show.count}")
        file = out / f"{i + 1:02d}-{slug(keyframe.title or keyframe.view) or 'keyframe'}.png"
        image = show.image(show.starts[i] + keyframe.transition + keyframe.hold / 2)
        pictures.append(write_atomically(file, encoded(image)))
    plans = _plans(resolved, out)
    proof, words = _certificate(resolved, out)
    report = _report(resolved, out, pictures, words)
    files = (*pictures, *plans, *proof, report)
    return Played(files, _data(name, resolved, out, files))


def _plans(resolved: Resolved, out: Path) -> list[Path]:
    """The story's plans as plan files that any command reads."""
    from planner.plan_files.plan_json import write_plan

    files = []
    for number, (plan, bounds) in enumerate(zip(resolved.plans, resolved.bounds, strict=True), 1):
        file = out / f"plan-{number:02d}-{slug(plan.name) or 'plan'}.plan.json"
        files.append(write_plan(file, plan, bounds))
    return files


def _certificate(resolved: Resolved, out: Path) -> tuple[list[Path], str]:
    """(files, text) of the certificate of the last keyframe's plan."""
    from planner.reports.certificate.certificate import certificate, to_dict
    from planner.reports.certificate.text import certificate_text

    last = resolved.story.keyframes[-1].plan
    certified = certificate(resolved.plans[last], resolved.bounds[last])
    words = certificate_text(certified)
    return [
        write_atomically(out / "certificate.json", to_json(to_dict(certified))),
        write_atomically(out / "certificate.txt", words if words.endswith("\n") else words + "\n"),
    ], words


def _report(resolved: Resolved, out: Path, pictures: Sequence[Path], certificate: str) -> Path:
    from gui.app.demo.report import Told, write_report

    told: list[Told] = []
    for i, (keyframe, picture) in enumerate(zip(resolved.story.keyframes, pictures, strict=True)):
        shown = ((picture.name, f"Keyframe {i + 1}: {keyframe.title}"),)
        told.append(Told(keyframe.title, keyframe.caption, figures_of(resolved, i), shown))
    return write_report(
        out / "report.html",
        told,
        title=resolved.story.title,
        summary=resolved.story.summary,
        certificate=certificate,
    )


def figures_of(resolved: Resolved, index: int) -> Figures:
    """What is known of the plan of a keyframe: of the first component that is not proven, or of the first."""
    from planner.story.telling import weighed

    at = resolved.story.keyframes[index].plan
    plan, bounds = resolved.plans[at], resolved.bounds[at]
    part = weighed(plan, bounds)
    valid = plan.evaluation.valid
    bound = part.bound.value if part.bound is not None and valid else None
    gap = part.gap if valid else None
    return Figures(part.value, bound, gap, valid, plan.problem.unit(part.name), part.name)


def _data(name: str, resolved: Resolved, out: Path, files: Sequence[Path]) -> dict[str, Any]:
    story = resolved.story
    steps = []
    for i, keyframe in enumerate(story.keyframes):
        figures = figures_of(resolved, i)
        steps.append(
            {
                "title": keyframe.title,
                "caption": keyframe.caption,
                "view": keyframe.view,
                "objective_name": figures.name,
                "objective": figures.objective,
                "lower_bound": figures.bound,
                "gap": figures.gap,
                "valid": figures.valid,
            }
        )
    return {
        "name": name,
        "title": story.title,
        "duration": round(story.duration, 3),
        "report": str(out / "report.html"),
        "files": [str(file) for file in files],
        "notes": list(resolved.notes),
        "steps": steps,
    }
