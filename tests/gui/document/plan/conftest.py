"""Fixtures of the tests of a document of a graph."""

from __future__ import annotations

import pytest

from gui.document.plan.document import Document
from planner.machines.pipeline.target import Pipeline
from tests.gui.models import chain_graph


@pytest.fixture
def document() -> Document:
    document = Document()
    document.open_graph(chain_graph(), target=Pipeline(count=3))
    return document
