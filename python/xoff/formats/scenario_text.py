"""A draft as a scenario in TOML, where each value names the line that it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.errors import one_line
from xoff.text import toml_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from xoff.formats.draft import Draft, Key, Network, Table

_A_LINE = 10
"""Names of nodes that stand in a line of the list."""


def text_of(draft: Draft, title: str) -> str:
    """Returns the scenario, with a heading that says what was read and what is left out."""
    return "".join(f"{line}\n" for line in _lines(draft, title))


def _lines(draft: Draft, title: str) -> Iterator[str]:
    yield "# Imported by xoff from"
    for found in draft.found:
        yield f"# - {one_line(str(found))}"
    if draft.left_out:
        yield "# Left out:"
        for left in draft.left_out:
            yield f"# - {one_line(str(left))}"
    yield f"title = {toml_text.value(title)}"
    yield "seed = 1"
    if draft.network is not None:
        yield ""
        yield "[topology]"
        yield from _network(draft.network)
    for table in [*(draft.network.tables if draft.network else ()), *draft.tables]:
        yield ""
        yield from _table(table)


def _network(network: Network) -> Iterator[str]:
    yield f'kind = "custom"  # {one_line(str(network.place))}'
    yield from _keys(network.keys)
    for name, nodes in (("hosts", network.hosts), ("switches", network.switches)):
        yield f"{name} = ["
        for first in range(0, len(nodes), _A_LINE):
            yield f"  {', '.join(map(toml_text.value, nodes[first : first + _A_LINE]))},"
        yield "]"
    yield "links = ["
    file = one_line(network.place.file)
    for link in network.links:
        back = f', rate_back = "{link.rate_back}"' if link.rate_back else ""
        errors = f", error_rate = {float(link.error_rate)!r}" if link.error_rate else ""
        wire = f'rate = "{link.rate}"{back}, delay = "{link.delay}"{errors}'
        yield f"  {{ between = {toml_text.value([link.one, link.other])}, {wire} }},  # {file}:{link.place.line}"
    yield "]"


def _table(table: Table) -> Iterator[str]:
    yield table.head
    yield from _keys(table.keys)


def _keys(keys: Iterable[Key]) -> Iterator[str]:
    for key in keys:
        text = f"{key.name} = {toml_text.value(key.value, bare_keys=True)}"
        yield f"{text}  # {one_line(key.origin)}" if key.origin else text
