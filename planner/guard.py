"""One door behind which every reader of files and specifications works: whatever goes wrong there leaves as one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from planner.errors import ModelError, StageboardError
from planner.printable import concise, one_line


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
        raise kind(
            concise(
                f"{name} is damaged in a way that was not foreseen ({type(error).__name__}:"
                f" {one_line(str(error))[:120]}); {remedy}"
            )
        ) from error
