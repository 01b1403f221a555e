"""``python -m gui`` is ``stageboard``."""

import sys

from gui.app.launch import main

if __name__ == "__main__":
    sys.exit(main())
