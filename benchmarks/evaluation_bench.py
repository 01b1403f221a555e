"""What a press on 200 selected ops asks of the evaluation: ``check`` and ``delta``, raw and through the document."""

from __future__ import annotations

import numpy as np

from benchmarks.models import graph_of
from benchmarks.report import Figure, timed
from gui.document.plan.document import Document


def run() -> list[Figure]:
    """The figures at 2,012 ops; needs a QApplication."""
    document = Document()
    document.open_graph(graph_of(2012))
    live = document.live
    assert live is not None
    n = len(document.device_of)
    rng = np.random.default_rng(4)
    scattered = [np.sort(rng.choice(n, 200, replace=False)).astype(np.int32) for _ in range(60)]
    together = [np.arange(s, s + 200, dtype=np.int32) for s in rng.integers(0, n - 200, 60)]
    figures = []
    for how, sets in (("scattered", scattered), ("next to each other", together)):
        raw = timed(lambda i, sets=sets: (live.check(sets[i % 60]), live.delta(sets[i % 60])), 58)
        figures.append(raw.figure(f"check + delta of 200 ops {how}, raw", 5.0))
        whole = timed(lambda i, sets=sets: document.check(sets[i % 60]), 58)
        figures.append(whole.figure(f"Document.check of 200 ops {how}", 5.0))
    one = timed(lambda i: document.check(scattered[i % 60][:1]), 58)
    figures.append(one.figure("Document.check of one op"))
    document.deleteLater()
    return figures
