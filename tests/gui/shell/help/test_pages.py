"""What there is to read: every panel has a page, every method and machine its words, and all that is linked is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.shell.help import pages
from gui.shell.help.pages import (
    DOCUMENTATION,
    GLOSSARY,
    PANELS,
    SHARED,
    found,
    help_pages,
    page_of_file,
    panel_page,
    slug,
)
from planner.errors import StageboardError
from planner.machines.catalogue import bound_methods, planners
from planner.machines.spec import kinds
from planner.model.samples import DOCS
from tests.gui.editors.test_actions import EDITORS, window_of

TERMS = {page.title for page in help_pages() if page.group == GLOSSARY}
GLOSSED = "\n".join(
    f"{page.title} {page.words}" for page in help_pages() if page.group == GLOSSARY
).casefold()
EVERYDAY = {"one", "random", "max"}
"""Capitalised or spelt like names, but plain English."""


@pytest.mark.parametrize("editor", EDITORS)
def test_every_panel_of_every_editor_has_a_page_and_so_has_its_middle(editor: str, qtbot: QtBot) -> None:
    with window_of(editor, qtbot) as window:
        sections = (window.manual[0], *SHARED)
        for title in (window.manual[1], *window.docks.titles.values()):
            page = panel_page(sections, title)
            assert len(page.markdown) > 60 and page.title.casefold() == title.casefold()
    with pytest.raises(StageboardError, match="no page about"):
        panel_page(sections, "Nothing")


def test_the_glossary_has_what_people_ask_for() -> None:
    wanted = {
        "slice", "ideal", "MTPP", "superblock", "BRKGA", "MLA", "gap", "lower bound", "bottleneck", "triangle rule",
        "streaming", "contiguous", "gpipe", "1F1B", "annealing", "optimal", "Theorem 1", "schedule", "claim",
    }  # fmt: skip
    assert not wanted - TERMS
    assert len(TERMS) == sum(page.group == GLOSSARY for page in help_pages())


@pytest.mark.parametrize("method", [*planners().values(), *bound_methods().values()], ids=lambda m: m.name)
def test_abbreviations_of_methods_are_explained(method: object) -> None:
    """MTPP, DP, MIP, CP-SAT ...: whatever is written in capitals in a title or a summary."""
    said = f"{method.title} {method.summary}"  # type: ignore[attr-defined]
    for word in re.findall(r"\b[A-Z][A-Z-]+[A-Z]\b", said):
        assert re.search(rf"\b{re.escape(word.casefold())}\b", GLOSSED), word


def test_machines_rules_and_objectives_are_explained() -> None:
    for cls in kinds().values():
        assert any(
            word in GLOSSED
            for word in (cls.title.casefold(), cls.title.casefold().removeprefix("device "), "fast memory")
        ), cls.title
    for word in (
        "bottleneck",
        "max-load",
        "latency",
        "throughput",
        "order",
        "contiguous",
        "triangle rule",
        "colocation",
    ):
        assert word in TERMS


def test_pages_of_the_documentation_are_those_of_the_index() -> None:
    listed = {page.file for page in help_pages() if page.group == DOCUMENTATION}
    assert listed == {path.name for path in DOCS.glob("*.md")} - {"index.md"}
    assert all(len(page.text()) > 200 for page in help_pages() if page.group == DOCUMENTATION)


def test_links_lead_to_pages() -> None:
    for page in help_pages():
        if page.markdown:
            for target in re.findall(r"\]\(([^)]+)\)", page.markdown):
                file, _, anchor = target.partition("#")
                led = page_of_file(file or page.file, anchor, page.part)
                assert led is not None and (file or slug(led.title) == anchor), (page.title, target)


def test_a_search_finds_by_title_first_and_by_text() -> None:
    assert found("gap")[0].title == "gap"
    assert found("temperature")[0].title == "annealing"
    assert {page.group for page in found("race")} == {GLOSSARY, PANELS, DOCUMENTATION}
    assert found("no such word anywhere") == []


def test_panels_of_one_name_are_told_apart() -> None:
    graph, other = (
        panel_page((part,), "Devices") for part in ("In the window of a graph", "In a comparison")
    )
    assert graph != other and graph.heading != other.heading
    assert page_of_file("panels.md", "devices", other.part) == other
    assert page_of_file("panels.md", "devices", graph.part) == graph
    assert page_of_file("no-such-page.md") is None


def test_without_the_documentation_a_sentence_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "DOCS", tmp_path)
    with pytest.raises(StageboardError, match=r"glossary.md of the documentation is not beside the program"):
        help_pages.__wrapped__()
