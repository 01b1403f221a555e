"""What can be done now and what cannot, said alike of actions in menus and of buttons in panels."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton

_TIP, _SAID = "own tip", "tip said"
"""Properties of what is offered: what its tip is where nothing is lacking, and what was said last."""


def offer(thing: QAbstractButton | QAction, lacking: str, tip: str | None = None) -> None:
    """Switch a button or an action on where nothing is ``lacking``; else off, and say in place of its ``tip`` what is.

    Its tip is what it has where None is given. Who listens hears of a button what is lacking, of an action what its tip is.
    """
    if tip is None:
        own = thing.property(_TIP)
        tip = thing.toolTip() if own is None or thing.toolTip() != thing.property(_SAID) else str(own)
    said = lacking or tip
    said = said[:1].upper() + said[1:]
    thing.setProperty(_TIP, tip)
    thing.setProperty(_SAID, said)
    thing.setEnabled(not lacking)
    thing.setToolTip(said)
    if isinstance(thing, QAction):
        thing.setStatusTip(said)
    else:
        thing.setAccessibleDescription(lacking[:1].upper() + lacking[1:])
