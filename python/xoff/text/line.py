"""Text of users as one line, for comments and messages: a name must never end the line that it stands in."""

from __future__ import annotations

import re

from xoff.errors import one_line

_NO_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


def is_line(text: str) -> bool:
    """Whether text stays on its line in tables, figures and other programs' files, as the simulator has it for names.

    It has no ends of lines, no control characters, and nothing that XML forbids.
    """
    return _NO_LINE.search(text) is None


_MOST_QUOTED = 40


def quoted(text: str) -> str:
    """Returns text as one line in quotes, as a message shows it: 40 characters of it at most."""
    told = one_line(text)
    return f'"{told}"' if len(told) <= _MOST_QUOTED else f'"{told[:_MOST_QUOTED]}..."'
