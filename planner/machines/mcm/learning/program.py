"""The program ``train`` (:mod:`planner.processes.programs`): a training run beside a window, at the lowest priority.

It gets its task and the wish to pause as lines on its standard input, tells of every checkpoint by a line on its standard
output, and ends at once when its input ends: whoever started it is gone. Files of a run are whole at any moment.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from typing import BinaryIO

from planner.errors import StageboardError
from planner.machines.mcm.learning.messages import PAUSE, News, Task
from planner.machines.mcm.learning.recorded import Pace, Progress, holding
from planner.machines.mcm.learning.training import Point, Training

LOWEST = 19
"""The priority of a process that works when nobody else wants to."""


def train(task: Task, answers: BinaryIO, paused: threading.Event) -> None:
    """Carry out a task until its samples are drawn or ``paused`` is set; ``answers`` takes the news, the last of which says that it ended."""

    def tell(news: News) -> None:
        answers.write(news.line)
        answers.flush()

    try:
        with holding(task.place):
            training = Training(task.settings, task.place, task.resume)
            per, pace = task.settings.per_checkpoint, Pace(task.settings.checkpoints)

            def progress(checkpoints: int) -> Progress:
                done = len(training.curve)
                return Progress(done * per, checkpoints * per, training.cpu_seconds, pace.left(done))

            def told(point: Point, checkpoints: int) -> None:
                tell(News(point, progress(checkpoints)))

            training.run(told, paused.is_set)
        tell(News(ended=True))
    except StageboardError as error:
        tell(News(ended=True, sentence=str(error)))
    except Exception as error:  # whoever waits must hear of every failure
        tell(News(ended=True, sentence=f"it failed unexpectedly ({type(error).__name__}: {error})"))


def _listen(paused: threading.Event) -> None:
    """Hear the wish to pause, and that nobody is there any more."""
    for line in sys.stdin.buffer:
        if line == PAUSE:
            paused.set()
    os._exit(1)


def main() -> None:
    """Be the program."""
    if hasattr(os, "nice"):
        os.nice(LOWEST)
    # Libraries that print would spoil the answers, so whatever they print goes to the error stream.
    answers = os.dup(1)
    os.dup2(2, 1)
    task, paused = Task.read(sys.stdin.buffer.readline()), threading.Event()
    threading.Thread(target=_listen, args=(paused,), daemon=True).start()
    with contextlib.suppress(BrokenPipeError), os.fdopen(answers, "wb") as stream:
        train(task, stream, paused)


if __name__ == "__main__":
    main()
