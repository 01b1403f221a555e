"""What can be read in the window: the glossary, a page for each panel, and the documentation, all from the folder ``docs``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from planner.errors import StageboardError
from planner.model.samples import DOCS

GLOSSARY, PANELS, DOCUMENTATION = "Glossary", "Panels", "Documentation"
GROUPS = (GLOSSARY, PANELS, DOCUMENTATION)
SHARED = ("In the window of a network", "In the window of a graph")
"""Where panels stand that other editors have, too."""
SPLIT = ((GLOSSARY, "glossary.md"), (PANELS, "panels.md"))
"""Files that are read part by part: each heading of the third level is a page."""
_INDEX = re.compile(r"^\| \[([^\]]+)\]\(([\w-]+\.md)\) \| (.*) \|$", re.MULTILINE)
"""A line of the tables of pages in ``index.md``: title, file, what is in it."""
_PICTURE = re.compile(r"!\[[^\]]*\]\((images/[^)]+)\)")


@dataclass(frozen=True)
class HelpPage:
    """One page: ``part`` is the heading that it stands under, ``words`` what a search looks at beside the title."""

    group: str
    title: str
    file: str
    part: str = ""
    words: str = ""
    markdown: str = ""
    """The text; empty: all of ``file``."""

    @property
    def heading(self) -> str:
        """What stands above it in a list: panels of one name are told apart by their window."""
        return self.part if self.group == PANELS else self.group

    def text(self) -> str:
        """The page as Markdown, with those of its pictures that are there. Raises :class:`StageboardError` where its file is gone."""
        text = self.markdown or read(DOCS / self.file)
        # An installed Stageboard brings the pages without their pictures.
        return _PICTURE.sub(lambda picture: picture[0] if (DOCS / picture[1]).is_file() else "", text)

    def matches(self, words: str) -> bool:
        """Whether each word is in the title or in what the page says."""
        text = f"{self.title} {self.words}".casefold()
        return all(word in text for word in words.casefold().split())


def read(path: Path) -> str:
    """A file of the documentation. Raises :class:`StageboardError`."""
    try:
        return path.read_text("utf-8")
    except OSError:
        raise StageboardError(
            f"{path.name} of the documentation is not beside the program; install Stageboard again"
        ) from None


@cache
def help_pages() -> tuple[HelpPage, ...]:
    """Every page, in the order of :data:`GROUPS`. Raises :class:`StageboardError` where the documentation is missing."""
    pages = [page for group, file in SPLIT for page in parts_of(group, file, read(DOCS / file))]
    index = _INDEX.findall(read(DOCS / "index.md"))
    pages += [HelpPage(DOCUMENTATION, title, file, words=remark) for title, file, remark in index]
    return tuple(pages)


def parts_of(group: str, file: str, text: str) -> Iterator[HelpPage]:
    """The parts of a file: what follows each heading of the third level."""
    for section in text.split("\n## ")[1:]:
        head, *parts = section.split("\n### ")
        heading = head.split("\n")[0].strip()
        bodies = {title.strip(): body for title, _, body in (part.partition("\n") for part in parts)}
        for title, body in bodies.items():
            others = " · ".join(f"[{other}](#{slug(other)})" for other in bodies if other != title)
            shown = f"## {title}\n\n{body.strip()}\n\n---\n\n**{heading}:** {others}\n"
            yield HelpPage(group, title, file, heading, body.replace("*", ""), shown)


def found(words: str) -> list[HelpPage]:
    """The pages that match: under each heading those first whose title begins so, then those with the words in the title."""
    pages = [page for page in help_pages() if page.matches(words)]
    first = words.strip().casefold()
    headings = list(dict.fromkeys(page.heading for page in pages))

    def rank(page: HelpPage) -> tuple[int, int]:
        title = page.title.casefold()
        return headings.index(page.heading), 0 if title.startswith(first) else 1 if first in title else 2

    return sorted(pages, key=rank)


def panel_page(sections: Sequence[str], title: str) -> HelpPage:
    """The page of the panel ``title``, in the first of ``sections`` that has one. Raises :class:`StageboardError`."""
    for section in sections:
        for page in help_pages():
            if page.group == PANELS and page.part == section and page.title.casefold() == title.casefold():
                return page
    raise StageboardError(f"there is no page about the panel {title}")


def page_of_file(file: str, anchor: str = "", part: str = "") -> HelpPage | None:
    """Where a link within the documentation leads: to what ``anchor`` names, in ``part`` before others, or to the whole file."""
    pages = [page for page in help_pages() if page.file == file]
    named = [page for page in pages if page.markdown and slug(page.title) == anchor]
    named.sort(key=lambda page: page.part != part)
    return next(iter([*named, *(page for page in pages if not page.markdown)]), None)


def slug(heading: str) -> str:
    """A heading as links name it."""
    return re.sub(r"[^\w -]", "", heading.casefold()).strip().replace(" ", "-")
