"""Elements of XML files, one at a time, with their lines.

Files with a document type are refused: entities could make a small file large, or read others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.parsers import expat

from xoff.formats.lines import refusal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_CHUNK = 1 << 16


def each_element(
    path: Path, name: str, begin: Callable[[int, str, dict[str, str]], None], end: Callable[[str], None] | None = None
) -> None:
    """Calls `begin` with line, name and attributes of every element, and `end` with its name where it ends.

    Raises:
        InputError: The file is no XML, or has a document type; `name` is the format's.
    """
    parser = expat.ParserCreate()

    def document_type(*_: object) -> None:
        raise refusal(path, parser.CurrentLineNumber, "has a document type", f"expected {name} without <!DOCTYPE>")

    parser.StartElementHandler = lambda element, attributes: begin(parser.CurrentLineNumber, element, attributes)
    if end is not None:
        parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = document_type
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        problem = f"is no XML: {expat.ErrorString(error.code)}"
        raise refusal(path, error.lineno, problem, "expected a whole file") from None
