"""The stub of the native module: the same names, parameters and defaults as the module itself tells."""

import ast
from pathlib import Path

import pytest

from ldag import _native

ROOT = Path(__file__).parents[1]
PICKLING = ("__getstate__", "__setstate__")  # called by Python alone
Signatures = dict[str, set[tuple[str, ...]]]


def signatures(text: str) -> Signatures:
    """Functions, methods and properties of a stub, each with its lists of parameters, "=" where there is a default."""
    listed: Signatures = {}
    body = ast.parse(text).body
    inside = [(f"{node.name}.", item) for node in body if isinstance(node, ast.ClassDef) for item in node.body]
    listed.update({node.name: set() for node in body if isinstance(node, ast.ClassDef)})
    for prefix, node in [*(("", node) for node in body), *inside]:
        if isinstance(node, ast.FunctionDef) and node.name not in PICKLING:
            names = [argument.arg for argument in node.args.args]
            first = len(names) - len(node.args.defaults)
            parameters = tuple(name + ("=" if place >= first else "") for place, name in enumerate(names))
            listed.setdefault(prefix + node.name, set()).add(parameters)
    return listed


def test_the_stub_is_that_of_the_module() -> None:
    """As nanobind generates it, types aside, which are closer by hand."""
    stubgen = pytest.importorskip("nanobind.stubgen")
    told: Signatures = {"testing": set()}
    for module, prefix in ((_native, ""), (_native.testing, "testing.")):
        generator = stubgen.StubGen(module)
        generator.put(module)
        told.update({prefix + name: parameters for name, parameters in signatures(generator.get()).items()})
    written = signatures((ROOT / "src" / "ldag" / "_native.pyi").read_text())
    assert written.keys() == told.keys()
    for name, parameters in told.items():
        longest = max(parameters, key=lambda one: (len(one), sum("=" in item for item in one)), default=())
        assert not parameters or written[name] in ({longest}, parameters), name
