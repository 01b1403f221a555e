"""One thing a person can ask for, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ActionSpec:
    """One thing a person can ask for.

    ``handler`` is the name of a method of :class:`gui.editors.plan.handlers.Handlers`, called with ``argument`` unless that is None.
    ``when`` names a condition of :data:`CONDITIONS`. Shortcuts work everywhere in the window; what single letters, Home and
    Ctrl+A mean where one types or chooses says :class:`~gui.shell.key_claims.KeyClaims`. Entries of a menu that share ``group``
    stand together; ``submenu`` puts them one level down. ``state`` names the property of :class:`gui.editors.plan.handlers.Handlers` that says whether it is checked.
    """

    id: str
    text: str
    menu: str
    handler: str
    shortcut: tuple[str, ...] = ()
    tip: str = ""
    when: str = "always"
    group: int = 0
    submenu: str = ""
    argument: Any = None
    state: str = ""
    palette: bool = True
    in_menu: bool = True
