"""The frozen app's main program: the ``stageboard`` command, or one of the processes that it starts of itself."""

import multiprocessing
import sys

from planner.processes.programs import give_others_their_libraries, run_program


def main() -> int:
    multiprocessing.freeze_support()
    give_others_their_libraries()
    if run_program(sys.argv[1:]):
        return 0
    from stageboard.__main__ import main as stageboard

    return stageboard()


if __name__ == "__main__":
    sys.exit(main())
