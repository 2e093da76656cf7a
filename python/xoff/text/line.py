"""Text of users as one line, for comments and messages: a name must never end the line that it stands in."""

from __future__ import annotations

import re

_NO_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


def is_line(text: str) -> bool:
    """Whether text stays on its line in tables, figures and other programs' files, as the simulator has it for names.

    It has no ends of lines, no control characters, and nothing that XML forbids.
    """
    return _NO_LINE.search(text) is None


def one_line(text: str) -> str:
    r"""Returns text as one line: each stretch of white space as a space, what cannot be seen as Python escapes it.

    White space is that of Unicode, with all ends of lines that any program may know.

    >>> one_line("Eth0\nusername evil \x1b[31m")
    'Eth0 username evil \\x1b[31m'
    """
    words = " ".join(text.split())
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in words)


_MOST_QUOTED = 40


def quoted(text: str) -> str:
    """Returns text as one line in quotes, as a message shows it: 40 characters of it at most."""
    told = one_line(text)
    return f'"{told}"' if len(told) <= _MOST_QUOTED else f'"{told[:_MOST_QUOTED]}..."'
