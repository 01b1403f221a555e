"""What a story is about: its models, and plans of them as a story holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from planner.errors import StoryError
from planner.model.precision import FILE, checked
from planner.story.checks import check_real, check_text, check_whole

MOST_MODELS = 16
MOST_PLANS = 64
SAMPLE = "sample:"
"""What the path of a model begins with that Stageboard brings along."""


@dataclass(frozen=True)
class StoryModel:
    """A model of a story: files (several are deployed together), or the words that generate it.

    ``paths`` are relative to the story's file and stay inside its folder, or name a sample: ``sample:resnet50.json``.
    ``generate`` is a kind with its settings, as in ``mlp seed=3 width=100``, in place of files. ``fingerprint`` is that of the
    graph or network; ``batch`` binds the symbolic dimension of graphs, and ``precision`` says how many bytes their numbers take; ``density`` prunes networks.
    Raises :class:`StoryError`.
    """

    paths: tuple[str, ...]
    fingerprint: str
    batch: int = 1
    density: float | None = None
    generate: str = ""
    precision: str = FILE

    def __post_init__(self) -> None:
        if bool(self.paths) == bool(self.generate):
            raise StoryError(
                "a model of a story needs either its files or how it is generated; give one of the two"
            )
        if len(self.paths) > MOST_MODELS:
            raise StoryError(f"a model of a story has {len(self.paths)} files; at most {MOST_MODELS} go together")  # fmt: skip
        for path in self.paths:
            check_path(path)
        check_text(self.fingerprint, "the fingerprint of a model", 128)
        if self.generate:
            check_text(self.generate, "what generates a model", 500)
        check_whole(self.batch, "the batch of a model", 1, 1_000_000)
        checked(self.precision, StoryError)
        if self.density is not None:
            check_real(self.density, "the density of a model", 0.0, 1.0)
            if self.density == 0.0:
                raise StoryError("the density of a model is 0; it must be above 0 and at most 1")

    @property
    def name(self) -> str:
        """What sentences call it: its files, or its kind."""
        names = [path.removeprefix(SAMPLE).rpartition("/")[2] for path in self.paths]
        return " and ".join(names) or self.generate


@dataclass(frozen=True)
class StoryPlan:
    """A plan of one of the story's models: the JSON object of a plan file, packed or not.

    :func:`planner.story.files.plans.pack` makes it from a plan. Equal by content. Raises :class:`StoryError`.
    """

    model: int
    data: Mapping[str, Any] = field(hash=False)

    def __post_init__(self) -> None:
        check_whole(self.model, "the model of a plan", 0, MOST_MODELS)
        if not isinstance(self.data, Mapping) or not isinstance(self.data.get("decision"), Mapping):
            raise StoryError("a plan of the story has no decision; save the plan and the story again")

    @property
    def name(self) -> str:
        """The plan's name; empty where it has none."""
        name = self.data.get("name")
        return name if isinstance(name, str) else ""

    @property
    def is_order(self) -> bool:
        """Whether it orders the connections of a sparse network."""
        return bool(self.data["decision"].get("kind") == "connection-order")


def check_path(path: str) -> None:
    """Refuse a model's path that leaves the story's folder. Raises :class:`StoryError`."""
    check_text(path, "the path of a model", 1024)
    if path.startswith(SAMPLE):
        name = path.removeprefix(SAMPLE)
        if not name or "/" in name or "\\" in name or name.startswith(".") or ":" in name:
            raise StoryError(f"'{path}' names no sample model; write it as {SAMPLE}resnet50.json")
        return
    parts = path.split("/")
    if "\\" in path or ":" in path or path.startswith(("/", "~")) or any(p in ("", ".", "..") for p in parts):
        raise StoryError(
            f"the story names the model '{path}', which is not inside the story's folder; put the model beside the story"
            f" and name it relative to that folder, with '/' between folders"
        )
