"""One thing a person can ask for, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ActionSpec:
    """One thing a person can ask for.

    ``handler`` is the name of a method of :class:`gui.handlers.Handlers`, called with ``argument`` unless that is None.
    ``when`` names a condition of :data:`CONDITIONS`. ``scope``: shortcuts of scope ``window`` work everywhere, those of
    scope ``plan`` only while the canvas, the devices or the op table have the keyboard, so that typing and moving in
    lists stay as people know them. Entries of a menu that share ``group`` stand together; ``submenu`` puts them
    one level down. ``state`` names the property of :class:`gui.handlers.Handlers` that says whether it is checked.
    """

    id: str
    text: str
    menu: str
    handler: str
    shortcut: tuple[str, ...] = ()
    tip: str = ""
    when: str = "always"
    scope: str = "window"
    group: int = 0
    submenu: str = ""
    argument: Any = None
    state: str = ""
    palette: bool = True
    in_menu: bool = True
