"""When a kernel is compiled, and not merely read from numba's cache."""

from __future__ import annotations

from numba.core import event

# numba's name for it: what starts after the cache had nothing
_COMPILE = "numba:compile"


class _Listener(event.Listener):
    """Tells a callable the name of each function that begins to be compiled, those called by others included."""

    def __init__(self, tell):  # type: ignore[no-untyped-def]
        self._tell = tell

    def on_start(self, event):  # type: ignore[no-untyped-def]
        """A compilation begins."""
        self._tell(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event):  # type: ignore[no-untyped-def]
        """A compilation has ended: there is nothing to say."""


def told_of_compiling(tell):  # type: ignore[no-untyped-def]
    """A context in which `tell` receives the name of every function that numba begins to compile, on any thread."""
    return event.install_listener(_COMPILE, _Listener(tell))  # type: ignore[no-untyped-call]
