"""Messages of the library in the words of the shell: options instead of arguments."""

import re
from functools import partial

import click

_PYTHON_ONLY = (", or use estimate(...), which samples",)
"""Advice that no option can follow."""


def in_shell_words(message: str, command: click.Command | None) -> str:
    """Return a message that names the options of a command as they are typed.

    A name with an underscore, or one that stands before a "=", is an argument of Python; quoted names are the user's.
    """
    for advice in _PYTHON_ONLY:
        message = message.replace(advice, "")
    for parameter in command.params if command is not None else ():
        if isinstance(parameter, click.Option) and parameter.name is not None:
            flag = max(parameter.opts, key=len)
            message = re.sub(
                rf"(?<![\w'\"=.-]){parameter.name}(?:=('[^']*'|[\w.]*)|(?=\b))(?![\w'\"])",
                partial(_spell, parameter.name, flag),
                message,
            )
    return message


def _spell(name: str, flag: str, found: "re.Match[str]") -> str:
    """Return an argument as an option, or as it was if it may be just a word."""
    if found[1] is None:
        return flag if "_" in name else found[0]
    value = found[1].strip("'")
    return f"{flag} " + (f'"{value}"' if " " in value else value) if value else flag
