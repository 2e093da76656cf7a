"""A figure's `README.md`, cut into its parts, as HTML for the page of the atlas."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markupsafe import Markup

from xoff.text import text_file

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_PICTURE = re.compile(r"!\[([^\]]*)\]\([^)]*\)\n*")
_BEGINS = re.compile(r"^(?=\*\*[A-Z][^*]*\*\*)", re.MULTILINE)
_LINK = re.compile(r'<a href="([^"]*)">(.*?)</a>', re.DOTALL)
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)


@dataclass(frozen=True)
class Readme:
    """The text of a README and what stands in it."""

    text: str
    id: str
    """Id of the figure, from which links lead."""

    @classmethod
    def read(cls, folder: Path, id_: str) -> Readme:
        """Reads the README of a figure's folder. Raises ScenarioError."""
        path = folder / "README.md"
        return cls(text_file.read(path, str(path)), id_)

    @property
    def picture(self) -> str:
        """Description of the plot in words; empty if there is none."""
        found = _PICTURE.search(self.text)
        return found[1] if found else ""

    @property
    def claimed(self) -> Markup:
        """Paragraphs that say what is claimed or asked."""
        return self._html("Claimed", "Asked")

    @property
    def differs(self) -> Markup:
        """Paragraphs that say what differs and why."""
        return self._html("Differs", "Open", "Not known")

    @property
    def rest(self) -> Markup:
        """All other paragraphs: the set-up, what was measured by whom and when, and what hangs on it."""
        return self._rendered(part for part in self._parts if not _opens(part, _ELSEWHERE))

    @cached_property
    def _parts(self) -> list[str]:
        body = _PICTURE.sub("", self.text.partition("\n")[2])
        return _BEGINS.split(body)

    def _html(self, *names: str) -> Markup:
        return self._rendered(part for part in self._parts if _opens(part, names))

    def _rendered(self, parts: Iterable[str]) -> Markup:
        html = _MARKDOWN.render("".join(parts))
        html = _TABLE.sub(r'<div class="panel" role="region" aria-label="table" tabindex="0">\g<0></div>', html)
        html = html.replace("<pre>", '<pre class="panel" tabindex="0">')
        html = re.sub(r"<(/?)h[12]>", r"<\1h4>", html)
        return Markup(_LINK.sub(self._linked, html))

    def _linked(self, link: re.Match[str]) -> str:
        """Returns a link to a page of the web or to another figure of the atlas; of other files, the text alone."""
        address, text = link[1], link[2]
        if address.startswith("https://"):
            return link[0]
        parts = posixpath.normpath(posixpath.join(self.id, address)).removesuffix("/README.md").split("/")
        is_figure = len(parts) == len(self.id.split("/")) and ".." not in parts
        return f'<a href="#{"-".join(parts)}">{text}</a>' if is_figure else text


_ELSEWHERE = ("Claimed", "Asked", "Differs", "Open", "Not known")


def _opens(part: str, names: tuple[str, ...]) -> bool:
    return part.startswith(tuple(f"**{name}" for name in names))


def inline(text: str) -> Markup:
    """Returns a line of Markdown as HTML."""
    return Markup(_MARKDOWN.renderInline(text))
