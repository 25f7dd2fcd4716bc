"""Text tables read sign by sign."""

Fault = tuple[str, int, int]


def split_text(text: str, separator: str, width: int, has_header: bool) -> list[list[str]] | Fault:
    """Return the cells of every row, or the first thing that is wrong: what, in which line, with how many cells."""
    rows: list[list[str]] = []
    at, line = 0, 1
    while at < len(text):
        found = _read_line(text, at, separator)
        if found is None:
            return "quotes", line, 0
        cells, end = found
        inside = text[at:end]
        is_blank = not inside.strip(" \t") and separator not in inside and (width > 1 or has_header or not inside)
        if not is_blank and not has_header:
            if len(cells) != width:
                return "width", line, len(cells)
            rows.append(cells)
        has_header = has_header and is_blank
        line += 1 + inside.replace("\r\n", "\n").replace("\r", "\n").count("\n")
        at = end + (2 if text[end : end + 2] == "\r\n" else 1)
    return rows


def _read_line(text: str, at: int, separator: str) -> tuple[list[str], int] | None:
    """Return the cells of a line and where it ends; None if there is something wrong with quotes."""
    blank = "" if separator == " " else " "
    cells: list[str] = []
    while True:
        start = at
        while at < len(text) and text[at] == blank:
            at += 1
        if at < len(text) and text[at] == '"':
            cell = ""
            while True:
                at += 1
                if at == len(text):
                    return None
                if text[at] == '"':
                    if text[at + 1 : at + 2] != '"':
                        break
                    at += 1
                cell += text[at]
            at += 1
            while at < len(text) and text[at] == blank:
                at += 1
            if at < len(text) and text[at] not in (separator, "\r", "\n"):
                return None
        else:
            at = start
            while at < len(text) and text[at] not in (separator, "\r", "\n"):
                at += 1
            cell = text[start:at]
        cells.append(cell)
        if at == len(text) or text[at] in "\r\n":
            return cells, at
        at += 1
