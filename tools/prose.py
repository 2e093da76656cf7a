"""Holds doc comments, docstrings and pages to two rules: first words that stand alone, and sentences that end.

A first line is read by people who land on it from a search. So it may not lean on its neighbour ("The same", "Those")
and may not open with a question word ("What", "How", "When"): a noun says what a thing is, a verb what a function does.
A sentence has at most `MOST_WORDS` words. In pages of Markdown items of lists are looked at one by one, and tables,
code and quotations not at all.

    tools/prose.py [PATH ...]    # prints FILE:LINE: what is wrong; exits with 1 if there is any
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
MOST_WORDS = 30
OPENERS = re.compile(
    r"(The same|Those|That|It|Its|They|Their|These|Such|Whoever|Whatever|Of (those|these|which|whom|what)"
    r"|What|How|When|Where|Who|Whose|Whom|Which|Why)\b",
)
"""First words that need a neighbour, or ask a question instead of naming a thing."""


class Prose(NamedTuple):
    """One doc comment, docstring or page."""

    line: int
    """Line of the file at which `text` begins, from 1."""
    text: str
    """Words without comment signs."""
    opens: bool = True
    """Whether its first words are held to the rule."""


def of_rust(text: str) -> Iterator[Prose]:
    """Yields every block of `///` or `//!` lines."""
    block: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        found = re.match(r"\s*(///|//!) ?(?!/)(.*)", line)
        if found:
            block.append(found[2])
        elif block:
            yield Prose(number - len(block), "\n".join(block))
            block = []


def of_python(text: str) -> Iterator[Prose]:
    """Yields every docstring, those below attributes included."""
    for node in ast.walk(ast.parse(text)):
        for statement in getattr(node, "body", []) if not isinstance(node, ast.Lambda | ast.IfExp) else []:
            value = getattr(statement, "value", None)
            if isinstance(statement, ast.Expr) and isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield Prose(statement.lineno, value.value)


def of_markdown(text: str) -> Iterator[Prose]:
    """Yields a page, whose first words are a title."""
    yield Prose(1, text, opens=False)


READERS = {".rs": of_rust, ".py": of_python, ".md": of_markdown}


def paragraphs(prose: Prose) -> Iterator[tuple[int, str]]:
    """Yields the first line and the text of each paragraph, item or sentence of a list; not code, tables and titles."""
    begin, words, is_code = 0, list[str](), False
    for number, line in enumerate([*prose.text.splitlines(), ""], start=prose.line):
        stripped = line.strip()
        if stripped.startswith("```"):
            is_code = not is_code
        ends = not stripped or stripped.startswith(("```", "|", "#", ">", "<"))
        is_item = re.match(r"([-*]|\d+\.) |\w[\w`, *]*:$", stripped)
        if (ends or is_item or is_code or line.startswith("    " * 2)) and words:
            yield begin, " ".join(words)
            words = []
        if not ends and not is_code:
            begin = begin if words else number
            words.append(stripped)


def sentences(paragraph: str) -> list[str]:
    """Splits a paragraph where a full stop, colon or semicolon ends a thought; code and links are a word each."""
    plain = re.sub(r"`[^`]*`|\]\([^)]*\)", "CODE", paragraph)
    return re.split(r"(?<=[.!?:;])[)\"*_]*\s+", plain)


def faults(prose: Prose) -> Iterator[tuple[int, str]]:
    """Yields line and text of each fault in one doc comment, docstring or page."""
    opener = OPENERS.match(prose.text.lstrip())
    if prose.opens and opener:
        yield prose.line, f'opens with "{opener[0]}"; begin with a noun for a thing, a verb for what a function does'
    for line, paragraph in paragraphs(prose):
        for sentence in sentences(paragraph):
            if (count := len(sentence.split())) > MOST_WORDS:
                begin = " ".join(sentence.split()[:6])
                yield line, f'"{begin} ..." has {count} words; make it sentences of at most {MOST_WORDS}'


def tracked(paths: list[str]) -> list[Path]:
    """Lists the files of the repository below some paths, or all, in which prose is looked for."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    files = [ROOT / name for name in listed if Path(name).suffix in READERS]
    return [file for file in files if file.exists()]


def main() -> int:
    """Prints every fault, and returns the exit status."""
    paths = [str(Path(path).resolve()) for path in sys.argv[1:]]
    count = 0
    for file in tracked(paths):
        for prose in READERS[file.suffix](file.read_text()):
            for line, fault in faults(prose):
                print(f"{file.relative_to(ROOT)}:{line}: {fault}")
                count += 1
    if count:
        print(f"{count} faults of prose; CONTRIBUTING.md says how xoff writes", file=sys.stderr)
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
