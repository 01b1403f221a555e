"""Files of Keras models: the configuration, and how large the weights of single layers are.

``.keras`` is a zip archive with ``config.json`` and ``model.weights.h5``; ``.h5`` is an HDF5 file with the configuration in the attribute
``model_config``. Of weights the sizes alone are asked for, and only of layers whose configuration does not tell them: no weight is ever
read. HDF5 files are opened for reading; links to other files and data kept in other files are refused.

The HDF5 library trusts what it reads: damaged files can end the process that it is in. So it runs in a process of its own, and what is left of one that
ended is a sentence.
"""

from __future__ import annotations

import multiprocessing
import os
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from planner.errors import ModelError
from planner.files import JSON_LIMIT, MEBIBYTE, parse_json, read_bytes
from planner.formats.archives import Archive
from planner.printable import clean, one_line
from planner.processes.question import ENDED, Answer, Aside

HDF5 = b"\x89HDF\r\n\x1a\n"
CONFIG = "config.json"
WEIGHTS = "model.weights.h5"
SECONDS = 60.0
"""How long the HDF5 library may look into a file."""
_MOST_OBJECTS = 200_000
_DEEPEST = 40


def is_keras(names: tuple[str, ...]) -> bool:
    """Whether an archive with members of these names is a Keras model."""
    return CONFIG in names and (WEIGHTS in names or "metadata.json" in names)


def read_config(path: str | os.PathLike[str]) -> Any:
    """The JSON value of a model's configuration. Raises :class:`ModelError`."""
    file = Path(path).name
    if _is_hdf5(path):
        return parse_json(_aside(_model_config, str(path), file), file)
    with Archive(path) as archive:
        if CONFIG not in archive.names:
            raise ModelError(
                f"{file} is an archive without a {CONFIG}, so it is no Keras model; save it with model.save"
            )
        return parse_json(archive.text(CONFIG, JSON_LIMIT), file)


def weight_sizes(
    path: str | os.PathLike[str], places: dict[str, tuple[str, ...]]
) -> dict[str, tuple[int, int]]:
    """The number and bytes of the weights that layers keep, by the layers' keys; ``places`` has the groups that each may be in.

    Layers of which the file has no group are left out. Raises :class:`ModelError` for what leads out of the file.
    """
    file = Path(path).name
    found: dict[str, tuple[int, int]] = _aside(_kept, str(path), places, file)
    return found


def _aside(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function of this module says of a file, its last argument, called in a process of its own. Raises :class:`ModelError`."""
    if multiprocessing.current_process().daemon:  # it is one, and may have none
        return function(*arguments)
    file, end = arguments[-1], time.monotonic() + SECONDS
    question = Aside(function, *arguments)
    try:
        while (answer := question.poll()) is None:
            if time.monotonic() > end:
                raise ModelError(
                    f"{file} takes the HDF5 library longer than {SECONDS:g} s to look into; save it again"
                )
            time.sleep(0.002)
    finally:
        question.close()
    if isinstance(answer, Answer) and answer.detail:
        raise RuntimeError(answer.sentence)
    if isinstance(answer, Answer) and answer.sentence == ENDED:
        raise ModelError(f"{file} is damaged, and the HDF5 library ended over it; save or download it again")
    if isinstance(answer, Answer) and answer.sentence:
        raise ModelError(answer.sentence)
    return answer.value


def _model_config(path: str, file: str) -> str:
    with _opened(path, file) as root:
        return _attribute(root, file)


def _kept(path: str, places: dict[str, tuple[str, ...]], file: str) -> dict[str, tuple[int, int]]:
    if _is_hdf5(path):
        with _opened(path, file) as root:
            return _sizes(root, places, file)
    with zipfile.ZipFile(path) as archive:
        info = next((info for info in archive.infolist() if info.filename == WEIGHTS), None)
        if info is None or info.compress_type != zipfile.ZIP_STORED:
            return {}  # Keras packs nothing, and in what is packed one cannot look here and there
        with archive.open(info) as stream, _opened(stream, file) as root:
            return _sizes(root, places, file)


def _is_hdf5(path: str | os.PathLike[str]) -> bool:
    if not Path(path).is_file():
        read_bytes(path, 0)  # says what is wrong with the path
    with Path(path).open("rb") as stream:
        return stream.read(len(HDF5)) == HDF5


@contextmanager
def _opened(source: Any, file: str) -> Iterator[Any]:
    """The root of an HDF5 file, whatever is wrong with it said in a sentence."""
    import h5py

    try:
        with h5py.File(source, "r") as root:
            yield root
    except ModelError:
        raise
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, OverflowError) as error:
        raise ModelError(
            f"{file} is not a complete HDF5 file ({clean(one_line(str(error)))[:100] or type(error).__name__}); save or download it again"
        ) from error


def _attribute(root: Any, file: str) -> str:
    if "model_config" not in root.attrs:
        what = (
            "weights without a model" if "layer_names" in root.attrs or "layers" in root else "no Keras model"
        )
        raise ModelError(f"{file} holds {what}; save the whole model, with model.save")
    identity = root.attrs.get_id("model_config")
    if identity.shape != () or identity.get_storage_size() > JSON_LIMIT:
        raise ModelError(f"{file}: its model_config is no single text; save the model again")
    told = root.attrs["model_config"]
    if isinstance(told, bytes):
        told = told.decode("utf-8", "replace")
    if not isinstance(told, str) or len(told) > JSON_LIMIT:
        raise ModelError(
            f"{file}: its model_config is no text of at most {JSON_LIMIT // MEBIBYTE} MiB; save the model again"
        )
    return told


def _sizes(root: Any, places: dict[str, tuple[str, ...]], file: str) -> dict[str, tuple[int, int]]:
    found, left = {}, [_MOST_OBJECTS]
    for key, candidates in places.items():
        for place in candidates:
            if (group := _inside(root, place, file)) is not None:
                found[key] = _size(group, file, left, 0)
                break
    return found


def _inside(root: Any, place: str, file: str) -> Any:
    """The group at a path, None where there is none; each step is looked at before it is taken."""
    here = root
    for step in place.split("/"):
        if not _is_group(here) or step not in here:
            return None
        _check_link(here, step, file)
        here = here[step]
    return here


def _is_group(thing: Any) -> bool:
    import h5py

    return isinstance(thing, h5py.Group)


def _check_link(group: Any, name: str, file: str) -> None:
    import h5py

    link = group.get(name, getlink=True)
    if not isinstance(link, h5py.HardLink):
        raise ModelError(
            f"{file}: its part '{clean(name)[:80]}' is a link that leads elsewhere, which is never followed; save the model again"
        )


def _size(thing: Any, file: str, left: list[int], depth: int) -> tuple[int, int]:
    """The number and bytes of all weights in a group; counters of random numbers are none."""
    left[0] -= 1
    if left[0] < 0 or depth > _DEEPEST:
        raise ModelError(
            f"{file} holds more groups of weights, or deeper ones, than any model has; save the model again"
        )
    if not _is_group(thing):
        if not hasattr(thing, "is_virtual"):
            return 0, 0
        if thing.external or thing.is_virtual:
            raise ModelError(
                f"{file} keeps weights in other files, which are never opened; save the model in one file"
            )
        return int(thing.size or 0), int(thing.nbytes or 0)
    count = size = 0
    for name in thing:
        if name in ("seed_generator", "metrics", "optimizer"):
            continue
        _check_link(thing, name, file)
        more, larger = _size(thing[name], file, left, depth + 1)
        count, size = count + more, size + larger
    return count, size
