"""A deck of PowerPoint slides: shapes, text, tables and vector pictures by pixels of a slide. It knows python-pptx, and no story."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from io import BytesIO
from typing import Any

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainterPath

from gui.look.theme import DeviceColour, Theme
from gui.present.captions import Run

EMU = 9525
"""English metric units of a pixel, which is 1/96 inch."""
POINTS = 0.75
"""Points of a pixel."""
DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
SVG_BLIP = "{96DAC541-7B7A-43D3-8B79-37D633B846F1}"
SVG_SPACE = "http://schemas.microsoft.com/office/drawing/2016/SVG/main"
PLAIN_TABLE = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"
"""The style "No Style, No Grid"."""
TITLE_ONLY = 5
"""The layout of python-pptx's template that has nothing but a title."""
FONT = "Arial"
"""On every machine that opens slides; it is narrower than what the words were measured with."""
WHEN = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the archive: the same story gives the same bytes."""

Line = Sequence[Run]


class Deck:
    """An empty deck of slides of ``size`` (width, height in pixels) in the theme's colours; ``accents`` are its six accents."""

    def __init__(
        self, title: str, size: tuple[int, int], theme: Theme, accents: Sequence[DeviceColour]
    ) -> None:
        from pptx import Presentation

        self.theme = theme
        self._deck: Any = Presentation()
        wide = self._deck.slide_width
        self._deck.slide_width, self._deck.slide_height = (side * EMU for side in size)
        master = self._deck.slide_masters[0]
        for shape in [*master.shapes, *(shape for layout in master.slide_layouts for shape in layout.shapes)]:
            # The template is 4:3; who adds a slide to the deck finds its places where they belong.
            left, across = shape.left, shape.width
            shape.left, shape.width = (side * self._deck.slide_width // wide for side in (left, across))
        self._colour(master, [accent.accent for accent in accents])
        about = self._deck.core_properties
        about.title, about.author, about.last_modified_by = title, "Stageboard", "Stageboard"
        about.comments = ""
        # The template's: when it was made, and that it is 4:3. Without a date the same story gives the same bytes.
        for old in [one for one in about._element if one.tag.endswith(("}created", "}modified"))]:
            about._element.remove(old)
        self._deck.part._element.sldSz.attrib.pop("type", None)

    def _colour(self, master: Any, accents: Sequence[str]) -> None:
        """The theme's colours and letters, which all slides and whatever is added to them follow."""
        from lxml import etree
        from pptx.opc.constants import RELATIONSHIP_TYPE

        t = self.theme
        colours = {
            "dk1": t.text, "lt1": t.panel, "dk2": t.muted, "lt2": t.canvas, "hlink": t.accent, "folHlink": t.accent,
            **{f"accent{i}": accent for i, accent in enumerate(accents, 1)},
        }  # fmt: skip
        part = master.part.part_related_by(RELATIONSHIP_TYPE.THEME)
        root = etree.fromstring(part.blob)
        for name, colour in colours.items():
            entry = root.find(f".//{DRAWING}clrScheme/{DRAWING}{name}")
            for old in list(entry):
                entry.remove(old)
            etree.SubElement(entry, f"{DRAWING}srgbClr", val=colour.removeprefix("#"))
        for latin in root.iterfind(f".//{DRAWING}fontScheme/*/{DRAWING}latin"):
            latin.set("typeface", FONT)
        part._blob = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)

    def slide(self) -> Slide:
        """A new slide at the end."""
        return Slide(self._deck.slides.add_slide(self._deck.slide_layouts[TITLE_ONLY]), self.theme)

    def data(self) -> bytes:
        """The file."""
        saved, out = BytesIO(), BytesIO()
        self._deck.save(saved)
        with zipfile.ZipFile(saved) as there, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as written:
            for name in there.namelist():
                data = there.read(name)
                if name == "docProps/app.xml":
                    data = data.replace(b"On-screen Show (4:3)", b"Widescreen")
                written.writestr(zipfile.ZipInfo(name, WHEN), data, zipfile.ZIP_DEFLATED)
        return out.getvalue()


class Slide:
    """One slide. Places are in pixels from its upper left corner, sizes of letters in pixels too."""

    def __init__(self, slide: Any, theme: Theme) -> None:
        self._slide, self._theme = slide, theme

    def title(self, words: str, rect: QRectF, pixels: float) -> None:
        """Its title, which outlines and screen readers find."""
        shape = self._slide.shapes.title
        shape.left, shape.top, shape.width, shape.height = _emu(rect)
        self._write(shape.text_frame, [[Run(words, self._theme.text, True)]], pixels, "left", "bottom")

    def text(
        self, rect: QRectF, lines: Sequence[Line], pixels: float, name: str, *, align: str = "left", anchor: str = "middle"
    ) -> None:  # fmt: skip
        """Lines of words in their colours; ``name`` is what the box is called, ``anchor`` top, middle or bottom."""
        box = self._slide.shapes.add_textbox(*_emu(rect))
        box.name = name
        self._write(box.text_frame, lines, pixels, align, anchor)

    def _write(self, frame: Any, lines: Sequence[Line], pixels: float, align: str, anchor: str) -> None:
        from pptx.enum.text import MSO_ANCHOR, MSO_AUTO_SIZE

        frame.word_wrap, frame.auto_size = True, MSO_AUTO_SIZE.NONE
        frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = 0
        frame.vertical_anchor = getattr(MSO_ANCHOR, anchor.upper())
        self._fill(frame, lines, pixels, align)

    def _fill(self, frame: Any, lines: Sequence[Line], pixels: float, align: str = "left") -> None:
        from pptx.dml.color import RGBColor
        from pptx.enum.dml import MSO_THEME_COLOR
        from pptx.enum.text import PP_ALIGN
        from pptx.util import Pt

        named = {self._theme.text: MSO_THEME_COLOR.TEXT_1, self._theme.muted: MSO_THEME_COLOR.TEXT_2}
        for i, line in enumerate(lines):
            paragraph = frame.paragraphs[0] if i == 0 else frame.add_paragraph()
            paragraph.alignment = getattr(PP_ALIGN, align.upper())
            for words in line:
                run = paragraph.add_run()
                run.text = words.text
                run.font.size, run.font.bold = Pt(round(POINTS * pixels, 1)), words.bold
                if words.colour in named:
                    run.font.color.theme_color = named[words.colour]
                else:
                    run.font.color.rgb = RGBColor.from_string(words.colour.removeprefix("#").upper())

    def table(
        self, rect: QRectF, rows: Sequence[Sequence[Run]], shares: Sequence[float], heights: Sequence[float], pixels: float,
        name: str,
    ) -> None:  # fmt: skip
        """A table with columns of ``shares`` of the width and rows of ``heights`` pixels, a thin line below each."""
        frame = self._slide.shapes.add_table(len(rows), len(shares), *_emu(rect))
        frame.name = name
        table = frame.table
        table._tbl.tblPr.find(f"{DRAWING}tableStyleId").text = PLAIN_TABLE
        for column, share in zip(table.columns, shares, strict=True):
            column.width = round(share * rect.width() * EMU)
        for i, (row, height) in enumerate(zip(rows, heights, strict=True)):
            table.rows[i].height = round(height * EMU)
            for j, words in enumerate(row):
                cell = table.cell(i, j)
                cell.margin_left = 0
                cell.margin_top = cell.margin_bottom = 2 * EMU
                cell.margin_right = 6 * EMU
                self._fill(cell.text_frame, [[words]], pixels)
                self._underline(cell)

    def _underline(self, cell: Any) -> None:
        """Words in the middle of the cell, a thin line below it."""
        from lxml import etree
        from pptx.enum.text import MSO_ANCHOR

        cell.vertical_anchor = MSO_ANCHOR.MIDDLE
        line = etree.SubElement(cell._tc.get_or_add_tcPr(), f"{DRAWING}lnB", w=str(EMU))
        fill = etree.SubElement(line, f"{DRAWING}solidFill")
        etree.SubElement(fill, f"{DRAWING}srgbClr", val=self._theme.border.removeprefix("#"))

    def picture(self, rect: QRectF, svg: bytes, png: bytes, name: str, words: str) -> None:
        """A drawing with its pixels for programs that draw none; ``words`` say what is seen to those who cannot."""
        from lxml import etree
        from pptx.opc.constants import RELATIONSHIP_TYPE
        from pptx.opc.package import Part

        shape = self._slide.shapes.add_picture(BytesIO(png), *_emu(rect))
        shape.name = name
        shape._element.nvPicPr.cNvPr.set("descr", words)
        part = self._slide.part
        place = part.package.next_partname("/ppt/media/drawing%d.svg")
        drawing = Part(place, "image/svg+xml", part.package, svg)
        relation = part.relate_to(drawing, RELATIONSHIP_TYPE.IMAGE)
        blip = shape._element.find(f".//{DRAWING}blip")
        extension = etree.SubElement(
            etree.SubElement(blip, f"{DRAWING}extLst"), f"{DRAWING}ext", uri=SVG_BLIP
        )
        found = etree.SubElement(extension, f"{{{SVG_SPACE}}}svgBlip", nsmap={"asvg": SVG_SPACE})
        found.set("{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed", relation)

    def mark(self, path: QPainterPath, colour: str, name: str) -> None:
        """A small filled shape, such as a device's glyph, its path in pixels of the slide."""
        from pptx.dml.color import RGBColor

        first, *others = ([(p.x(), p.y()) for p in polygon] for polygon in path.toSubpathPolygons())  # type: ignore[attr-defined]
        builder = self._slide.shapes.build_freeform(*first[0], scale=EMU)
        builder.add_line_segments(first[1:], close=True)
        for points in others:
            builder.move_to(*points[0])
            builder.add_line_segments(points[1:], close=True)
        shape = builder.convert_to_shape()
        shape.name = name
        shape.shadow.inherit = False
        shape.fill.solid()
        shape.fill.fore_color.rgb = RGBColor.from_string(colour.removeprefix("#").upper())
        shape.line.fill.background()

    def notes(self, words: str) -> None:
        """What the speaker wants to say."""
        self._slide.notes_slide.notes_text_frame.text = words


def _emu(rect: QRectF) -> tuple[int, int, int, int]:
    left, top, wide, high = (
        round(side * EMU) for side in (rect.left(), rect.top(), rect.width(), rect.height())
    )
    return left, top, wide, high
