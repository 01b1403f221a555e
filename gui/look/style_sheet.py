"""The style sheet: what the palette cannot say. Sizes stand on a grid of 4 px."""

from __future__ import annotations

from gui.look.assets import asset
from gui.look.colours import Theme


def style_sheet(t: Theme) -> str:
    """Qt style sheet of one theme."""
    parts = (_windows, _tabs, _menus, _buttons, _fields, _lists, _scrolling, _labels)
    return "".join(part(t) for part in parts)


def _windows(t: Theme) -> str:
    """Windows, docks and their titles."""
    return f"""
QMainWindow, QDialog {{ background: {t.window}; }}
QMainWindow::separator {{ background: {t.border}; width: 1px; height: 1px; margin: 0; }}
QMainWindow::separator:hover {{ background: {t.accent}; }}
QToolTip {{ background: {t.panel}; color: {t.text}; border: 1px solid {t.border}; padding: 4px 6px; }}

QDockWidget {{ color: {t.text}; }}
QDockWidget > QWidget {{ background: {t.panel}; }}
#dockTitle {{ background: {t.panel}; }}
#dockTitle QLabel {{ color: {t.text}; font-weight: bold; }}
#header, #readouts {{ background: {t.panel}; }}
#readouts {{ border-top: 1px solid {t.border}; border-bottom: 1px solid {t.border}; }}
"""


def _tabs(t: Theme) -> str:
    """Tabs."""
    return f"""
QTabBar {{ background: {t.panel}; qproperty-drawBase: 0; }}
QTabBar::tab {{ background: transparent; color: {t.muted}; padding: 6px 8px 5px 8px; border: none;
    border-bottom: 2px solid transparent; }}
QTabBar::tab:hover {{ color: {t.text}; }}
QTabBar::tab:selected {{ color: {t.text}; border-bottom: 2px solid {t.accent}; }}
QTabBar::tab:focus {{ color: {t.accent}; background: {t.hover}; }}
QTabWidget#host > QTabBar::tab {{ padding-left: 12px; }}
QTabWidget::pane {{ border: none; }}
"""


def _menus(t: Theme) -> str:
    """Menus."""
    return f"""
QMenuBar {{ background: transparent; color: {t.text}; padding: 0; }}
QMenuBar::item {{ padding: 5px 8px; background: transparent; border-radius: 4px; }}
QMenuBar::item:selected {{ background: {t.selection}; }}
QMenu {{ background: {t.panel}; color: {t.text}; border: 1px solid {t.border}; padding: 4px; }}
QMenu::item {{ padding: 5px 24px 5px 12px; border-radius: 4px; }}
QMenu::item:selected {{ background: {t.selection}; }}
QMenu::item:disabled {{ color: {t.faint}; }}
QMenu::separator {{ height: 1px; background: {t.border}; margin: 4px 8px; }}
QMenu::icon {{ padding-left: 8px; }}
"""


def _buttons(t: Theme) -> str:
    """Buttons, and those that look like links."""
    return f"""
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QPushButton, QToolButton#flat {{ background: {t.panel}; color: {t.text}; border: 1px solid {t.border};
    border-radius: 5px; padding: 4px 12px; }}
QPushButton:hover, QToolButton#flat:hover {{ background: {t.hover}; }}
QPushButton:pressed {{ background: {t.selection}; }}
QPushButton:focus, QToolButton#flat:focus {{ border: 2px solid {t.focus}; padding: 3px 11px; }}
QPushButton:disabled {{ color: {t.faint}; background: {t.window}; }}
QPushButton#primary {{ background: {t.accent}; color: {t.accent_text}; border-color: {t.accent}; font-weight: bold; }}
QPushButton#primary:hover {{ border-color: {t.text}; }}
QPushButton#primary:focus {{ border: 2px solid {t.text}; }}
QPushButton#primary:disabled {{ background: {t.track}; color: {t.faint}; border-color: {t.track}; }}
QPushButton#segment {{ padding: 3px 14px; min-width: 48px; color: {t.muted}; }}
QPushButton#segment:checked {{ background: {t.selection}; color: {t.text}; font-weight: bold;
    border-color: {t.selection}; }}
QPushButton#segment:focus {{ border: 2px solid {t.focus}; padding: 2px 13px; }}
QPushButton#link, QToolButton#link {{ border: none; background: transparent; color: {t.accent}; padding: 2px 4px;
    text-align: left; border-radius: 3px; }}
QPushButton#link:hover, QToolButton#link:hover {{ text-decoration: underline; background: transparent; }}
QPushButton#link:focus, QToolButton#link:focus {{ border: 1px solid {t.focus}; padding: 1px 3px; }}
QPushButton#link:disabled {{ color: {t.faint}; }}
QToolButton {{ background: transparent; border: none; border-radius: 4px; padding: 3px; color: {t.text}; }}
QToolButton:hover {{ background: {t.hover}; }}
QToolButton:checked {{ background: {t.selection}; }}
QToolButton:focus {{ border: 1px solid {t.focus}; padding: 2px; }}
"""


def _fields(t: Theme) -> str:
    """What something is typed into or chosen with."""
    return f"""
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QPlainTextEdit {{ background: {t.panel}; color: {t.text};
    border: 1px solid {t.border}; border-radius: 5px; padding: 3px 6px; min-height: 18px;
    selection-background-color: {t.accent}; selection-color: {t.accent_text}; }}
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus {{ border: 2px solid {t.focus};
    padding: 2px 5px; }}
QLineEdit[invalid="true"] {{ border: 1px solid {t.bad}; background: {t.bad_soft}; }}
QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled {{ color: {t.faint};
    background: {t.window}; }}
QComboBox QAbstractItemView {{ background: {t.panel}; border: 1px solid {t.border}; outline: none;
    selection-background-color: {t.selection}; selection-color: {t.selection_text}; }}
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button {{
    width: 0; height: 0; border: none; }}
QComboBox::drop-down {{ border: none; width: 20px; }}
QComboBox::down-arrow {{ image: url("{asset(f"icons/chevron-down-{t.name}.svg")}"); width: 12px; height: 12px; }}
QCheckBox {{ spacing: 6px; min-height: 22px; }}
QCheckBox::indicator, QListView::indicator {{ width: 14px; height: 14px; border: 1px solid {t.card_border}; border-radius: 4px;
    background: {t.panel}; }}
QCheckBox::indicator:checked, QListView::indicator:checked {{ background: {t.accent}; border-color: {t.accent};
    image: url("{asset(f"icons/check-{t.name}.svg")}"); }}
QCheckBox::indicator:focus {{ border: 2px solid {t.focus}; width: 12px; height: 12px; }}
"""


def _lists(t: Theme) -> str:
    """Lists, tables and their headers."""
    return f"""
QAbstractItemView {{ background: {t.panel}; color: {t.text}; border: none; outline: none;
    selection-background-color: {t.selection}; selection-color: {t.selection_text}; }}
QAbstractItemView:focus {{ border: 1px solid {t.focus}; }}
QHeaderView {{ background: {t.panel}; }}
QHeaderView::section {{ background: {t.panel}; color: {t.muted}; border: none;
    border-bottom: 1px solid {t.border}; padding: 4px 6px; }}
QHeaderView::down-arrow {{ image: url("{asset(f"icons/chevron-down-{t.name}.svg")}"); }}
QHeaderView::up-arrow {{ image: url("{asset(f"icons/chevron-up-{t.name}.svg")}"); }}
QHeaderView::down-arrow, QHeaderView::up-arrow {{ width: 10px; height: 10px; subcontrol-position: top center;
    position: relative; top: -2px; }}
QListWidget::item {{ padding: 2px 4px; border-radius: 4px; }}
QListWidget::item:hover {{ background: {t.hover}; }}
QListWidget::item:selected {{ background: {t.selection}; color: {t.selection_text}; }}
QTableView {{ gridline-color: transparent; }}
QTableView::item {{ padding: 1px 6px 1px 4px; }}
QTableCornerButton::section {{ background: {t.panel}; border: none; }}
"""


def _scrolling(t: Theme) -> str:
    """Scroll areas and scroll bars."""
    return f"""
QScrollArea {{ background: transparent; border: none; }}
QScrollArea > QWidget > #scrolled {{ background: {t.panel}; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {t.card_border}; border-radius: 3px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 28px; }}
QScrollBar::handle:horizontal {{ min-width: 28px; }}
QScrollBar::handle:hover {{ background: {t.faint}; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{ background: none;
    border: none; width: 0; height: 0; }}
QAbstractScrollArea::corner {{ background: transparent; border: none; }}
"""


def _labels(t: Theme) -> str:
    """Labels by role, bars and what stands alone."""
    return f"""
QLabel[role="muted"] {{ color: {t.muted}; }}
QLabel[role="faint"] {{ color: {t.faint}; }}
QLabel[role="heading"] {{ font-weight: bold; }}
QLabel[role="good"] {{ color: {t.good}; }}
QLabel[role="bad"] {{ color: {t.bad}; }}
QLabel[role="warning"] {{ color: {t.warning}; }}
QProgressBar {{ background: {t.track}; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }}
QProgressBar::chunk {{ background: {t.accent}; border-radius: 3px; }}
QStatusBar {{ background: {t.panel}; color: {t.muted}; }}
QSplitter::handle {{ background: {t.border}; }}
#palette {{ background: {t.panel}; border: 1px solid {t.card_border}; border-radius: 8px; }}
#startCard {{ background: {t.panel}; border: 1px solid {t.border}; border-radius: 8px; }}
"""
