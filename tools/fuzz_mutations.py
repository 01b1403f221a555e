"""Ways to damage a file: bytes, words, the values of a tree, the fields of a protobuf message, the arrays of an archive.

Every function takes what is whole and a seeded :class:`random.Random` and returns what is damaged. Damage is small, so that
most of it reaches deep into the readers rather than being refused at the first byte.
"""

from __future__ import annotations

import copy
import io
import json
import math
import random
import re
import struct
import zipfile
from collections.abc import Callable
from typing import Any

HOSTILE_BYTES = (
    b"", b"\0", b"\xff", b"\xc3\x28", b"-", b"1e999", b"NaN", b"9" * 30, b'"', b"'", b"{", b"[", b"]", b"}", b",", b"<", b">", b"&",
    b"\n", b"\r\n", b"\t", b"%", b"#", b"=", b";", b"->", b"\x1b[31m", b"\xe2\x80\xae", b"\xe2\x81\xa6", b"\xef\xbf\xbf", b"null",
    b"\x80\x80\x80\x80\x01", b"\x7f\xff\xff\xff", b"A" * 5000,
)  # fmt: skip
HOSTILE_TEXTS = (
    "", " ", "\0", "\x1b[31mred", "\u202eabc\u202c", "\u2066x\u2069", "a\nb", "\ud800", "x" * 5000, "../../etc/passwd", "/dev/zero",
    "<img src=x onerror=1>", "=1+1", "-1", "1e400", "NaN", "__class__", "{0}", "%s", "9" * 400, "\u0661", "pool:2+1", "a b", "*", "**",
)  # fmt: skip
HOSTILE_NUMBERS = (
    0, -1, 1, 2, 255, 65536, 2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 10**30, 10**400, -(2**63), 0.5, -0.0, 1e-320, 1e30, 1e308,
    math.inf, -math.inf, math.nan, True, False,
)  # fmt: skip
_FEW = (1, 1, 1, 2, 2, 3, 5)
"""How many damages there are, each as often as the next."""
_WORD = re.compile(rb"[A-Za-z0-9_.+-]+|\s+|.", re.DOTALL)


def damaged_bytes(data: bytes, rng: random.Random) -> bytes:
    """A few bytes changed, put in, left out, doubled or swapped, or the end cut off."""
    content = bytearray(data)
    for _ in range(rng.choice(_FEW)):
        at = rng.randrange(len(content) + 1)
        end = min(len(content), at + rng.choice((0, 1, 1, 2, 4, 8, 64)))
        kind = rng.randrange(6)
        if kind == 0:
            content[at:end] = rng.choice(HOSTILE_BYTES)
        elif kind == 1:
            content[at:end] = rng.randbytes(end - at)
        elif kind == 2 and at < len(content):
            content[at] ^= 1 << rng.randrange(8)
        elif kind == 3:
            content[at:at] = content[at : at + rng.randint(1, 200)]
        elif kind == 4:
            del content[at:end]
        elif rng.random() < 0.3:
            del content[at:]
    return bytes(content)


def damaged_words(data: bytes, rng: random.Random) -> bytes:
    """A few words of a text changed, left out, doubled or swapped."""
    words = _WORD.findall(data)
    for _ in range(rng.choice(_FEW)):
        if not words:
            break
        i, j = rng.randrange(len(words)), rng.randrange(len(words))
        kind = rng.randrange(5)
        if kind == 0:
            words[i] = rng.choice(HOSTILE_BYTES)
        elif kind == 1:
            words[i] = rng.choice(HOSTILE_TEXTS).encode("utf-8", "surrogatepass")
        elif kind == 2:
            words[i], words[j] = words[j], words[i]
        elif kind == 3:
            words[i:i] = words[j : j + rng.randint(1, 12)]
        else:
            del words[i : i + rng.randint(1, 3)]
    return b"".join(words)


# ---------------------------------------------------------------------- trees
def damaged_tree(tree: Any, rng: random.Random) -> Any:
    """A copy of nested dictionaries and lists with a few values changed, left out, doubled, renamed or moved."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice(_FEW)):
        places = list(_places(tree))
        if not places:
            return _hostile_value(rng)
        holder, key = rng.choice(places)
        kind = rng.randrange(6)
        if kind <= 1:
            holder[key] = _hostile_value(rng)
        elif kind == 2:
            other, place = rng.choice(places)
            holder[key] = copy.deepcopy(other[place])
        elif kind == 3:
            del holder[key]
        elif kind == 4 and isinstance(holder, list):
            holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
        elif isinstance(holder, dict):
            holder[rng.choice(HOSTILE_TEXTS)] = holder.pop(key)
    return tree


def _places(tree: Any) -> Any:
    """Every (holder, key or index) in a tree."""
    waiting = [tree]
    while waiting:
        holder = waiting.pop()
        for key in holder if isinstance(holder, dict) else range(len(holder)):
            yield holder, key
            if isinstance(holder[key], (dict, list)):
                waiting.append(holder[key])


def _hostile_value(rng: random.Random) -> Any:
    kind = rng.randrange(8)
    if kind <= 2:
        return rng.choice(HOSTILE_NUMBERS)
    if kind <= 4:
        return rng.choice(HOSTILE_TEXTS)
    if kind == 5:
        return rng.choice(([], {}, None, [None], [[]], {"": {}}, [1, "a", None], {"id": "x"}))
    if kind == 6:
        return [rng.choice(HOSTILE_NUMBERS) for _ in range(rng.choice((1, 3, 70)))]
    deep: Any = rng.choice(HOSTILE_NUMBERS)
    for _ in range(rng.choice((3, 60, 200))):
        deep = [deep]
    return deep


def to_toml(tree: Any) -> str:
    """A tree as TOML; what TOML does not have (null, names that are no text) is left out or written as text."""
    if not isinstance(tree, dict):
        return f"value = {_toml_value(tree)}\n"
    return "".join(f"{_toml_text(str(key))} = {_toml_value(value)}\n" for key, value in tree.items())


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(value)
    if isinstance(value, int):
        return _digits(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    if isinstance(value, dict):
        pairs = (f"{_toml_text(str(key))} = {_toml_value(entry)}" for key, entry in value.items())
        return f"{{{', '.join(pairs)}}}"
    return _toml_text("" if value is None else str(value))


def _digits(value: int) -> str:
    return f"{value}" if abs(value) < 10**4000 else "9" * 4001


def _toml_text(text: str) -> str:
    return json.dumps(text.encode("utf-8", "replace").decode("utf-8"), ensure_ascii=False)


# ---------------------------------------------------------------------- protobuf
def damaged_message(message: Any, rng: random.Random) -> Any:
    """A copy of a protobuf message with a few fields, anywhere in it, changed, cleared, doubled or moved."""
    damaged = type(message)()
    damaged.CopyFrom(message)
    for _ in range(rng.randint(1, 4)):
        inner = [damaged, *_messages(damaged)]
        target = rng.choice(inner)
        fields = [field for field, _ in target.ListFields()] if rng.random() < 0.7 else []
        field = rng.choice(fields or list(target.DESCRIPTOR.fields))
        if field.is_repeated:
            _damage_repeated(getattr(target, field.name), field, inner, rng)
        elif rng.random() < 0.3:
            target.ClearField(field.name)
        elif field.message_type is not None:
            donors = [m for m in inner if m.DESCRIPTOR is field.message_type and m is not target]
            if donors:
                getattr(target, field.name).CopyFrom(_copied(rng.choice(donors)))
        else:
            _set(lambda value, t=target, f=field: setattr(t, f.name, value), rng)
    return damaged


def _messages(message: Any) -> Any:
    for field, value in message.ListFields():
        if field.message_type is not None:
            for part in value if field.is_repeated else (value,):
                yield part
                yield from _messages(part)


def _copied(message: Any) -> Any:
    copied = type(message)()
    copied.CopyFrom(message)
    return copied


def _damage_repeated(values: Any, field: Any, inner: list[Any], rng: random.Random) -> None:
    kind = rng.randrange(4)
    if kind == 0 and len(values):
        del values[rng.randrange(len(values))]
    elif kind == 1 and field.message_type is not None:
        donors = [m for m in inner if m.DESCRIPTOR is field.message_type]
        if donors:
            values.append(_copied(rng.choice(donors)))
    elif field.message_type is None:
        if kind == 2 and len(values):
            _set(lambda value: values.__setitem__(rng.randrange(len(values)), value), rng)
        else:
            for _ in range(rng.choice((1, 2, 70))):
                _set(values.append, rng)
    elif len(values) > 1:
        i, j = rng.randrange(len(values)), rng.randrange(len(values))
        first = _copied(values[i])
        values[i].CopyFrom(_copied(values[j]))
        values[j].CopyFrom(first)


def _set(put: Callable[[Any], object], rng: random.Random) -> None:
    """Put in the first hostile value that the field takes."""
    texts = [text for text in HOSTILE_TEXTS if text != "\ud800"]  # protobuf ends the process over it
    values = [*rng.sample(HOSTILE_NUMBERS, 8), *rng.sample(texts, 4), *rng.sample(HOSTILE_BYTES, 3)]
    rng.shuffle(values)
    for value in values:
        try:
            put(value)
        except (TypeError, ValueError, OverflowError):
            continue
        return


# ---------------------------------------------------------------------- archives of members
def damaged_archive(data: bytes, rng: random.Random, ends: tuple[str, ...], stored: bool = False) -> bytes:
    """A zip file, ``stored`` or packed, with a member whose name has one of these ends damaged, as a tree where it is JSON, else as bytes; or left out,
    renamed or doubled."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    chosen = [i for i, (name, _) in enumerate(members) if name.endswith(ends)]
    at = rng.choice(chosen)
    name, content = members[at]
    kind = rng.randrange(20)
    if kind == 0:
        del members[at]
    elif kind == 1:
        members[at] = (rng.choice(("x", f"../{name}", f"/{name}", f"a/b/{name}")), content)
    elif kind == 2:
        members.insert(at, (f"b/{name}", content))
    elif kind < 16 and name.endswith(".json"):
        text = json.dumps(damaged_tree(json.loads(content), rng), ensure_ascii=rng.random() < 0.5)
        members[at] = (name, text.encode("utf-8", "surrogatepass"))
    else:
        members[at] = (name, damaged_bytes(content, rng))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def damaged_hdf5(data: bytes, rng: random.Random) -> bytes:
    """A Keras model in HDF5 whose configuration is damaged as a tree, or a link of whose weights leads elsewhere."""
    import h5py

    buffer = io.BytesIO(data)
    with h5py.File(buffer, "r+") as file:
        if rng.random() < 0.85:
            tree = damaged_tree(json.loads(file.attrs["model_config"]), rng)
            file.attrs["model_config"] = json.dumps(tree).replace("\\u0000", "")
        else:
            weights = file["model_weights"]
            name = rng.choice(list(weights))
            del weights[name]
            weights[name] = rng.choice(
                (
                    h5py.SoftLink("/nowhere"),
                    h5py.SoftLink(f"/model_weights/{name}"),
                    h5py.ExternalLink("/etc/passwd", "/"),
                    weights,
                )
            )
    return buffer.getvalue()


# ---------------------------------------------------------------------- archives of arrays
def damaged_arrays(data: bytes, rng: random.Random) -> bytes:
    """An ``.npz`` file with an array left out, renamed, reshaped, of another type or with other values, or its bytes damaged."""
    import numpy as np

    with np.load(io.BytesIO(data)) as archive:
        arrays = {name: archive[name] for name in archive.files}
    for _ in range(rng.randint(1, 2)):
        name = rng.choice(sorted(arrays))
        array = arrays[name]
        kind = rng.randrange(6)
        if kind == 0 and len(arrays) > 1:
            del arrays[name]
        elif kind == 1:
            arrays[rng.choice(("x", "source", "W0", "../up", "a\nb", "\u202e"))] = arrays.pop(name)
        elif kind == 2:
            arrays[name] = (
                rng.choice((array[:-1], array[None], np.append(array, array))) if array.ndim else array[None]
            )
        elif kind == 3:
            with np.errstate(all="ignore"):
                types = ("i1", "u8", "f2", "f8", "c16", "?", "S3", "U2", "O", "M8[s]")
                if array.dtype.kind not in "SUOM":  # NumPy makes no numbers of texts, and no texts of dates
                    arrays[name] = array.astype(rng.choice(types), casting="unsafe")
        elif array.size and array.dtype.kind in "iuf":
            changed = array.copy()
            with np.errstate(all="ignore"):
                number = np.array(rng.choice((-1, 0, 1, 2**31 - 1, 1e30, np.nan, -np.inf)))
                changed.flat[rng.randrange(changed.size)] = number.astype(changed.dtype, casting="unsafe")
            arrays[name] = changed
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            inner = io.BytesIO()
            # Only written: an array of objects is a pickle, which the readers have to refuse unopened.
            np.lib.format.write_array(inner, np.asanyarray(array), allow_pickle=True)
            content = inner.getvalue()
            archive.writestr(f"{name}.npy", damaged_bytes(content, rng) if rng.random() < 0.2 else content)
    return buffer.getvalue()


# ---------------------------------------------------------------------- flatbuffers
def damaged_tflite(data: bytes, rng: random.Random) -> bytes:
    """A TFLite file with a few entries of its tables changed, left out, doubled or swapped; else with damaged words."""
    import flatbuffers
    from ai_edge_litert import schema_py_generated as schema

    if rng.random() < 0.4:
        return damaged_words32(data, rng)
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(data, 0))
    for _ in range(rng.randint(1, 3)):
        _damage_object(rng.choice(list(_objects(model))), rng)
    builder = flatbuffers.Builder(len(data) + 1024)
    try:
        builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    except (TypeError, ValueError, AttributeError, struct.error, OverflowError, AssertionError):
        return damaged_words32(data, rng)  # not every damage can be written down
    return bytes(builder.Output())


def damaged_words32(data: bytes, rng: random.Random) -> bytes:
    """A few aligned 32-bit words changed: offsets, lengths, indices."""
    content = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = 4 * rng.randrange(max(1, len(content) // 4))
        old = int.from_bytes(content[at : at + 4], "little")
        new = rng.choice(
            (
                0,
                1,
                2**31 - 1,
                2**32 - 1,
                len(content),
                old + 1,
                old - 1,
                old + 4,
                old - 4,
                old * 2,
                rng.getrandbits(32),
            )
        )
        content[at : at + 4] = (new % 2**32).to_bytes(4, "little")
    return bytes(content)


def _objects(thing: Any) -> Any:
    yield thing
    for value in vars(thing).values():
        for part in value if isinstance(value, list) else (value,):
            if hasattr(part, "Pack"):
                yield from _objects(part)


def _damage_object(thing: Any, rng: random.Random) -> None:
    name = rng.choice(list(vars(thing)))
    value = getattr(thing, name)
    if isinstance(value, list) and value:
        i, j = rng.randrange(len(value)), rng.randrange(len(value))
        kind = rng.randrange(3)
        if kind == 0:
            del value[i]
        elif kind == 1:
            value.insert(i, value[j])
        else:
            value[i], value[j] = value[j], value[i]
    elif isinstance(value, (bytes, str)):
        setattr(thing, name, rng.choice(HOSTILE_TEXTS).encode("utf-8", "surrogatepass"))
    elif hasattr(value, "dtype"):
        changed = value.copy()
        if changed.size:
            number = rng.choice((-1, 0, 1, 127, 2**31 - 1))
            changed.flat[rng.randrange(changed.size)] = number if changed.dtype.itemsize > 1 else number % 128
        setattr(thing, name, changed)
    elif isinstance(value, (int, float)):
        setattr(thing, name, rng.choice((0, -1, 1, value + 1, 127, 2**31 - 1)))
    else:
        setattr(thing, name, None)
