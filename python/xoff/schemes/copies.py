"""Copies of a scheme's state, for a transport that may go back to it."""

from __future__ import annotations

from copy import deepcopy


def copied(scheme: object) -> object:
    """Returns a copy of the state of a flow or a marker; constants are shared."""
    shared = [getattr(scheme, name, None) for name in ("parameters", "flow", "place")]
    return deepcopy(scheme, {id(constant): constant for constant in shared if constant is not None})
