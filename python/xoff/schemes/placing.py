"""Keys of a scenario that a class in Python takes."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xoff.errors import ScenarioError
from xoff.schemes.classes import KINDS, OF_TCP, SUBCLASS, BufferPolicy, CongestionControl, Scheme
from xoff.schemes.source import file_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def changes(
    scheme: type[Scheme], parameters: Mapping[str, object], settings: Mapping[str, Any], others: Mapping[str, str]
) -> tuple[str, str, dict[str, object]]:
    """Returns a file that defines a class, its text, and the keys of a scenario that name the class.

    The name is not that of one of the `others`, the scenario's files, which has another text.
    Raises ScenarioError for what is no scheme, and for a congestion control that no transport of the scenario can have.
    """
    if not (isinstance(scheme, type) and issubclass(scheme, KINDS)):
        raise ScenarioError(None, "", f"{scheme!r} is no scheme", f"expected {SUBCLASS}")
    file, text = file_of(scheme)
    if others.get(file, text) != text:
        file = f"{Path(file).stem}_{sha256(text.encode()).hexdigest()[:8]}.py"
    return file, text, keys(scheme, f"{file}:{scheme.__name__}", parameters, settings)


def keys(
    scheme: type[Scheme], name: str, parameters: Mapping[str, object], settings: Mapping[str, Any]
) -> dict[str, object]:
    """Returns the keys of a scenario with these settings that a class takes under its name in scenarios.

    Raises ScenarioError for a congestion control that no transport of the scenario can have.
    """
    if issubclass(scheme, CongestionControl):
        kind = "tcp" if scheme.signals in OF_TCP else "roce"
        transports = [name for name, transport in settings["transport"].items() if transport["kind"] == kind]
        if not transports:
            problem = f'no transport is of kind = "{kind}"'
            raise ScenarioError(None, "transport", problem, f'expected one, which signals = "{scheme.signals}" need')
        control = {"algorithm": name, **parameters}
        return {f"transport.{_quoted(transport)}.congestion_control": control for transport in transports}
    if issubclass(scheme, BufferPolicy):
        return {"switch.buffer": {"policy": name, **parameters}}
    return {"switch.marking.queue": {"kind": name, **parameters}}


def _quoted(name: str) -> str:
    """Returns a name as a part of a key."""
    return f'"{name}"' if "." in name else name
