"""Watch over callbacks: says which one has not returned for 10 s, since nothing else would."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE_S = 10.0
"""Seconds after which a callback that has not returned is named."""
_LOOKS = 5
"""Number of times that the watch looks within that time."""


class CallbackWatch:
    """Watch over the callbacks of one program."""

    def __init__(self, place: Callable[[], str]) -> None:
        """Takes the function that says in words where and when the running callback reacts."""
        self._place = place
        self._callback: Callable[..., object] | None = None
        self._since = 0.0
        self._is_known = False

    def enter(self, callback: Callable[..., object]) -> None:
        """Notes that a callback begins."""
        self._since = time.monotonic()
        self._callback = callback
        if not self._is_known:
            self._is_known = True
            _watch(self)

    def leave(self) -> None:
        """Notes that the callback has returned."""
        self._callback = None

    def look(self) -> None:
        """Names the callback on standard error if it has run for too long, once."""
        callback, since = self._callback, self._since
        if callback is not None and time.monotonic() - since >= PATIENCE_S:
            self._since = float("inf")
            line = f"{name_of(callback)}, called {self._place()}, has not returned for {PATIENCE_S:g} s; Ctrl-C ends it"
            print(f"xoff: {line}", file=sys.stderr, flush=True)  # noqa: T201


def name_of(callback: Callable[..., object]) -> str:
    """Returns the name of a callback, with file and line where Python knows them."""
    inner = getattr(callback, "func", callback)  # of a functools.partial
    name = getattr(inner, "__qualname__", type(inner).__qualname__)
    code = getattr(getattr(inner, "__func__", inner), "__code__", None)
    return name if code is None else f"{name} ({code.co_filename}:{code.co_firstlineno})"


_watched: WeakSet[CallbackWatch] = WeakSet()
_begun = threading.Lock()


def _watch(one: CallbackWatch) -> None:
    with _begun:
        begins = not _watched
        _watched.add(one)
    if begins:
        threading.Thread(target=_look_around, name="xoff-callbacks", daemon=True).start()


def _look_around() -> None:
    """Looks at every watch again and again, as long as there is one."""
    while True:
        time.sleep(PATIENCE_S / _LOOKS)
        with _begun:
            watched = list(_watched)
        if not watched:
            return
        for one in watched:
            one.look()
        del watched, one
