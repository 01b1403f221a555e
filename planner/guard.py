"""One door behind which every reader of files and specifications works: whatever goes wrong there leaves as one sentence."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from planner.errors import ModelError, StageboardError
from planner.printable import concise, one_line

_MODULE = "<module>"
"""The name of the frame in which the body of a module runs: of imports nothing else stays in a traceback."""


@contextmanager
def guarded(
    name: str,
    kind: type[StageboardError] = ModelError,
    *,
    smaller: str = "split it",
    remedy: str = "save or download it again",
) -> Iterator[None]:
    """Run a reader of what ``name`` calls (a file, an option); it raises ``kind`` and nothing else.

    Its sentence names ``name``, is one line without control characters and of limited length, and ends with what to do. The
    readers refuse what they know to be wrong; what a hostile file provokes beyond that is caught here, with its
    traceback as the cause. ``smaller`` is what to do where memory does not suffice, ``remedy`` where a file is damaged.
    A library that cannot be loaded is told as that.
    """
    try:
        yield
    except StageboardError as error:
        sentence = str(error)
        said = concise(sentence if not name or name in sentence else f"{name}: {sentence}")
        if isinstance(error, kind):
            if said != sentence:
                error.args = (said,)
            raise
        raise kind(said) from error
    except MemoryError as error:
        raise kind(concise(f"{name} is too large for the memory that there is; {smaller}")) from error
    except RecursionError as error:
        raise kind(concise(f"{name} is too deeply nested to be read here; {smaller}")) from error
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise kind(concise(f"{name} cannot be read ({why}); check the path and its permissions")) from error
    except Exception as error:
        if trouble := loading_trouble(error):
            raise kind(concise(f"{name} cannot be read, and is not to blame: {trouble}")) from error
        raise kind(
            concise(
                f"{name} is damaged in a way that was not foreseen ({type(error).__name__}:"
                f" {one_line(str(error))[:120]}); {remedy}"
            )
        ) from error


def loading_trouble(error: Exception) -> str:
    """What to say about an error that came up while a library was loaded, such as versions that do not go together; empty for others."""
    bodies = (frame.f_code.co_name == _MODULE for frame, _ in traceback.walk_tb(error.__traceback__))
    if not isinstance(error, ImportError) and not any(bodies):
        return ""
    return (
        f"a library that it takes cannot be loaded ({type(error).__name__}: {one_line(str(error))[:160]}); see 'pip check', and install"
        " versions that go together"
    )
