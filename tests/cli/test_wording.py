"""Messages of the library in the words of the shell."""

from pathlib import Path

import click
import pytest

from ldag.cli.main import COMMANDS, cli
from ldag.errors import argument, speak_to_shell
from tests.command import execute, run

OWN = {"as_json", "constraint_file", "everything", "form", "keep_all", "list_formats"}
"""Names of options that no function of the library has."""


@pytest.mark.parametrize("command", COMMANDS)
def test_options_are_called_as_messages_call_them(command: str) -> None:
    """So that a message of the library can name an option of any command."""
    parsed = cli.get_command(click.Context(cli), command)
    assert parsed is not None
    with speak_to_shell():
        for option in parsed.params:
            if isinstance(option, click.Option) and option.name not in OWN:
                assert argument(str(option.name)) in option.opts, option.name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["learn", "{table}", "--restarts", "-1"], "error: --restarts must be a whole number, 0 or more, got -1"),
        (["learn", "{table}", "--jobs", "0"], "error: --jobs must be a whole number, 1 or more, or -1 for all cores"),
        (["learn", "{table}", "--kappa", "7"], "error: --kappa must be a number above 0 and at most 1, got 7.0"),
        (["learn", "{table}", "--time-limit", "0"], "error: --time-limit must be a number of seconds above 0, got 0.0"),
        (["describe", "{table}", "--sep", "ab"], "error: --sep must be one sign, such as ; or tab, got 'ab'"),
        (["describe", "{table}", "--missing", "error"], "choose --missing keep to keep gaps as gaps"),
        (["bootstrap", "{table}", "-n", "0"], "error: -n must be a whole number, 1 or more, got 0"),
        (["sample", "{model}", "-n", "0"], "error: -n must be a whole number, 1 or more, got 0"),
        (["compare", "guard", "guard", "--samples", "9"], "error: --samples is for the divergence of two networks"),
    ],
)
def test_errors_name_options(arguments: list[str], message: str, tmp_path: Path) -> None:
    """What was typed is called as it was typed."""
    table = tmp_path / "t.csv"
    table.write_text("a,b\n" + "x,u\ny,v\nx,v\n" * 3 + ",v\n")
    assert message in execute(*(word.format(table=table, model=_learn(tmp_path)) for word in arguments)).stderr


def test_columns_are_not_mistaken_for_options(tmp_path: Path) -> None:
    """A column may be called as an argument is."""
    (tmp_path / "t.csv").write_text("max_parents,b\nx,u\ny,v\n")
    assert "states: max_parents" not in run("describe", str(tmp_path / "t.csv"))
    assert "no variable 'max_parent'" in run("query", _learn(tmp_path), "max_parent", code=2)


def _learn(folder: Path) -> str:
    model = str(folder / "m.json")
    run("learn", str(folder / "t.csv"), "--kappa", "0.1", "--equivalent-sample-size", "1", "-o", model)
    return model


@pytest.mark.parametrize("command", ["learn", "bootstrap", "posterior"])
def test_what_reading_tells_is_told_once(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On standard error, before the search; the result on a terminal does not repeat it, and JSON keeps it."""
    monkeypatch.setattr("ldag.cli.tables.is_terminal", lambda: True)
    table = tmp_path / "t.csv"
    table.write_text("id,a,b\n" + "".join(f"p{i},{i % 2},{i % 3}\n" for i in range(60)))
    fewer = ["-n", "2"] if command == "bootstrap" else []
    printed = execute(command, str(table), "--kappa", "0.1", *fewer)
    assert "id: left out" in printed.stderr
    assert "id: left out" not in printed.stdout
    assert "id: left out" in execute(command, str(table), "--kappa", "0.1", *fewer, "--json").stdout


def test_a_search_without_time_names_its_option(tmp_path: Path) -> None:
    """Notes of a search speak the words of the shell, too."""
    rows = "".join(",".join(str((i * k) % 3) for k in range(1, 13)) + "\n" for i in range(200))
    (tmp_path / "t.csv").write_text(",".join(f"v{k}" for k in range(12)) + "\n" + rows)
    done = execute("learn", str(tmp_path / "t.csv"), "--kappa", "cv", "--time-limit", "0.01")
    assert "time_limit" not in done.stdout + done.stderr
