"""The package itself."""

import ldag


def test_dir_lists_what_is_loaded_on_first_use() -> None:
    """Completion in a shell shows every public name, before any is loaded."""
    assert set(ldag.__all__) | {"LDAGClassifier", "__version__"} <= set(dir(ldag))
