"""How Sphinx builds these pages; `make docs` runs it with warnings as errors."""

from importlib.metadata import version as installed_version
from typing import Any

project = "ldag"
author = "The ldag developers"
project_copyright = author
release = version = installed_version("ldag")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
default_role = "py:obj"  # `implies` in a docstring is a link

myst_heading_anchors = 3

autodoc_class_signature = "separated"
autodoc_default_options = {"exclude-members": "__init__, __new__"}  # classes are not built by hand
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_type_aliases = {"NestedTree": "NestedTree"}  # it refers to itself
napoleon_google_docstring = False
python_maximum_signature_line_length = 88

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_title = f"ldag {release}"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False


def setup(app: Any) -> None:
    """Prepare docstrings before napoleon reads them."""
    app.connect("autodoc-process-docstring", _shield_property, priority=400)


def _shield_property(*details: Any) -> None:
    """Put a comment first, or "Number of parameters: one per class" is taken for a type and what it means."""
    _, what, *_, lines = details
    if what == "property":
        lines[:0] = ["..", ""]
