"""PySide6 6.12.0 on Python 3.11 lost a reference to None with every void call and died after some 100,000 of them."""

import subprocess
import sys

PROGRAM = """
import sys
from PySide6.QtCore import QCoreApplication, QObject, QTimer
application = QCoreApplication([])
timer, thing = QTimer(), QObject()
before = sys.getrefcount(None)
for _ in range(100_000):
    timer.stop()
    thing.setObjectName("")
lost = before - sys.getrefcount(None)
assert lost < 1_000, f"200,000 void calls lost {lost} references to None"
print("survived")
"""


def test_void_calls_keep_none_alive() -> None:
    # In a process of its own: what it guards against takes the interpreter down.
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "survived\n"
