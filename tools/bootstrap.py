#!/usr/bin/env python3
"""Make what `make` needs: the system libraries of Qt, and .venv with the pinned packages.

    python3 tools/bootstrap.py [--dev] [--window] [--kernels]

``--dev`` adds the tools for tests and checks; ``--window`` the libraries of a real window where a display is there;
``--kernels`` compiles ahead what the window would compile beside itself.
Runs on the system's own Python with nothing but the standard library, and does nothing twice: the second
call takes a fraction of a second. Exit status: 0 all is there, 1 something is missing and the last line says
what to type.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import hashlib
import importlib.util
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OLDEST_PYTHON = (3, 11)
OWN_PACKAGES = ("planner", "gui", "stageboard")
SHORTEST = 1.0
"""Seconds of a phase that is worth a line."""

# Shared objects that Qt loads, by the Debian package that brings them.
QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libglib-2.0.so.0": "libglib2.0-0",
}
X11_LIBRARIES = {
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}
WAYLAND_LIBRARIES = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}
FONT_PACKAGE = "fonts-dejavu-core"


class SetUpError(Exception):
    """Something only the person at the keyboard can mend; the text says what to type."""


def say(text: str) -> None:
    print(text, flush=True)


# ------------------------------------------------------------------------------------------- system packages


def loads(library: str) -> bool:
    """Tell whether the dynamic linker finds the shared object."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def has_fonts() -> bool:
    """Tell whether there is any scalable font; without one Qt draws empty boxes."""
    places = [
        Path("/usr/share/fonts"),
        Path("/usr/local/share/fonts"),
        Path.home() / ".local/share/fonts",
        Path.home() / ".fonts",
    ]
    return any(
        name.lower().endswith((".ttf", ".otf", ".ttc"))
        for place in places
        for _, _, names in os.walk(place)
        for name in names
    )


def has_venv() -> bool:
    """Tell whether virtual environments can be made; Debian ships that part of Python as a package of its own."""
    return importlib.util.find_spec("ensurepip") is not None


def missing_packages(
    environment: Mapping[str, str],
    window: bool,
    *,
    loads: Callable[[str], bool] = loads,
    has_fonts: Callable[[], bool] = has_fonts,
    has_venv: Callable[[], bool] = has_venv,
    which: Callable[[str], str | None] = shutil.which,
) -> tuple[list[str], list[str]]:
    """Return the Debian packages that are needed and missing, and those that are only good to have."""
    libraries = dict(QT_LIBRARIES)
    if window and environment.get("DISPLAY"):
        libraries |= X11_LIBRARIES
    if window and environment.get("WAYLAND_DISPLAY"):
        libraries |= WAYLAND_LIBRARIES
    needed = [package for library, package in libraries.items() if not loads(library)]
    if not has_fonts():
        needed.append(FONT_PACKAGE)
    if not has_venv():
        needed.append(f"python{sys.version_info[0]}.{sys.version_info[1]}-venv")
    good_to_have = [] if which("dot") else ["graphviz"]
    return needed, good_to_have


def privilege(which: Callable[[str], str | None] = shutil.which) -> list[str] | None:
    """Return the words that go before a command to run it as root: none for root itself, None where we may not."""
    if os.geteuid() == 0:
        return []
    sudo = which("sudo")
    if (
        sudo
        and subprocess.run(
            [sudo, "-n", "true"], check=False, capture_output=True, stdin=subprocess.DEVNULL
        ).returncode
        == 0
    ):
        return [sudo, "-n"]
    return None


def install_system_packages(packages: list[str], as_root: list[str]) -> bool:
    """Install Debian packages, fetching the package lists first only where the present ones do not do."""
    # env, because sudo drops the caller's environment
    apt = [
        *as_root,
        "env",
        "DEBIAN_FRONTEND=noninteractive",
        "apt-get",
        "-qq",
        "-o",
        "DPkg::Lock::Timeout=120",
    ]

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*apt, *words],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    install = ["install", "-y", "--no-install-recommends", *packages]
    done = run(*install)
    if done.returncode:
        run("update")
        done = run(*install)
    if done.returncode:
        say("\n".join(done.stdout.strip().splitlines()[-8:]))
    return done.returncode == 0


def ensure_system(environment: Mapping[str, str], window: bool) -> None:
    """Install what is missing, or raise SetUpError with the one line to type."""
    if not sys.platform.startswith("linux"):
        return  # Qt's wheels bring everything with them elsewhere
    needed, good_to_have = missing_packages(environment, window)
    if not needed and not good_to_have:
        return
    if not shutil.which("apt-get"):
        if needed:
            raise SetUpError(
                "Install what these Debian packages are called on your system, then try again: "
                + " ".join(needed)
            )
        return  # only Graphviz is missing, and its absence costs one optional layout
    as_root = privilege()
    wanted = needed + good_to_have
    if as_root is not None:
        say(f"Installing system packages: {' '.join(wanted)}")
        if install_system_packages(wanted, as_root):
            return
        say("That did not work.")
        needed, good_to_have = missing_packages(environment, window)
        wanted = needed + good_to_have
    line = "sudo apt-get install --no-install-recommends " + " ".join(wanted)
    if needed:
        raise SetUpError(f"System packages are missing. Type this line, then try again:\n  {line}")
    say(f"Graphviz is not installed: one optional layout is left out. To have it: {line}")


# -------------------------------------------------------------------------------------- virtual environment


def digest(root: Path, what: str) -> str:
    """Name a state of the pinned packages: it changes with the pins, the interpreter and the checkout's place."""
    interpreter = os.path.realpath(root / ".venv" / "bin" / "python")  # another one after a system upgrade
    state = hashlib.sha256(f"{what}\n{interpreter}\n{root}\n".encode())
    for name in ("pyproject.toml", "constraints.txt"):
        state.update((root / name).read_bytes())
    return state.hexdigest()


class Environment:
    """The checkout's virtual environment and the notes it keeps about its own state."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.python = self.folder / "bin" / "python"
        self._unfinished = self.folder / ".unfinished"

    def stamp(self, what: str) -> Path:
        return self.folder / f".ready-{what}"

    def is_ready(self, dev: bool) -> bool:
        """Tell whether the pinned packages are in; an environment with the development tools serves both."""
        if self._unfinished.exists() or not os.access(self.python, os.X_OK):
            return False
        return any(
            self.stamp(what).is_file() and self.stamp(what).read_text() == digest(self.root, what)
            for what in (["dev"] if dev else ["run", "dev"])
        )

    def works(self) -> bool:
        """Tell whether what is there was made to the end: an interpreter that starts and has pip."""
        if self._unfinished.exists() or not os.access(self.python, os.X_OK):
            return False
        return (
            subprocess.run(
                [self.python, "-m", "pip", "--version"], check=False, capture_output=True
            ).returncode
            == 0
        )

    def make(self, dev: bool) -> None:
        """Create or bring up to date. Whatever interrupts this, the next call starts from nothing."""
        if not self.works():
            if self.folder.exists():
                say("The virtual environment in .venv is unfinished or broken: making it anew")
            else:
                say("Making the virtual environment .venv")
            try:
                with phase("Virtual environment"):
                    venv.EnvBuilder(with_pip=True, clear=True).create(self.folder)
            except (OSError, subprocess.CalledProcessError) as error:
                raise SetUpError(
                    f"The virtual environment {self.folder} could not be made: {error}"
                ) from error
        self._unfinished.touch()
        for stamp in self.folder.glob(".ready-*"):
            stamp.unlink()
        say("Installing the pinned packages, a few minutes at first")
        # What builds the editable install comes first and pinned: an isolated build would fetch whatever is newest.
        with phase("Packages"):
            self._pip(["setuptools"])
            self._pip(["--no-build-isolation", "--editable", ".[dev]" if dev else "."])
        what = "dev" if dev else "run"
        self.stamp(what).write_text(digest(self.root, what))
        self._unfinished.unlink()

    def _pip(self, words: Iterable[str]) -> None:
        command = [str(self.python), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
        command += ["--progress-bar", "off", "--constraint", "constraints.txt", *words]
        lines: list[str] = []
        with subprocess.Popen(
            command,
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as pip:
            assert pip.stdout is not None
            try:
                for line in pip.stdout:
                    lines.append(line.rstrip())
                    if sys.stdout.isatty() and line.startswith(("Collecting", "Installing", "Downloading")):
                        print(f"\r\033[K  {line.strip()[:100]}", end="", flush=True)
            except BaseException:  # a pip that goes on alone would meet the next call's
                pip.terminate()
                raise
        if sys.stdout.isatty():
            print("\r\033[K", end="", flush=True)
        if pip.returncode:
            say("\n".join(lines[-15:]))
            raise SetUpError(
                "pip could not install the pinned packages (see above); is the package index reachable?"
            )

    def compile_modules(self) -> None:
        """Compile our modules to bytecode where they changed: pip does so for packages, but not for a checkout.

        Python would keep it by itself, unless it is told not to write any (``PYTHONDONTWRITEBYTECODE``), or may not.
        """
        subprocess.run(
            [self.python, "-m", "compileall", "-q", *OWN_PACKAGES],
            check=False,
            cwd=self.root,
            stdin=subprocess.DEVNULL,
        )

    def compile_kernels(self) -> None:
        """Compile what compiles at first use now, on all cores: tests and measurements must not wait for it.

        Does nothing where it was done, for this checkout or for another one with the same kernels.
        """
        done = subprocess.run(
            [self.python, "-m", "gui.app.warm_up"],
            check=False,
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        )
        if done.returncode:
            say("They could not all be compiled ahead; the others are compiled when first used instead")


@contextlib.contextmanager
def phase(what: str) -> Iterator[None]:
    """Say how long a phase took, and how much of that a processor was busy, where it took long enough to ask."""
    began, busy = time.monotonic(), sum(os.times()[:4])
    yield
    seconds = time.monotonic() - began
    if seconds >= SHORTEST:
        say(f"{what}: {seconds:.0f} s ({sum(os.times()[:4]) - busy:.0f} s of processor time)")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dev", action="store_true", help="also the tools for tests and checks")
    parser.add_argument(
        "--window", action="store_true", help="also the libraries of a real window, where a display is there"
    )
    parser.add_argument(
        "--kernels",
        action="store_true",
        help="also compile the kernels ahead, which the window does beside itself",
    )
    options = parser.parse_args(arguments)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if sys.version_info < OLDEST_PYTHON:
            wanted = ".".join(map(str, OLDEST_PYTHON))
            raise SetUpError(
                f"Python {wanted} or newer is needed and this is {platform.python_version()}: "
                f"name another one, such as `make PYTHON=python{wanted} run`"
            )
        try:
            import fcntl
        except ImportError:
            raise SetUpError(
                "Stageboard is set up by make on Linux and macOS alone; docs/systems.md says what is tested and what to do here"
            ) from None
        # Two makes at once take turns.
        with open(ROOT / "constraints.txt", "rb") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            with phase("System packages"):
                ensure_system(os.environ, options.window)
            environment = Environment(ROOT)
            if not environment.is_ready(options.dev):
                environment.make(options.dev)
            with phase("Modules"):
                environment.compile_modules()
            if options.kernels:
                with phase("Kernels"):
                    environment.compile_kernels()
    except SetUpError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped; the next call begins again where it is safe to.", file=sys.stderr)
        return 130
    finally:
        signal.signal(signal.SIGTERM, before)
    return 0


if __name__ == "__main__":
    sys.exit(main())
