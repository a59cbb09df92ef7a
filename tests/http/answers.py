"""A service that answers what it was given, in order."""

import httpx


class Answers:
    """Answers every request with the next of its answers, the last for ever."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = answers
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        answer = self.answers[min(len(self.asked), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)
