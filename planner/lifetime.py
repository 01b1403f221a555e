"""What is found out about a model, a problem or a picture once, and goes with it: a closed model of 100,000 ops leaves nothing behind.

``lru_cache`` would keep the last ones themselves, and all that was worked out for them, long after their windows are gone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

About = TypeVar("About")
More = ParamSpec("More")
Found = TypeVar("Found")


def while_it_lives(
    find: Callable[Concatenate[About, More], Found],
) -> Callable[Concatenate[About, More], Found]:
    """``find``, asked once about each object, and each hashable choice of what else it takes, for as long as the object lives.

    What it returns must not hold the object, or both stay for ever.
    """
    known: WeakKeyDictionary[About, dict[object, Found]] = WeakKeyDictionary()

    @wraps(find)
    def found(about: About, /, *more: More.args, **named: More.kwargs) -> Found:
        of_it = known.get(about)
        if of_it is None:
            of_it = known.setdefault(about, {})
        key = (more, *named.items())
        if key not in of_it:
            of_it[key] = find(about, *more, **named)
        return of_it[key]

    return found
