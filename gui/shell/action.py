"""One thing a person can ask of a window, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

W_contra = TypeVar("W_contra", contravariant=True)
"""The window that an action acts on, or what it needs of one."""


@dataclass(frozen=True)
class Condition:
    """When something can be done with a window, and what is lacking where it cannot: what people read then.

    ``before`` are conditions that must hold for this one to be asked; the first that does not is what is lacking.
    """

    holds: Callable[[Any], bool]
    words: str
    before: tuple[Condition, ...] = ()

    def __call__(self, window: Any) -> bool:
        """Whether it holds."""
        return not self.lacking(window)

    def lacking(self, window: Any) -> str:
        """What is lacking; empty where nothing is."""
        for one in self.before:
            if said := one.lacking(window):
                return said
        return "" if self.holds(window) else self.words

    def behind(self, *before: Condition) -> Condition:
        """The same once other conditions hold."""
        return replace(self, before=(*before, *self.before))


def needs(words: str, *before: Condition) -> Callable[[Callable[[Any], bool]], Condition]:
    """Make a function of a window the :class:`Condition` whose lack ``words`` say, once those ``before`` it hold."""
    return lambda holds: Condition(holds, words, before)


@needs("")
def always(window: object) -> bool:
    """Whether it can be done: whatever is open."""
    return True


class Place(NamedTuple):
    """Where an entry stands: among those of ``group`` of a menu, or of its ``submenu``."""

    menu: str
    group: int = 0
    submenu: str = ""


@dataclass(frozen=True)
class ActionSpec(Generic[W_contra]):
    """One thing a person can ask for: an entry of a menu and the palette, with its keys.

    ``run`` does it on the window, ``when`` says whether it can be done now, ``state`` whether it is on (None: it is nothing that
    is on or off). Shortcuts work everywhere in the window; what single letters, Home and Ctrl+A mean where one types or
    chooses says :class:`~gui.shell.key_claims.KeyClaims`. While it cannot be done, its tip is what is lacking. Entries of a menu that share ``group`` stand together; ``submenu``
    puts them one level down. ``also`` is a second place of the same entry.
    ``called`` is its text where that goes by what is open; ``text`` is then the one of no window.
    """

    id: str
    text: str
    menu: str
    run: Callable[[W_contra], object]
    shortcut: tuple[str, ...] = ()
    tip: str = ""
    when: Condition = always
    group: int = 0
    submenu: str = ""
    state: Callable[[W_contra], bool] | None = None
    palette: bool = True
    in_menu: bool = True
    also: Place | None = None
    called: Callable[[W_contra], str] | None = None

    @property
    def places(self) -> tuple[Place, ...]:
        """Where it stands in menus."""
        first = (Place(self.menu, self.group, self.submenu),) if self.in_menu else ()
        return first if self.also is None else (*first, self.also)
