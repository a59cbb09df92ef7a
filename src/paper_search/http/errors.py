"""What can go wrong between us and a server."""

from __future__ import annotations

from http import HTTPStatus

from paper_search.errors import PaperSearchError


class HttpError(PaperSearchError):
    """A request that failed; the text holds no secret.

    Attributes:
        attempts: requests that were sent for it.
    """

    attempts: int = 0


class HttpStatusError(HttpError):
    """The server answered with a status that is no success.

    Attributes:
        status: the HTTP status.
        retry_after: seconds that the server asks to wait; None: it does not say.
        body: the first characters of the answer, without secrets.
        location: where a redirect leads that was not followed.
        is_challenge: the answer is a page that is to keep programs out.
        until: when the host may be asked again, in seconds since 1970; None: it did not refuse.
    """

    until: float | None = None

    def __init__(  # noqa: PLR0913  # what an answer without success holds
        self,
        message: str,
        *,
        status: int,
        retry_after: float | None = None,
        body: str = "",
        location: str | None = None,
        is_challenge: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after
        self.body = body
        self.location = location
        self.is_challenge = is_challenge


class HttpRefusedError(HttpStatusError):
    """The server refused lately, and the time to ask again has not come; nothing was sent.

    Attributes:
        reason: what was remembered of the refusal.
    """

    def __init__(self, message: str, *, until: float, reason: str) -> None:
        super().__init__(message, status=HTTPStatus.TOO_MANY_REQUESTS)
        self.until = until
        self.reason = reason


class HttpTimeoutError(HttpError):
    """No whole answer in time."""


class HttpNoTimeError(HttpTimeoutError):
    """The turn of the request would come after the deadline; nothing was sent."""


class HttpUnreachableError(HttpError):
    """No connection to the server, or it broke before an answer."""


class HttpProxyError(HttpUnreachableError):
    """The proxy cannot be reached, or does not connect us."""


class HttpBodyError(HttpError):
    """An answer that cannot be used: cut off, too large, no JSON, a web page.

    Attributes:
        is_cut_off: the connection broke in the middle, so that asking again may help.
    """

    def __init__(self, message: str, *, is_cut_off: bool = False) -> None:
        super().__init__(message)
        self.is_cut_off = is_cut_off


class HttpCallLimitError(HttpError):
    """The calls that were allowed are used up; nothing was sent.

    Attributes:
        setting: the variable that limits them; empty: nobody said.
    """

    def __init__(self, setting: str = "") -> None:
        by = f" ({setting})" if setting else ""
        super().__init__(f"the calls allowed for this run are used up{by}")
        self.setting = setting
