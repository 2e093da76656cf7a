"""A watcher who ends a run whose scheme does not return from a method."""

from __future__ import annotations

import ctypes
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from xoff import _xoff

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE_SECONDS = 10.0
"""Seconds that a method may take."""


class TookTooLong(BaseException):
    """Raised inside a method that does not return."""

    seconds = PATIENCE_SECONDS


@contextmanager
def watched() -> Iterator[None]:
    """Raises TookTooLong inside a method of a scheme that takes longer than 10 s, for as long as the context lasts.

    A method that never gives up Python's lock, such as one huge power, is beyond reach.
    """
    is_over = threading.Event()
    thread = threading.Thread(target=_watch, args=(is_over,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


@contextmanager
def limited(seconds: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Raises TookTooLong inside what the context does, once it has taken 10 s: for calls outside of runs."""
    timer = threading.Timer(seconds, _end, (threading.get_ident(),))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _end(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TookTooLong))


def _watch(is_over: threading.Event) -> None:
    seen: dict[int, tuple[int, float]] = {}
    while not is_over.wait(PATIENCE_SECONDS / 20):
        now = time.monotonic()
        for thread, count in _xoff.scheme_calls():
            before, since = seen.get(thread, (count, now))
            if count % 2 == 0 or before != count:
                seen[thread] = (count, now)
                continue
            seen[thread] = (count, since)
            if now - since >= PATIENCE_SECONDS:
                seen[thread] = (count, now)
                _end(thread)
