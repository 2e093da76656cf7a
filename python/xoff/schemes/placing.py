"""Keys of a scenario that a class in Python takes."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xoff.errors import ScenarioError
from xoff.schemes.classes import KINDS, OF_TCP, BufferPolicy, CongestionControl, Scheme
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
        expected = "expected a subclass of xoff.schemes.CongestionControl, BufferPolicy or Marker"
        raise ScenarioError(None, "", f"{scheme!r} is no scheme", expected)
    file, text = file_of(scheme)
    if others.get(file, text) != text:
        file = f"{Path(file).stem}_{sha256(text.encode()).hexdigest()[:8]}.py"
    name = f"{file}:{scheme.__name__}"
    if issubclass(scheme, CongestionControl):
        kind = "tcp" if scheme.signals in OF_TCP else "roce"
        transports = [name for name, transport in settings["transport"].items() if transport["kind"] == kind]
        if not transports:
            problem = f'no transport is of kind = "{kind}"'
            raise ScenarioError(None, "transport", problem, f'which signals = "{scheme.signals}" need')
        keys = [f"transport.{_quoted(name)}.congestion_control" for name in transports]
        return file, text, {key: {"algorithm": name, **parameters} for key in keys}
    if issubclass(scheme, BufferPolicy):
        return file, text, {"switch.buffer": {"policy": name, **parameters}}
    return file, text, {"switch.marking.queue": {"kind": name, **parameters}}


def _quoted(name: str) -> str:
    """Returns a name as a part of a key."""
    return f'"{name}"' if "." in name else name
