"""Links between switches whose tables are both there."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


class Link(NamedTuple):
    """A cable between two switches."""

    port: str
    """Port of the switch that is looked at."""
    name: str
    """Name of the switch at the other end."""
    tables: Tables
    """Tables of the switch at the other end."""
    other_port: str

    def there(self, table: str, key: str, field: str) -> str:
        """Names a field of the other end of the link."""
        place = self.tables.place(table, key, field)
        return f"at {self.other_port} of {self.name} ({place.file}:{place.line})"


def links(tables: Tables) -> Iterator[Link]:
    """Yields each link once; a link that both switches know of is at the switch whose name comes first."""
    others = _by_name(tables) if tables.config.device_neighbor else {}
    for key, row in tables.config.device_neighbor.items():
        other = others.get(row.name or "")
        other_port = _port_called(other, row.port) if other else None
        port = row.local_port or key
        if other and other_port and port in tables.config.port:
            link = Link(port, row.name or "", other, other_port)
            if _name(tables) < link.name or not _is_known_there(tables, link):
                yield link


def _name(tables: Tables) -> str:
    return (tables.here.hostname if tables.here else None) or ""


def _by_name(tables: Tables) -> dict[str, Tables]:
    """Other switches, without those that share a name."""
    switches = Counter(_name(one) for one in (tables, *tables.beside))
    return {_name(other): other for other in tables.beside if switches[_name(other)] == 1}


def _port_called(tables: Tables, name: str | None) -> str | None:
    ports = tables.config.port
    return name if name in ports else next((port for port, row in ports.items() if name and row.alias == name), None)


def _is_known_there(tables: Tables, link: Link) -> bool:
    rows = link.tables.config.device_neighbor.items()
    back = (row for key, row in rows if (row.local_port or key) == link.other_port)
    return any(row.name == _name(tables) and _port_called(tables, row.port) == link.port for row in back)
