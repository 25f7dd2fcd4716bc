"""Errors of the library in the words of the shell."""

import pytest

from ldag.cli.main import cli
from ldag.cli.wording import in_shell_words


@pytest.mark.parametrize(
    ("command", "message", "said"),
    [
        ("query", "allow memory_limit='3 GB', or use estimate(...), which samples", 'allow --memory-limit "3 GB"'),
        ("query", "and memory_limit is 2 GB", "and --memory-limit is 2 GB"),
        ("learn", "n_restarts must be 0 or more", "--restarts must be 0 or more"),
        ("learn", "choose missing='drop' to leave out such rows", "choose --missing drop to leave out such rows"),
        ("learn", "give names= of columns", "give --names of columns"),
        ("learn", "kappa must be above 0", "kappa must be above 0"),
        ("learn", "no variable 'max_parents'", "no variable 'max_parents'"),
        ("learn", "the column max_parents_2 is odd", "the column max_parents_2 is odd"),
    ],
)
def test_arguments_become_options(command: str, message: str, said: str) -> None:
    """What has an underscore or a value is an argument; what is in quotes, or just a word, stays."""
    context = cli.make_context("ldag", [], resilient_parsing=True)
    assert in_shell_words(message, cli.get_command(context, command)) == said
