"""JSON in which every object and every string knows its line.

The standard decoder by its own parts: its scanner in Python calls `parse_object` and `parse_string` with positions.
(YAML parsers tell positions as well, and refuse JSON that is indented with tabs.)
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from functools import partial
from json import decoder, scanner
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


_HALF = re.compile("[\ud800-\udfff]")
"""Surrogates, of which two are one character."""


class LocatedText(str):
    """A string and the line it begins in."""

    __slots__ = ("line",)
    line: int


class LocatedObject(dict[str, Any]):
    """An object and the line it begins in."""

    __slots__ = ("line", "overwritten", "spans")
    line: int
    overwritten: tuple[tuple[str, object], ...]
    """Keys that stand there again further down, with the values that are lost so."""
    spans: dict[str, range]
    """At which characters of the text the value of each key stands."""


def loads(text: str) -> Any:  # noqa: ANN401 as json.loads
    """Parses JSON like `json.loads`, into strings and objects that know their line.

    Raises:
        json.JSONDecodeError: The text is no JSON; it has line and column.
    """
    return _Decoder(text).decode(text)


def line_of(value: object, default: int) -> int:
    """Returns the line of a value that knows its line, else `default`."""
    return value.line if isinstance(value, LocatedText | LocatedObject) else default


def _object(pairs: list[tuple[str, Any]], spans: list[range]) -> LocatedObject:
    found = LocatedObject(pairs)
    last = {key: index for index, (key, _) in enumerate(pairs)}
    found.overwritten = tuple(pair for index, pair in enumerate(pairs) if index < last[pair[0]])
    found.spans = {key: spans[index] for key, index in last.items()}
    return found


def _check_whole(found: str, text: str, place: int) -> None:
    """Raises JSONDecodeError for a string that no file in UTF-8 can hold."""
    if _HALF.search(found):
        message = "a string has one escape of the two that a character takes"
        raise json.JSONDecodeError(message, text, place - 1)


class _Decoder(json.JSONDecoder):
    def __init__(self, text: str) -> None:
        super().__init__()
        self._ends = [index for index, character in enumerate(text) if character == "\n"]
        self.parse_object = self._object
        self.parse_string = self._string
        self.scan_once = scanner.py_make_scanner(self)  # type: ignore[attr-defined]

    def _line(self, index: int) -> int:
        return bisect_left(self._ends, index) + 1

    def _object(
        self,
        start: tuple[str, int],
        strict: bool,
        scan_once: Callable[[str, int], tuple[Any, int]],
        _object_hook: None,
        _object_pairs_hook: None,
        memo: dict[str, str],
    ) -> tuple[LocatedObject, int]:
        spans: list[range] = []

        def scan(text: str, begin: int) -> tuple[Any, int]:
            value, end = scan_once(text, begin)
            spans.append(range(begin, end))
            return value, end

        with_spans = partial(_object, spans=spans)
        located, end = decoder.JSONObject(start, strict, scan, None, with_spans, memo)  # type: ignore[attr-defined]
        for key in located:
            _check_whole(key, *start)
        located.line = self._line(start[1])
        return located, end

    def _string(self, text: str, start: int, strict: bool) -> tuple[LocatedText, int]:
        plain, end = decoder.scanstring(text, start, strict)  # type: ignore[attr-defined]
        _check_whole(plain, text, start)
        located = LocatedText(plain)
        located.line = self._line(start)
        return located, end
