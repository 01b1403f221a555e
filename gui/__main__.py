"""``python -m gui`` is ``stageboard``."""

import sys

from gui.launch import main

if __name__ == "__main__":
    sys.exit(main())
