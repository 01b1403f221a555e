"""The command line, a public interface that people script: ``stageboard COMMAND ...`` without the window.

:func:`main` runs one command and returns its exit status: 0 done, 1 ran but found no valid plan (or a check failed),
2 bad input or usage. One module per command; only the chosen one is imported, so that small commands start fast.
"""

from planner.cli.main import COMMANDS, main

__all__ = ["COMMANDS", "main"]
