"""The shape of the tree: sizes, words, public names, purity of the core, and what an import costs."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import bitte_nb

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "bitte_nb"

LONG_FOR_A_REASON: dict[str, str] = {
    "bitte_nb/agent/chat.py": "the whole public face of a chat: a short method for each act, half of it docstrings",
    "bitte_nb/history/jsonl_store.py": "one store: a short method for each thing that every store offers",
    "bitte_nb/history/postgres.py": "one store: a short method for each thing that every store offers",
    "bitte_nb/history/sqlite.py": "one store: a short method for each thing that every store offers",
    "bitte_nb/spec/dialects.py": "two dialects that share how a schema is merged and put into words",
    "bitte_nb/spec/document.py": "everything that can be asked of a loaded document, a few lines each",
    "bitte_nb/spec/schema.py": "one conversion of a schema, whose cases are read side by side",
    "bitte_nb/widget/protocol.py": "one contract, written once; both sides are read against this file",
}
"""Source files over 300 lines, each with the reason why it is one noun nevertheless."""

ONLY_IN: dict[str, set[str]] = {
    # The provider library is slow to import and changes often: these know it, and are imported on use.
    "pydantic_ai": {"bitte_nb.model.pydantic_ai", "bitte_nb.model.provider", "bitte_nb.model.provider_history"},
}
"""Packages that only the modules named may import."""


@cache
def committed() -> list[Path]:
    """Every text file that is, or is about to be, under version control."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode:
        pytest.skip(f"this tree is no git checkout: {listed.stderr.strip()}")
    paths = [ROOT / line for line in listed.stdout.splitlines()]
    return [path for path in paths if path.is_file() and b"\0" not in path.read_bytes()[:8000]]


def sources() -> list[Path]:
    """Our own source: the package and the front end, without what is generated."""
    js = [path for pattern in ("*.ts", "*.tsx") for path in (ROOT / "js" / "src").rglob(pattern)]
    return [*PACKAGE.rglob("*.py"), *(path for path in js if ".gen." not in path.name)]


def modules() -> list[str]:
    """The dotted name of every module of the package."""
    found = pkgutil.walk_packages(
        [str(PACKAGE)], "bitte_nb.", onerror=lambda name: pytest.fail(f"cannot import {name}")
    )
    return ["bitte_nb", *(info.name for info in found)]


def imports(path: Path) -> set[str]:
    """The top-level packages that a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.partition(".")[0])
    return names


def dotted(path: Path) -> str:
    """The module name of a file of the package."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_a_file_over_300_lines_has_a_reason():
    lines = {path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines()) for path in sources()}
    long = {name for name, count in lines.items() if count > 300}
    without = [f"{name}: {lines[name]} lines" for name in sorted(long - LONG_FOR_A_REASON.keys())]
    assert not without, "\n".join(without)
    assert LONG_FOR_A_REASON.keys() <= long, "a reason is listed for a file that is short, or gone"


def test_every_module_says_what_it_is():
    silent = [
        dotted(path) for path in PACKAGE.rglob("*.py") if not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]
    assert silent == []


def test_every_module_annotates_lazily():
    eager = [
        dotted(path)
        for path in PACKAGE.rglob("*.py")
        if len(ast.parse(path.read_text("utf-8")).body) > 1
        and "from __future__ import annotations" not in path.read_text("utf-8")
    ]
    assert eager == []


@pytest.mark.parametrize("name", modules())
def test_public_names_resolve(name: str):
    module = importlib.import_module(name)
    missing = [public for public in getattr(module, "__all__", []) if not hasattr(module, public)]
    assert missing == []


def test_the_core_imports_pydantic_and_the_standard_library_only():
    allowed = sys.stdlib_module_names | {"pydantic", "bitte_nb"}
    foreign = {dotted(path): imports(path) - allowed for path in (PACKAGE / "core").rglob("*.py")}
    assert {name: found for name, found in foreign.items() if found} == {}


@pytest.mark.parametrize("package", sorted(ONLY_IN))
def test_a_package_kept_to_one_module_is_imported_nowhere_else(package: str):
    users = {dotted(path) for path in PACKAGE.rglob("*.py") if package in imports(path)}
    assert users <= ONLY_IN[package]


LOADED = """
import sys
before = set(sys.modules)
import bitte_nb
print(*sorted(set(sys.modules) - before))
"""


def test_importing_the_package_loads_nothing_but_itself_and_the_standard_library():
    run = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, check=True, text=True)
    loaded = {name.partition(".")[0] for name in run.stdout.split()}
    assert loaded - sys.stdlib_module_names == {"bitte_nb"}


MADE = """
import sys
import bitte_nb as bn
bn.Agent({"openapi": "3.1.0", "info": {"title": "Empty", "version": "1"}, "paths": {}})
print("jsonschema" in sys.modules)
"""


def test_making_an_agent_does_not_wait_for_the_checker_of_schemas():
    run = subprocess.run([sys.executable, "-c", MADE], capture_output=True, check=True, text=True)
    assert run.stdout == "False\n"


SHADOWED = """
import importlib, sys, types
import bitte_nb
for name in sys.argv[1:]:
    importlib.import_module(name)
for name in bitte_nb.__all__:
    value = getattr(bitte_nb, name)
    if isinstance(value, types.ModuleType):
        print(name, "callable" if callable(value) else "module")
"""


def test_a_public_name_is_never_shadowed_by_a_room_of_the_same_name():
    # Importing a submodule binds it in its package, over whatever had that name.
    run = subprocess.run([sys.executable, "-c", SHADOWED, *modules()], capture_output=True, check=False, text=True)
    assert run.returncode == 0, run.stderr
    # `review` is a room and a public function; its module is callable, so either binding reviews.
    assert run.stdout.splitlines() == ["errors module", "review callable"]


def test_no_module_imports_the_public_face():
    faces = [
        dotted(path)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        and (node.module == "bitte_nb" and not node.level)
        and path != PACKAGE / "__init__.py"
        and any(_is_public(alias.name) for alias in node.names)
    ]
    assert faces == []


def _is_public(name: str) -> bool:
    """Whether this is a name of the public face and not a room or a dunder."""
    return not name.startswith("__") and not (PACKAGE / name).is_dir() and not (PACKAGE / f"{name}.py").exists()


def test_every_public_name_of_the_package_is_documented():
    silent = [name for name in getattr(bitte_nb, "__all__", []) if not getattr(bitte_nb, name).__doc__]
    assert silent == []


# In pieces, so that this file passes its own test.
HOSTS = [
    r"\.".join(parts)
    for parts in (
        ("pypi", "org"), ("files", "pythonhosted", "org"), ("registry", "npmjs", "org"), ("registry", "yarnpkg", "com"),
        ("npmjs", "com"), ("deb", "debian", "org"),
    )
]  # fmt: skip
HOMES = "|".join(["home", "root", "Users", "work"])
NOBODY = "me|you|user|jovyan"
"""Names of made-up people in examples, and of the user that Jupyter's own images have."""


def test_no_committed_file_names_a_package_registry():
    pattern = re.compile("|".join(HOSTS))
    assert {_name(path): found for path in committed() if (found := pattern.findall(_text(path)))} == {}


def test_no_committed_file_holds_a_path_of_somebodys_machine():
    # Preceded by a word or a dot it is part of a longer path or of a URL.
    pattern = re.compile(rf"(?<![\w.~:/\-\])}}>*])/(?:{HOMES})/(?!(?:{NOBODY})\b)[\w.\-]+")
    assert {_name(path): found for path in committed() if (found := pattern.findall(_text(path)))} == {}


def test_the_npm_lock_records_no_address():
    lock = json.loads((ROOT / "js" / "package-lock.json").read_text("utf-8"))
    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []


def test_the_python_lock_pins_every_package_with_hashes():
    text = (ROOT / "requirements.lock").read_text("utf-8")
    pinned = re.findall(r"^([\w.\-]+)(?:\[[^\]]*\])?==\S+.*\\$", text, re.MULTILINE)
    entries = re.findall(r"^[\w.\-]+", text, re.MULTILINE)
    assert pinned == entries
    assert len(pinned) > 50
    assert all("--hash=sha256:" in block for block in re.split(r"^(?=[\w.\-]+)", text, flags=re.MULTILINE)[1:])


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _text(path: Path) -> str:
    return path.read_text("utf-8", errors="replace")
