"""What a crash would lose of a story: its keyframes with their plans beside the journals, and models that are in no file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from gui.document import autosave
from gui.document.autosave import Lost, read_head
from gui.document.crash_files import Damaged, left_behind
from gui.look.numbers import plural
from gui.tools.story.draft import Draft, named, story_of
from gui.tools.story.frames import ModelSource, Shown
from planner.errors import StageboardError, StoryError
from planner.files import parse_json, read_text, to_json, write_atomically
from planner.model.graph import Graph
from planner.story.files.json import LIMIT, from_dict, to_dict
from planner.story.story import Resolved
from planner.story.subject import StoryModel, StoryPlan
from planner.typed_json import typed

if TYPE_CHECKING:
    from planner.model.network import Network

VERSION = 1


class DraftAutosave(autosave.Autosave):
    """Keeps the draft of a window while it is not saved, a moment after each change."""

    kind = "story"
    refused = "the story cannot be kept for a crash ({}); save it often"

    def __init__(self, draft: Draft, where: Path | None = None) -> None:
        super().__init__(draft, where)
        self._draft = draft
        self._packed: WeakKeyDictionary[Shown, StoryPlan] = WeakKeyDictionary()
        draft.frames_changed.connect(self.soon)
        draft.modified_changed.connect(lambda modified: None if modified else self.discard())

    def _moment(self) -> object:
        draft = self._draft
        return (draft.state, draft.path) if draft.modified and draft.frames else None

    def _writer(self) -> Callable[[Path], Mapping[str, Any]]:
        state, saved, packed = self._draft.state, self._draft.path, self._packed

        def write(path: Path) -> Mapping[str, Any]:
            story, sources, _ = story_of(state, named, packed)
            files = [_files(source, path) for source in sources]
            head = {
                "story": VERSION, "name": story.title, "keyframes": len(story.keyframes),
                "models": [str(file) for of_one in files for file in of_one],
                "saved": None if saved is None else str(saved),
            }  # fmt: skip
            whole = {"story": to_dict(story), "files": [[str(file) for file in of_one] for of_one in files]}
            text = to_json(whole)
            if len(text) > LIMIT:
                raise StoryError("it is too large")
            write_atomically(path.with_suffix(".json"), text)
            return head

        return write


def _files(source: ModelSource, head: Path) -> tuple[Path, ...]:
    """What a model can be read from again; one that is in no file is written beside ``head``, once."""
    if source.paths or source.generate:
        return source.paths
    from planner.formats.graphs import stageboard_json
    from planner.formats.networks.npz import write_network

    model = source.model
    is_graph = isinstance(model, Graph)
    file = head.with_suffix(f".{model.fingerprint[:16]}.{'json' if is_graph else 'npz'}")
    if not file.exists():
        if isinstance(model, Graph):
            write_atomically(file, to_json(stageboard_json.to_dict(model)))
        else:
            write_network(model, file)
    return (file,)


# ---------------------------------------------------------------------- recovery
@dataclass(frozen=True)
class LostStory(Lost):
    """A story that a process left behind that ended without closing its window."""

    keyframes: int

    @property
    def contents(self) -> str:
        """What was not saved, in words."""
        return f"the story with its {plural(self.keyframes, 'keyframe')}"

    @property
    def recoverable(self) -> str:
        """What can be recovered, in words."""
        return f"the story with its {plural(self.keyframes, 'keyframe')}"

    @property
    def plans(self) -> Path:
        """The story itself."""
        return self.path.with_suffix(".json")


def lost_stories(where: Path | None = None, damaged: list[Path] | None = None) -> list[LostStory]:
    """Stories that a crash left behind, the latest first. ``damaged`` ones are kept (:func:`left_behind`)."""
    return left_behind("story", _read, where, damaged)


def _read(path: Path) -> LostStory | None:
    """What a head says; None where no story lies beside it. Raises :class:`Damaged`."""
    try:
        head = read_head(path, "story", VERSION)
        saved = head["saved"]
        lost = LostStory(
            path, str(head["name"]), tuple(Path(str(model)) for model in head["models"]),
            None if saved is None else Path(str(saved)), float(head["time"]), int(head["keyframes"]),
        )  # fmt: skip
    except (OSError, ValueError, OverflowError, KeyError, TypeError, RecursionError, StageboardError):
        raise Damaged from None
    return lost if lost.plans.is_file() else None


def prepare(lost: LostStory) -> tuple[Resolved, list[ModelSource]]:
    """Read the models again and evaluate the story's plans. Raises :class:`StageboardError`; may take a while."""
    from planner.story.files.plans import resolve_with

    what = "what a crash left of the story"
    data = parse_json(read_text(lost.plans, LIMIT, error=StoryError), lost.name, StoryError)
    data = typed(data, dict[str, Any], what, StoryError)
    # It is our own record: what was proven is proven, and what a file claimed is a claim.
    story = from_dict(data.get("story"), what, "")
    files = typed(data.get("files"), list[list[str]], what, StoryError)
    given = iter(lost.models)
    if sum(map(len, files)) == len(lost.models):  # a model may have been located elsewhere
        files = [[str(next(given)) for _ in of_one] for of_one in files]
    sources: list[ModelSource] = []
    for number, (model, paths) in enumerate(zip(story.models, files, strict=True)):
        of_orders = any(plan.is_order for plan in story.plans if plan.model == number)
        places = tuple(map(Path, paths))
        found = _model(lost, model, places, of_orders)
        beside = any(place.parent == lost.path.parent for place in places)
        sources.append(
            ModelSource(found, () if beside else places, model.batch, model.density, model.generate)
        )
    return resolve_with(story, [source.model for source in sources]), sources


def _model(lost: LostStory, model: StoryModel, places: Sequence[Path], of_orders: bool) -> Graph | Network:
    """The model as a story that is opened finds it. Raises :class:`StageboardError`."""
    from planner.formats import read_models
    from planner.formats.networks.read import read_network
    from planner.story.files.models import read_story_model

    if model.generate:
        return read_story_model(model, lost.path.parent, (), of_orders)
    if of_orders:
        found: Graph | Network = read_network(places, model.density)
    else:
        found = read_models(places, batch=model.batch, precision=model.precision)
    if found.fingerprint != model.fingerprint:
        raise StoryError(
            f"{found.name} has changed since the story was kept, or is another model; locate or put back the old file, or discard the story"
        )
    return found
