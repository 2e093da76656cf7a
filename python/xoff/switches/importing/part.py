"""Tables of a scenario, each setting with where it is from, and their text."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from xoff.errors import one_line
from xoff.text import toml_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDTH = 120
_COMMENTS_FROM = 33


class Setting(NamedTuple):
    """A key and its value."""

    key: str
    value: object
    comment: str = ""
    """Comment that says which rows the table comes from."""
    suggested: bool = False
    """Whether it is only a comment, to be taken up."""

    @property
    def line(self) -> str:
        """As TOML."""
        text = f"{'# ' if self.suggested else ''}{self.key} = {toml_text.value(self.value, bare_keys=True)}"
        return _commented(text, self.comment)


@dataclass(frozen=True)
class Table:
    """A table of a scenario."""

    head: str
    """`[[class]]`, `[pfc]`."""
    settings: tuple[Setting, ...]
    comment: str = ""

    @property
    def text(self) -> str:
        """As TOML."""
        lines = (_commented(self.head, self.comment), *(setting.line for setting in self.settings))
        return "".join(f"{line}\n" for line in lines)


@dataclass(frozen=True)
class Part:
    """A part of a scenario.

    Attributes:
        source: Where it is from.
        link: Rate and delay of the port's link, if they are known.
        uplink: Those of links between switches, if they are others.
        lossless: The first class that pauses.
        data: The class for RoCE's data: the first that pauses, or else one that marks.
        why_data: Rows that decided on `data`, where no class pauses.
        control: The class for what RoCE answers with: that of CNPs, if it does not pause, or the highest that does not.
        notes: What it does not say, or only nearly.
    """

    source: str
    link: tuple[str, str] | None
    uplink: tuple[str, str] | None
    lossless: int | None
    data: int
    why_data: str
    control: int
    tables: tuple[Table, ...]
    notes: tuple[str, ...]

    @property
    def text(self) -> str:
        """As TOML, with the notes as comments."""
        head = "".join(map(_comment, self._head()))
        notes = "".join(["#\n# Not as the switch has it:\n", *(_comment(note, "- ") for note in self.notes)])
        return "\n".join([head + (notes if self.notes else ""), *(table.text for table in self.tables)])

    def _head(self) -> Iterator[str]:
        yield self.source
        if self.link:
            yield f'Their links, in [topology]: {{ rate = "{self.link[0]}", delay = "{self.link[1]}" }}.'
        if self.uplink:
            yield f'Between switches: {{ rate = "{self.uplink[0]}", delay = "{self.uplink[1]}" }}.'
        control = f"control_priority = {self.control} in [transport.NAME]"
        repair = "" if self.lossless is not None else ', recovery = { kind = "selective_repeat" } there'
        yield f"For RoCE: priority = {self.data} in [[workload]], {control}{repair}."
        if self.why_data:
            yield f"Why so: {self.why_data}."


def _comment(text: str, item: str = "") -> str:
    lines = wrap(
        one_line(text),
        _WIDTH,
        initial_indent=f"# {item}",
        subsequent_indent=f"# {' ' * len(item)}",
        break_long_words=False,
    )
    return "".join(f"{line}\n" for line in lines)


def _commented(text: str, comment: str) -> str:
    return f"{text:{_COMMENTS_FROM - 2}}  # {one_line(comment)}" if comment else text
