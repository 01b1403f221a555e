"""Reading and writing files safely: bounded reads, and writes that leave either the old file or the new one."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from planner.errors import ModelError, StageboardError
from planner.temporary import name_beside, noted

ZIP, GZIP = b"PK\x03\x04", b"\x1f\x8b"
"""How compressed files begin: archives, and single files."""
MEBIBYTE = 1 << 20
JSON_LIMIT = 256 * MEBIBYTE
"""JSON files above this size (bytes) are refused before they are read."""


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a whole file or nothing, as :func:`placing` does.

    Text is written as UTF-8 with the line ends it has. Raises :class:`StageboardError` where the system refuses.
    """
    write_together({Path(path): content})
    return Path(path)


def write_together(contents: Mapping[Path, str | bytes]) -> None:
    """Write several files as :func:`write_atomically` does, none of them unless there is room for all.

    Raises :class:`StageboardError` where the system refuses.
    """
    with ExitStack() as places:
        for path, content in contents.items():
            temporary = places.enter_context(placing(path))
            temporary.write_bytes(_encoded(content, path))


def _encoded(content: str | bytes, path: Path) -> bytes:
    if isinstance(content, bytes):
        return content
    try:
        return content.encode("utf-8")
    except UnicodeEncodeError as error:
        around = content[max(0, error.start - 20) : error.end + 20]
        raise StageboardError(
            f"{path.name} would hold a name that is not UTF-8 ({ascii(around)[1:-1]}); rename that file or folder"
        ) from error


@contextmanager
def placing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """An empty file beside ``path`` for the block to fill, flushed to disk and moved over ``path`` when the block ends well.

    Where it does not, the file vanishes and what was there before stays. Of a link, the file that it leads to is replaced
    (:func:`behind_links`). Raises :class:`StageboardError` where the system refuses.
    """
    path = Path(path)
    target = behind_links(path)
    try:
        if target.is_dir():
            raise StageboardError(f"{path} is a folder; give the name of a file to write")
        if target.exists() and not target.is_file():
            raise StageboardError(
                f"{path} is a device or a pipe, which cannot be replaced; give the name of a file to write"
            )
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        temporary = name_beside(target)
        with noted(temporary):
            try:
                os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
                yield temporary
                with open(temporary, "rb") as file:
                    os.fsync(file.fileno())
                os.chmod(temporary, mode)
                os.replace(temporary, target)
            finally:
                with suppress(OSError):
                    os.unlink(temporary)  # gone already after the move
        sync_folder(target.parent)
    except OSError as error:
        raise not_written(path, error) from error


def sync_folder(folder: Path) -> None:
    """Flush to disk what a folder lists: a file that took the place of another is only then there after a power cut.

    Some file systems cannot; what is written is written all the same.
    """
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def behind_links(path: str | os.PathLike[str]) -> Path:
    """The file or folder that ``path`` leads to: what a link names, which need not be there yet; else ``path`` itself.

    Raises :class:`StageboardError` for links that lead in a circle or into a folder that does not exist.
    """
    path = Path(path)
    if not path.is_symlink():
        return path
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise StageboardError(f"{path} is a link that leads back to itself; remove it or choose another name")
    if not target.parent.is_dir():
        raise StageboardError(
            f"{path} is a link to {target}, and there is no folder {target.parent}; make it or choose another name"
        )
    return target


def not_written(
    path: str | os.PathLike[str],
    error: OSError,
    advice: str = "nothing was changed, choose another place",
) -> StageboardError:
    """What to raise where the system refuses to write ``path``; ``advice`` says what became of it and what to do."""
    return StageboardError(f"{path} cannot be written ({_reason(error)}); {advice}")


def _umask() -> int:
    # The mask can only be read by setting it; Linux also lists it without that race.
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("Umask:"):
                return int(line.split()[1], 8)
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def read_bytes(
    path: str | os.PathLike[str],
    limit: int,
    *,
    remedy: str = "split it or save it in another format",
    error: type[StageboardError] = ModelError,
) -> bytes:
    """The content of a regular file of at most ``limit`` bytes; larger ones are refused unread.

    Raises ``error`` with one sentence for a missing, unreadable, empty or too large file, a folder or a device.
    """
    file = Path(path)
    try:
        if file.is_dir():
            raise error(f"{file.name or file} is a folder; choose a file in it")
        if not file.exists():
            raise error(f"{file} does not exist; check the path")
        if not file.is_file():
            raise error(f"{file.name} is not a regular file; choose a file on disk")
        size = file.stat().st_size
        if size > limit:
            raise error(
                f"{file.name} has {size / MEBIBYTE:,.0f} MiB, more than the {limit / MEBIBYTE:,.0f} MiB that"
                f" are read of such a file; {remedy}"
            )
        with file.open("rb") as stream:
            data = stream.read(limit + 1)
    except (OSError, ValueError) as problem:
        if isinstance(problem, StageboardError):
            raise
        why = _reason(problem) if isinstance(problem, OSError) else str(problem)
        raise error(
            f"{file.name or file} cannot be read ({why}); check the path and its permissions"
        ) from problem
    if len(data) > limit:
        raise error(f"{file.name} grew beyond {limit / MEBIBYTE:,.0f} MiB while it was read; {remedy}")
    if not data.strip():
        raise error(f"{file.name} is empty; save or download it again")
    return data


def read_text(path: str | os.PathLike[str], limit: int, **options: Any) -> str:
    """Like :func:`read_bytes`, decoded as UTF-8 (a byte order mark is dropped)."""
    error: type[StageboardError] = options.get("error", ModelError)
    data = read_bytes(path, limit, **options)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise error(
            f"{Path(path).name} is not UTF-8 text (byte {problem.start}); save it as UTF-8 or choose another file"
        ) from problem


def parse_json(
    text: str, name: str, error: type[StageboardError] = ModelError, *, finite: bool = True
) -> Any:
    """The value of a JSON text. Keys that an object has twice are refused, and ``NaN`` and ``Infinity``, which JSON does not have, unless not all numbers are to be ``finite``."""

    def refuse(constant: str) -> NoReturn:
        raise error(f"{name} contains {constant}; every number must be finite")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        held = dict(pairs)
        if len(held) < len(pairs):
            twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
            raise error(
                f"{name} has an object with two values for {ascii(twice)[:60]}; leave one, since only one can be meant"
            )
        return held

    try:
        return json.loads(text, parse_constant=refuse if finite else None, object_pairs_hook=once)
    except StageboardError:
        raise
    except json.JSONDecodeError as problem:
        raise error(
            f"{name} is not complete, valid JSON (line {problem.lineno}, column {problem.colno}: {problem.msg});"
            " save or download it again"
        ) from problem
    except RecursionError as problem:
        raise error(f"{name} nests its JSON too deeply; a model or plan needs only a few levels") from problem
    except ValueError as problem:  # an integer of more digits than Python converts
        raise error(f"{name} contains a number that is too long; every number must be finite") from problem


def read_json(
    path: str | os.PathLike[str], *, limit: int = JSON_LIMIT, error: type[StageboardError] = ModelError
) -> Any:
    """The value in a JSON file of at most ``limit`` bytes. Raises ``error`` with one sentence."""
    text = read_text(path, limit, error=error, remedy="save the model as ONNX instead")
    return parse_json(text, Path(path).name, error)


def to_json(value: Any, *, indent: int | None = 1) -> str:
    """JSON text with a final newline. Infinite or NaN numbers are a programming error (ValueError)."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if indent is None:
        return text + "\n"
    try:
        # Python's own indenting is five times slower than its writing.
        return msgspec.json.format(text, indent=indent) + "\n"
    except UnicodeEncodeError:  # a name that is not UTF-8: whoever writes the text says so
        return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False) + "\n"
