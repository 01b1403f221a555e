"""An export of stages as the work of a process of its own, for a window that must stay alive beside it."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from planner.errors import StageboardError
from planner.graph import Ints
from planner.plan import Provenance
from planner.problem import Problem


@dataclass(frozen=True, eq=False)
class StagesOrder:
    """Stages to be written: ``onnx-stages`` or ``tflite-stages``, the plan, the model files in its order, the folder to make, and
    whether to run them against the whole models."""

    format: str
    problem: Problem
    device_of: Ints
    provenance: Provenance
    sources: tuple[Path, ...]
    folder: Path
    check: bool = True


def serve(pipe: Connection) -> None:
    """The process: one order, one answer (a result or an error). Whatever else comes through the pipe, its end too, says stop."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from planner.export.onnx_stages import to_onnx_stages
    from planner.export.tflite_stages import to_tflite_stages

    with contextlib.suppress(EOFError, OSError):
        order: StagesOrder = pipe.recv()
        stop = threading.Event()

        def listen() -> None:
            with contextlib.suppress(EOFError, OSError):
                pipe.recv()
            stop.set()

        threading.Thread(target=listen, daemon=True).start()
        write = to_onnx_stages if order.format == "onnx-stages" else to_tflite_stages
        try:
            plan = order.problem.plan(order.device_of, order.provenance)
            done = write(plan, order.sources, order.folder, check=order.check, stopped=stop.is_set)
            pipe.send((done, None))
        except StageboardError as error:
            pipe.send((None, error))
        except Exception as error:  # the window must hear of every failure
            reason = " ".join(str(error).split())
            pipe.send(
                (
                    None,
                    StageboardError(f"the export failed unexpectedly ({type(error).__name__}: {reason})"),
                )
            )
