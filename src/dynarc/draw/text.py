"""Text as it can be shown: nothing in it may move a cursor, break a line or turn the order of what follows."""

import unicodedata

from rich.cells import cell_len, set_cell_size

# Of the invisible characters, those that shape the ones around them: Persian, Indic scripts and emoji need them.
JOINERS = "\u200c\u200d"
LEFT_TO_RIGHT_MARK = "\u200e"


def visible(text: str, *, ascii: bool = False) -> str:  # noqa: A002 - as the option is called everywhere
    """The text with what is not to be seen, and could do harm to a terminal or a page, written out.

    >>> visible("a\\tb\\x1b[31m")
    'a␉b␛[31m'
    >>> visible("\\u202eabc\\n", ascii=True)
    '\\\\u202eabc\\\\x0a'
    """
    if text.isprintable():
        return text
    return "".join(char if _harmless(char) else _written_out(char, ascii) for char in text)


def _harmless(char: str) -> bool:
    if char.isprintable() or char in JOINERS:
        return True
    # Spaces of all kinds are not "printable", nor are characters that only later versions of Unicode have. But
    # the last two of each plane will never be characters, and XML does not allow them.
    return unicodedata.category(char) in ("Zs", "Cn", "Co") and ord(char) & 0xFFFE != 0xFFFE


def _written_out(char: str, ascii: bool) -> str:  # noqa: A002
    code = ord(char)
    if code < 0x20 and not ascii:
        return chr(0x2400 + code)  # the picture of the control character
    if 0xD800 <= code < 0xE000:
        return "?" if ascii else "\ufffd"  # half a character, which no encoding can write
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def clip(text: str, width: int, *, ascii: bool = False) -> str:  # noqa: A002
    """The text in at most so many cells."""
    if cell_len(text) <= width:
        return text
    end = "." if ascii else "…"
    return set_cell_size(text, width - 1).rstrip() + end if width > 1 else end


def pad(text: str, width: int, *, right: bool = False) -> str:
    """The text with blanks, so that it takes the width."""
    blank = " " * (width - cell_len(text))
    return blank + in_order(text) if right else in_order(text) + blank


def in_order(text: str) -> str:
    """Ends text that runs from right to left, so that a terminal that knows how to turn it turns nothing else."""
    if text.isascii() or not any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in text):
        return text
    return text + LEFT_TO_RIGHT_MARK
