"""Files: text in, and bytes out that replace a file whole or not at all."""

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ldag.errors import FormatError, LdagError

LONGEST_SHOWN = 200
"""Characters of a path in an error; the middle of a longer one is left out."""


def read_utf8(path: Path) -> str:
    """Return the text of a file."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise FormatError(f"{spell_path(path)}: no such file") from None
    except IsADirectoryError:
        raise FormatError(f"{spell_path(path)}: expected a file, got a directory") from None
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{spell_path(path)}: expected UTF-8 text, got something else at byte {error.start}"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise FormatError(f"{spell_path(path)}: cannot be read: {_reason(error)}") from None


def write_atomically(path: Path, content: bytes) -> None:
    """Write beside the file, then put it in place in one step; on failure the old file stays as it was.

    A pipe, a terminal or another device is written through; a directory, a socket or a dangling link is refused.
    """
    try:
        if _is_written_through(path):
            with path.open("wb") as file:
                file.write(content)
        else:
            _replace(path.resolve(), content)
    except BrokenPipeError:
        raise  # whoever read has left; the command line ends quietly
    except (OSError, ValueError) as error:
        raise FormatError(f"{spell_path(path)}: cannot be written: {_reason(error)}") from None


def check_place(path: Path) -> None:
    """Refuse what `write_atomically` would refuse, before the work whose result is to be written."""
    try:
        if _is_written_through(path):
            return
        folder = path.resolve().parent
        if not folder.is_dir():
            raise FormatError(f"{spell_path(path)}: cannot be written: there is no directory {spell_path(folder)}")
        if not os.access(folder, os.W_OK):
            raise FormatError(f"{spell_path(path)}: cannot be written: no permission in {spell_path(folder)}")
    except (OSError, ValueError) as error:
        raise FormatError(f"{spell_path(path)}: cannot be written: {_reason(error)}") from None


@contextmanager
def name_file(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put the name of the file before what is said of errors that come up here."""
    try:
        yield
    except LdagError as error:
        error.args = (f"{spell_path(os.fspath(path))}: {error}",)
        raise


def spell_path(path: Path | str) -> str:
    """Return a path as errors show it, an endless one shortened."""
    text = str(path)
    half = LONGEST_SHOWN // 2
    return text if len(text) <= LONGEST_SHOWN else f"{text[:half]}...{text[-half:]}"


def _is_written_through(path: Path) -> bool:
    """Whether a path is a pipe or a device, and not a file or a place for one; refuse what can be neither."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if path.is_symlink():
            raise FormatError(f"{spell_path(path)}: expected a file, got a link to nothing") from None
        return False
    if stat.S_ISDIR(mode):
        raise FormatError(f"{spell_path(path)}: expected a file, got a directory")
    if stat.S_ISSOCK(mode):
        raise FormatError(f"{spell_path(path)}: expected a file, got a socket")
    # /dev/stdout may be a plain file, which must not be exchanged under whoever holds it open
    return not stat.S_ISREG(mode) or path.absolute().parts[1:2] in (("dev",), ("proc",))


def _replace(target: Path, content: bytes) -> None:
    beside = target.with_name(f".ldag-{secrets.token_hex(8)}.tmp")
    try:
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def _reason(error: OSError | ValueError) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
