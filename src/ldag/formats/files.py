"""Files: text in, and bytes out that replace a file whole or not at all."""

import os
import secrets
import shutil
from pathlib import Path

from ldag.errors import FormatError


def read_utf8(path: Path) -> str:
    """Return the text of a file."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise FormatError(f"{path}: expected a file, got a directory") from None
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: expected UTF-8 text, got something else at byte {error.start}") from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise FormatError(f"{path}: cannot be read: {_reason(error)}") from None


def write_atomically(path: Path, content: bytes) -> None:
    """Write beside the file, then put it in place in one step; on failure the old file stays as it was."""
    try:
        target = path.resolve()
        if target.is_dir():
            raise FormatError(f"{path}: expected a file, got a directory")
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
    except (OSError, ValueError) as error:
        raise FormatError(f"{path}: cannot be written: {_reason(error)}") from None


def _reason(error: OSError | ValueError) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
