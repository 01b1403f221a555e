"""What pyproject.toml cannot say: which folders of the checkout an installed Stageboard carries, inside the package `stageboard`.

They stay where they are; `planner/model/samples.py` finds them in a checkout, in an installed package and in a frozen app.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
CARRIED = ("assets/**/*.svg", "assets/**/*.json", "assets/*.npz", "sample_models/*", "docs/*.md")
"""Patterns of files at the top. The help window reads the documentation, without its pictures: these are twice as large as all else."""
PLACE = Path("stageboard", "shipped")


class Build(build_py):
    """Builds the packages, and puts the carried files into one of them."""

    def run(self) -> None:
        """As the base class; an editable install has no copies."""
        super().run()
        if self.editable_mode:
            return
        for source, target in self._carried():
            self.mkpath(str(target.parent))
            self.copy_file(str(source), str(target), preserve_mode=False)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """Every file that a build writes."""
        carried = [] if self.editable_mode else [str(target) for _, target in self._carried()]
        return [*super().get_outputs(include_bytecode), *carried]

    def _carried(self) -> Iterator[tuple[Path, Path]]:
        """(source, target) of every carried file."""
        for pattern in CARRIED:
            for source in sorted(ROOT.glob(pattern)):
                if source.is_file():
                    yield source, Path(self.build_lib) / PLACE / source.relative_to(ROOT)


setup(cmdclass={"build_py": Build})
