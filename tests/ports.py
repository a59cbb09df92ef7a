"""Ports for servers that have to be told theirs before they start."""

import random
import socket

_FIRST, _LAST = 20_000, 30_000
"""Below those that the system deals out: nobody gets one by chance while its server starts."""


def free_port() -> int:
    """Return a port of the loopback address that nobody has."""
    while True:
        port = random.randint(_FIRST, _LAST)  # noqa: S311  # not for secrets
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
