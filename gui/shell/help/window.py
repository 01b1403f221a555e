"""The window in which glossary, panels and documentation are read: a list to search in, and the page beside it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QKeyEvent, QPixmap, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSplitter,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gui.look.theme import Theme, font
from gui.shell.help.pages import HelpPage, found, page_of_file, slug
from gui.widgets.offering import offer
from planner.model.samples import DOCS

PAGE = int(Qt.ItemDataRole.UserRole)
SIZE = (860, 600)
LIST_WIDTH = 250
MARGIN = 14


class Reader(QTextBrowser):
    """Shows Markdown; pictures are as wide as there is room at most."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Page")
        self.setOpenLinks(False)
        self.document().setDocumentMargin(MARGIN)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """A picture of the documentation."""
        path = DOCS / QUrl(name).toString()
        if kind != int(QTextDocument.ResourceType.ImageResource.value) or not path.is_file():
            return super().loadResource(kind, name)  # type: ignore[arg-type]
        picture, room = QPixmap(str(path)), max(120, self.viewport().width() - 2 * MARGIN - 4)
        if picture.width() <= room:
            return picture
        return picture.scaledToWidth(room, Qt.TransformationMode.SmoothTransformation)

    def go_to(self, anchor: str) -> None:
        """To the heading of that name; to the top without one."""
        block = self.document().begin()
        while anchor and block.isValid():
            if block.blockFormat().headingLevel() and slug(block.text()) == anchor:
                self.setTextCursor(QTextCursor(block))
                place = self.document().documentLayout().blockBoundingRect(block)
                self.verticalScrollBar().setValue(int(place.top()))
                return
            block = block.next()
        self.verticalScrollBar().setValue(0)


class HelpWindow(QDialog):
    """Beside the window, not in its way. The list is filtered by what is typed; links and *Back* lead through the pages."""

    def __init__(self, parent: QWidget, theme: Theme) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Help")
        self.setFont(font(9.0))
        self.resize(*SIZE)
        self.page: HelpPage | None = None
        self._seen: list[HelpPage] = []
        self.line = QLineEdit(self)
        self.line.setPlaceholderText("Search terms, panels and pages")
        self.line.setAccessibleName("Search the help")
        self.line.setClearButtonEnabled(True)
        self.line.textChanged.connect(self._list)
        self.line.installEventFilter(self)
        self.list = QListWidget(self)
        self.list.setAccessibleName("Pages")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentItemChanged.connect(self._chose)
        self.reader = Reader(self)
        self.reader.setFont(font(10.0))
        self.reader.anchorClicked.connect(self._follow)
        self.back = QPushButton("Back", self)
        self.back.setAutoDefault(False)
        self.back.clicked.connect(self._go_back)
        close = QPushButton("Close", self)
        close.setAutoDefault(False)
        close.clicked.connect(self.close)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.line)
        column.addWidget(self.list, 1)
        split = QSplitter(self)
        split.addWidget(left)
        split.addWidget(self.reader)
        split.setSizes([LIST_WIDTH, SIZE[0] - LIST_WIDTH])
        split.setStretchFactor(1, 1)
        split.setChildrenCollapsible(False)
        foot = QHBoxLayout()
        foot.addWidget(self.back)
        foot.addStretch(1)
        foot.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.addWidget(split, 1)
        layout.addLayout(foot)
        self.set_theme(theme)
        self._list("")

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        palette = self.reader.palette()
        palette.setColor(palette.ColorRole.Link, theme.accent)
        self.reader.setPalette(palette)
        if self.page is not None:
            self.reader.setMarkdown(self.page.text())

    # ------------------------------------------------------------------ the list
    def _list(self, words: str) -> None:
        """The pages that match, under their groups; the one that is shown stays chosen."""
        pages = found(words)
        self.list.blockSignals(True)
        self.list.clear()
        heading = ""
        for page in pages:
            if page.heading != heading:
                heading = page.heading
                item = QListWidgetItem(heading)
                item.setFlags(Qt.ItemFlag.NoItemFlags)
                item.setFont(font(9.0, bold=True))
                self.list.addItem(item)
            item = QListWidgetItem(page.title)
            item.setData(PAGE, page)
            item.setToolTip(page.part or page.words)
            self.list.addItem(item)
        self.list.blockSignals(False)
        if words.strip() and pages:
            self._choose(pages[0])
        elif self.page is not None:
            self._choose(self.page)

    def _choose(self, page: HelpPage) -> None:
        """Put the list's cursor on a page, where it is listed, and show it."""
        for row in range(self.list.count()):
            if self.list.item(row).data(PAGE) == page:
                self.list.setCurrentRow(row)
                break
        self._show(page)

    def _chose(self, item: QListWidgetItem | None) -> None:
        if item is not None and item.data(PAGE) is not None:
            self._show(item.data(PAGE))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows walk through the list while words are typed."""
        if (
            watched is self.line
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up)
        ):
            QApplication.sendEvent(self.list, event)
            return True
        return super().eventFilter(watched, event)

    # ------------------------------------------------------------------ the page
    def _show(self, page: HelpPage, anchor: str = "") -> None:
        if page != self.page:
            if self.page is not None:
                self._seen.append(self.page)
            self.page = page
            self.reader.setMarkdown(page.text())
            self.setWindowTitle(f"{page.title} – Help")
        self.reader.go_to(anchor)
        offer(self.back, "" if self._seen else "no page was read before")

    def open_page(self, page: HelpPage) -> None:
        """Show a page, whatever was searched for."""
        self.line.clear()
        self._choose(page)
        self.reader.setFocus()

    def open_group(self, group: str) -> None:
        """Show the first page of a group, ready to search."""
        self.line.clear()
        first = next(page for page in found("") if page.group == group)
        self._choose(first)
        row = self.list.currentRow()
        self.list.scrollToItem(self.list.item(max(row - 1, 0)), QListWidget.ScrollHint.PositionAtTop)
        self.line.setFocus()

    def _go_back(self) -> None:
        if self._seen:
            page = self._seen.pop()
            self.page = None
            self._choose(page)

    def _follow(self, url: QUrl) -> None:
        """A link: to another page, to a place of this one, or to the web, which the browser shows."""
        if url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)
            return
        file, anchor = url.path().rpartition("/")[2], url.fragment()
        part = ""
        if not file and self.page is not None:
            file, part = self.page.file, self.page.part
        page = page_of_file(file, anchor, part)
        if page is not None:
            self._choose(page)
            if not page.markdown:
                self.reader.go_to(anchor)
