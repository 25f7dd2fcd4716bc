"""The package itself."""

import subprocess
import sys

import pytest

import ldag


def test_dir_lists_what_is_loaded_on_first_use() -> None:
    """Completion in a shell shows every public name, before any is loaded."""
    assert set(ldag.__all__) | {"LDAGClassifier", "__version__"} <= set(dir(ldag))


def test_public_names_are_loaded_when_asked_for() -> None:
    """Importing loads the hook alone; every public name and every room is there all the same, and nothing else is."""
    code = "import sys, ldag; print([name for name in sys.modules if name.startswith(('ldag.', 'numpy'))])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded == "['ldag.hook']\n"
    for name in (*ldag.__all__, "LDAGClassifier", "plot", "errors", "model"):
        assert getattr(ldag, name) is not None
        assert name in dir(ldag)
    with pytest.raises(AttributeError, match="module 'ldag' has no attribute 'lern'"):
        _ = ldag.lern
