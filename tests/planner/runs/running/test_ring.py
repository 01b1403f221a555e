"""Queues in shared memory: what is sent comes, in order, and nothing is left of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import StageboardError
from planner.runs.running import ring
from planner.runs.running.ring import Form, Receiver, Ring, Sender, form_of

FORMS = {"a": Form("<f4", (3, 5)), "b": Form("|b1", ()), "c": Form("<i8", (0, 2)), "d": Form("|u1", (7,))}


@contextmanager
def queue(forms: dict[str, Form], slots: int) -> Iterator[tuple[Ring, Sender, Receiver]]:
    owner = Ring(forms, slots)
    sender, receiver = Sender(owner.sending), Receiver(owner.receiving)
    try:
        yield owner, sender, receiver
    finally:
        sender.close()
        receiver.close()
        owner.close()


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 4), st.lists(st.booleans(), max_size=40), st.integers(0, 2**32 - 1))
def test_what_is_sent_comes_in_order(slots: int, turns: list[bool], seed: int) -> None:
    rng = np.random.default_rng(seed)
    sent = [
        {
            name: rng.integers(0, 2 if form.dtype == "|b1" else 100, form.shape).astype(form.dtype)
            for name, form in FORMS.items()
        }
        for _ in range(len(turns) + slots)
    ]
    put = got = 0
    with queue(FORMS, slots) as (_, sender, receiver):
        for send in turns:
            if send and put - got < slots:
                sender.wait()
                sender.send(sent[put])
                put += 1
            elif not send and got < put:
                receiver.wait()
                tensors = receiver.take()
                assert list(tensors) == list(FORMS)
                for name, value in tensors.items():
                    np.testing.assert_array_equal(value, sent[got][name])
                    assert value.dtype == FORMS[name].dtype
                del tensors, value
                receiver.free()
                got += 1


def test_a_tensor_of_another_form_is_refused() -> None:
    with queue({"a": FORMS["a"]}, 1) as (_, sender, _):
        with pytest.raises(
            StageboardError, match=r"'a' is float32 \[3, 4\] for one sample and float32 \[3, 5\]"
        ):
            sender.send({"a": np.zeros((3, 4), np.float32)})
        with pytest.raises(StageboardError, match="'a' is float64"):
            sender.send({"a": np.zeros((3, 5))})


def test_texts_have_no_form() -> None:
    with pytest.raises(StageboardError, match="'t' holds object values"):
        form_of(np.array(["x"], object), "t")


def test_whoever_waits_hears_that_the_other_is_gone() -> None:
    with queue(FORMS, 1) as (owner, sender, receiver):
        owner.handed()
        sender.close()
        with pytest.raises((EOFError, OSError)):
            receiver.wait()


def test_nothing_is_left() -> None:
    with queue(FORMS, 2) as (owner, sender, receiver):
        name = owner.sending.memory
        owner.forget()
        owner.forget()
        # Those who have it keep it.
        sender.send({key: np.zeros(form.shape, form.dtype) for key, form in FORMS.items()})
        receiver.wait()
    with pytest.raises(FileNotFoundError):
        SharedMemory(name)


def test_there_must_be_room(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(ring, "SHARED", tmp_path)
    free = os.statvfs(tmp_path)
    much = Form("|u1", (free.f_bavail * free.f_frsize + 1,))
    with pytest.raises(StageboardError, match="bytes free, and the queues between two stages take"):
        Ring({"a": much}, 1)
    monkeypatch.setattr(ring, "SHARED", tmp_path / "nowhere")
    Ring(FORMS, 1).close()
