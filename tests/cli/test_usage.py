"""Commands that were typed wrongly."""

import click
import pytest

from ldag.cli.main import COMMANDS, cli
from ldag.cli.usage import describe_misuse


def complain(*arguments: str) -> str:
    """Return what is said about a command."""
    with pytest.raises(click.ClickException) as caught:
        cli.main(list(arguments), prog_name="ldag", standalone_mode=False)
    return describe_misuse(caught.value, cli.get_command(click.Context(cli), arguments[0]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "certify model.json data.csv",
            "ldag certify takes DATA only, 'data.csv' is too much; it learns a graph from DATA by itself: what a model "
            "was learned with is given as options, such as --kappa 0.1 --max-parents 3",
        ),
        ("learn a.csv b.csv", "takes DATA only, 'b.csv' is too much; files that make one table are given as one"),
        ("learn heart kappa=0.1", "'kappa=0.1' is too much; did you mean --kappa 0.1?"),
        ("fit a b c", "ldag fit takes GRAPH and DATA only, 'c' is too much; see"),
        ("describe model.json data.csv", "'data.csv' is too much; see"),
        ("datasets x", "ldag datasets takes no arguments, 'x' is too much"),
        ("fit a", "Missing argument 'DATA'; expected ldag fit GRAPH DATA;"),
        ("sample m", "Missing option '-n'; expected ldag sample NETWORK -n N;"),
        ("learn heart --kapa 1", "No such option '--kapa'; did you mean --kappa?"),
        ("learn heart --n_restarts 1", "No such option '--n_restarts'; did you mean --restarts?"),
        ("learn heart --seed 1", "No such option '--seed'; did you mean --rng?"),
        ("learn heart --foo", "No such option '--foo'; see ldag learn --help"),
        ("learn heart --kappa", "Option '--kappa' requires a value: Above 0 and at most 1, or cv"),
        ("learn heart --method", "Option '--method' requires a value: auto or exact or chain or climb or grow;"),
        ("learn heart --json=1", "Option '--json' does not take a value; see"),
        ("reproduce table9", "Invalid value for 'EXPERIMENT...': 'table9' is not one of 'table1',"),
    ],
)
def test_what_was_wrong_and_what_was_expected(arguments: str, message: str) -> None:
    """Beyond what click says: the shape of the command, the option that was meant, what the value means."""
    assert message in complain(*arguments.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_answers_a_wrong_option_and_a_word_too_many(command: str) -> None:
    """One way for all of them."""
    assert f"; see ldag {command} --help" in complain(command, "--no-such-option")
    found = cli.get_command(click.Context(cli), command)
    assert found is not None
    needed = [param for param in found.params if param.required]
    if not any(param.nargs < 0 for param in found.params) and all(isinstance(one, click.Argument) for one in needed):
        assert " is too much" in complain(command, *["x"] * (len(needed) + 3))
