"""``python -m stageboard`` and the console script ``stageboard``: the command line."""

from __future__ import annotations

import sys

from stageboard.own import stranger

BAD_INPUT = 2


def main() -> int:
    """Run the command line, where what gets imported is Stageboard's; the exit status."""
    if sentence := stranger():
        print(f"stageboard: {sentence}", file=sys.stderr)
        return BAD_INPUT
    from gui.app.launch import main as run_command

    return run_command()


if __name__ == "__main__":
    sys.exit(main())
