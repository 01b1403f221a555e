"""The start page says of each sample what it is, and tells the truth."""

from __future__ import annotations

import pytest

from gui.shell.start_page import SAMPLES, samples
from planner.formats import read_model
from planner.formats.networks.read import read_network
from planner.model.samples import MODELS


@pytest.mark.parametrize(("file", "title", "remark"), SAMPLES, ids=lambda text: text)
def test_a_sample_has_as_many_ops_or_connections_as_is_said(file: str, title: str, remark: str) -> None:
    count, unit = remark.split(", ", maxsplit=1)[0].rsplit(" ", 1)
    if file.endswith(".npz"):
        assert (
            unit == "connections"
            and int(count.replace(",", "")) == read_network([MODELS / file]).connection_count
        )
    else:
        assert unit == "ops" and int(count.replace(",", "")) == read_model(MODELS / file).n
    assert title[:1].isupper()


def test_all_samples_are_there_the_packages_example_among_them() -> None:
    assert len(samples()) == len(SAMPLES)
    assert any(path.name == "bert_large.json" for path, _, _ in samples())
