"""Hold the house to what the import contracts cannot say.

No circles, no machine named outside its rooms, no room too large, no array of the planner without its shape.

    python tools/check_house.py

Prints a line for each breach. Exit status: 0 none, 1 some.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).resolve().parents[1]
TOPS = ("planner", "gui", "stageboard")
MOST_LINES, MOST_FILES, LONGEST = 400, 32, 80
"""Lines of a file, files of a folder, lines of a function that is not compiled."""
MACHINES = "planner/machines"
ROOMS = {"mcm", "edge_tpu", "network"}
"""Folders of the window that are about one machine; ``network`` is about two-level memories."""
STORIES = "gui/tools/story/actions.py"
"""Lists the stories that come along, one of which is called as a kind is."""
COMPILED = ("njit", "kernel", "inner")
"""What decorators of compiled functions are called."""
SHAPE = re.compile(r"\w\[[^\]]*\]|\bshape\b")
"""A shape as docstrings give it: ``int32[n]``, ``ptr[n + 1]``, or in words."""
NAMED_SHAPE = r"``{name}``:? (?:bool|u?int\d+|float\d+)\["
"""An array that a class or a module documents for all its functions, by its name, dtype and shape."""
DTYPE = re.compile(r"\b(?:bool|u?int\d*|float\d*|dtypes?)\b")


class House:
    """Every module of the project, read."""

    def __init__(self, root: Path) -> None:
        self.root = root
        paths = sorted(path for top in TOPS for path in (root / top).rglob("*.py"))
        self.text = {path: path.read_text("utf-8") for path in paths}
        self.tree = {path: ast.parse(text, str(path)) for path, text in self.text.items()}
        self.module = {self._name(path): path for path in paths}

    def _name(self, path: Path) -> str:
        return ".".join(path.relative_to(self.root).with_suffix("").parts).removesuffix(".__init__")

    def place(self, path: Path) -> str:
        """A path as messages show it."""
        return path.relative_to(self.root).as_posix()

    def imports(self, path: Path) -> Iterator[str]:
        """The project's modules that one imports: anywhere in it, for types only as well."""
        for node in ast.walk(self.tree[path]):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in self.module)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    name = inner if inner in self.module else node.module
                    if name in self.module:
                        yield name


def circles(house: House) -> Iterator[str]:
    """Modules that import one another, at the top, in a function, or for types only. What packages hand on does not count."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    for name, path in house.module.items():
        if path.name != "__init__.py":
            found = (other for other in house.imports(path) if house.module[other].name != "__init__.py")
            graph.add_edges_from((name, other) for other in found if other != name)
    for part in nx.strongly_connected_components(graph):
        if len(part) > 1:
            yield f"import circle: {', '.join(sorted(part))}"


def machine_names(house: House) -> tuple[set[str], set[str]]:
    """The classes of targets, and the kinds that no other word is spelled like."""
    classes, kinds = set(), set()
    for path in (house.root / MACHINES).glob("*/target.py"):
        for node in house.tree[path].body:
            if isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "Target" for base in node.bases):
                classes.add(node.name)
                for entry in node.body:
                    if isinstance(entry, ast.AnnAssign) and ast.unparse(entry.target) == "kind":
                        assert isinstance(entry.value, ast.Constant)
                        kinds.add(str(entry.value.value))
    return classes, kinds - {"pipeline", "pool", "memory"}


def named_machines(house: House) -> Iterator[str]:
    """Places outside the machines, and outside the window's rooms for one machine, that name a machine's class or kind."""
    classes, kinds = machine_names(house)
    for path, tree in house.tree.items():
        place = house.place(path)
        if (
            place == STORIES
            or place.startswith(MACHINES)
            or (place.startswith("gui/") and ROOMS & set(path.parts))
        ):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in classes:
                yield f"{place}:{node.lineno} names {node.id}; ask the target what it is instead"
            elif isinstance(node, ast.Constant) and node.value in kinds:
                yield f"{place}:{node.lineno} names the kind '{node.value}'; ask the target what it is instead"


def sizes(house: House) -> Iterator[str]:
    """Files, folders and functions that are too large."""
    files: dict[Path, int] = {}
    for path, text in house.text.items():
        files[path.parent] = files.get(path.parent, 0) + 1
        if (lines := text.count("\n")) > MOST_LINES:
            yield f"{house.place(path)} has {lines} lines; part it along its subject ({MOST_LINES} at most)"
        for node in ast.walk(house.tree[path]):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                length = (node.end_lineno or 0) - node.lineno + 1
                compiled = any(word in ast.unparse(d) for d in node.decorator_list for word in COMPILED)
                if length > LONGEST and not compiled:
                    yield f"{house.place(path)}:{node.lineno} {node.name} has {length} lines ({LONGEST} at most)"
    for folder, count in files.items():
        if count > MOST_FILES:
            yield f"{house.place(folder)} has {count} files ({MOST_FILES} at most)"


def array_types(house: House) -> set[str]:
    """Names of array types: numpy's two and every alias that is made of them and shares its name with no class."""
    names = {"ndarray", "NDArray"}
    aliases = [
        (target.id, node.value)
        for tree in house.tree.values()
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    while more := {name for name, value in aliases if names & words(value)} - names:
        names |= more
    classes = (
        node.name for tree in house.tree.values() for node in tree.body if isinstance(node, ast.ClassDef)
    )
    return names.difference(classes)


def words(annotation: ast.AST) -> set[str]:
    """The type names in an annotation, but those of a function that is handed over."""
    if isinstance(annotation, ast.Subscript) and "Callable" in ast.unparse(annotation.value):
        return set()
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return set(re.findall(r"\w+", annotation.value))
    own = {getattr(annotation, "id", None) or getattr(annotation, "attr", None) or ""}
    return own.union(*(words(child) for child in ast.iter_child_nodes(annotation)))


def public_functions(tree: ast.Module) -> Iterator[tuple[ast.ClassDef | None, ast.FunctionDef]]:
    """The functions of a module and the methods of its classes that others may call, constructors too."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield None, node
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for entry in node.body:
                if isinstance(entry, ast.FunctionDef) and (
                    entry.name == "__init__" or not entry.name.startswith("_")
                ):
                    yield node, entry


def bare_arrays(house: House) -> Iterator[str]:
    """Public functions of the planner with arrays whose shape, or dtype where the type leaves it open, no docstring says.

    The docstring is the function's own or that of the method it overrides, a constructor's also its class's. An array
    that the class or the module documents by name, dtype and shape needs no more.
    """
    types = array_types(house)
    parts = [(path, *part) for path, tree in house.tree.items() for part in public_functions(tree)]
    bases = {
        node.name: [ast.unparse(base).split("[")[0] for base in node.bases] for _, node, _ in parts if node
    }
    methods = {(node.name, function.name): function for _, node, function in parts if node}

    def inherited(kind: str, name: str) -> str:
        """The docstrings that a method has in the classes above its own."""
        above = [base for base in bases.get(kind, ()) if base != kind]
        found = (ast.get_docstring(methods[base, name]) for base in above if (base, name) in methods)
        return "\n".join([*(text or "" for text in found), *(inherited(base, name) for base in above)])

    for path, node, function in parts:
        if not house.place(path).startswith("planner/"):
            continue
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        named = {a.arg: words(a.annotation) & types for a in arguments if a.annotation}
        named[function.name] = words(function.returns) & types if function.returns else set()
        arrays = {name: found for name, found in named.items() if found}
        general = "\n".join(ast.get_docstring(part) or "" for part in (house.tree[path], node) if part)
        own = (ast.get_docstring(function) or "") + (inherited(node.name, function.name) if node else "")
        if function.name == "__init__" and node:
            own += ast.get_docstring(node) or ""
        if all(re.search(NAMED_SHAPE.format(name=name), general) for name in arrays):
            continue
        if not SHAPE.search(own) or (
            any("ndarray" in found for found in arrays.values()) and not DTYPE.search(own)
        ):
            place = f"{house.place(path)}:{function.lineno}"
            yield f"{place} {function.name} has arrays; say their shape in its docstring: {', '.join(arrays)}"


def main(root: Path = ROOT) -> int:
    """Print what is found."""
    house = House(root)
    found = [*circles(house), *named_machines(house), *sizes(house), *bare_arrays(house)]
    for line in found:
        print(line)
    print(f"{len(house.module)} modules: {f'{len(found)} breaches' if found else 'the house is in order'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
