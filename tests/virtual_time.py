"""Asynchronous tests whose clock jumps: a wait costs nothing, and the load of a machine nothing."""

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from typing import Any


class _JumpingSelector(selectors.DefaultSelector):
    """Does not wait for the next timer: moves the clock there."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:  # no timer is left: something else has to happen
            return super().select()
        ready = super().select(0)
        if not ready:
            self.now += max(timeout, 0.0)
        return ready


class _VirtualTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now

    def run_in_executor(self, _executor: Any, work: Callable[..., Any], *given: Any) -> Any:
        """Work at once instead of in a thread: the clock would not wait for it."""
        done = self.create_future()
        try:
            done.set_result(work(*given))
        except Exception as error:  # noqa: BLE001  # whoever awaits it gets it
            done.set_exception(error)
        return done


def in_virtual_time(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run an asynchronous test on a loop whose clock moves only when all tasks wait.

    For tests without sockets, threads of their own and asynchronous fixtures: time would not wait
    for them.
    """

    @functools.wraps(test)
    def run(*given: Any, **named: Any) -> None:
        with asyncio.Runner(loop_factory=_VirtualTimeLoop) as runner:
            runner.run(test(*given, **named))

    return run


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waits: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
