"""An export of a story as the work of a process of its own, for a window that must stay alive beside it."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from gui.present.export import ExportOptions
from planner.errors import StageboardError


@dataclass(frozen=True)
class StoryOrder:
    """A story to be written: the JSON object of its file, the folder that its models' paths start from, where to, and how.

    ``given`` are model files that stand in for those that are not found.
    """

    story: dict[str, Any]
    folder: Path
    path: Path
    options: ExportOptions
    given: tuple[Path, ...] = ()


def serve(pipe: Connection) -> None:
    """The process: one order; ("progress", done, of) as it goes on; at the end ("done", result, error) with one of the two.

    Whatever else comes through the pipe, its end too, says stop.
    """
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(EOFError, OSError):
        order: StoryOrder = pipe.recv()
        stop = threading.Event()

        def listen() -> None:
            with contextlib.suppress(EOFError, OSError):
                pipe.recv()
            stop.set()

        threading.Thread(target=listen, daemon=True).start()
        try:
            pipe.send(("done", _write(order, pipe, stop), None))
        except StageboardError as error:
            pipe.send(("done", None, error))
        except MemoryError:
            sentence = "the export needs more memory than there is; choose a smaller size"
            pipe.send(("done", None, StageboardError(sentence)))
        except Exception as problem:  # the window must hear of every failure
            reason = " ".join(str(problem).split())[:200]
            sentence = f"the export failed unexpectedly ({type(problem).__name__}: {reason})"
            pipe.send(("done", None, StageboardError(sentence)))


def _write(order: StoryOrder, pipe: Connection, stop: threading.Event) -> object:
    from gui.display import check_qt, offscreen
    from gui.present.export import export_story
    from gui.render import application
    from planner.formats.story_json import from_dict, resolve

    check_qt()
    offscreen()
    app = application()
    resolved = resolve(from_dict(order.story, "the story"), order.folder, order.given)
    done = export_story(
        resolved, order.path, order.options, lambda i, of: pipe.send(("progress", i, of)), stop.is_set
    )
    app.processEvents()
    return done
