"""The paths of the page."""

import mimetypes
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from paper_search.config import load_config
from paper_search.server.app_factory import create_app, shared_access
from paper_search.web import (
    downloads_view,
    full_texts_view,
    results_view,
    screen_view,
    strategy_view,
    threads_view,
)
from paper_search.web.site import Site
from paper_search.web.templates import static

_A_YEAR = "public, max-age=31536000, immutable"


def page_routes(site: Site) -> list[Route]:
    thread = "/review/threads/{thread}"
    reads = {
        "/review": threads_view.threads,
        "/review/reports/{thread}": downloads_view.report,
        thread: threads_view.thread,
        f"{thread}/progress": threads_view.progress,
        f"{thread}/log": threads_view.log,
        f"{thread}/strategy": strategy_view.strategy,
        f"{thread}/strategy/databases": strategy_view.databases,
        f"{thread}/results": results_view.results,
        f"{thread}/merged": results_view.merged_records,
        f"{thread}/screen": screen_view.screen,
        f"{thread}/reviewers": screen_view.reviewers,
        **{f"{thread}/full-texts{below}": view for below, view in full_texts_view.READS.items()},
        f"{thread}/downloads": downloads_view.downloads,
        f"{thread}/pictures": downloads_view.pictures,
        f"{thread}/pictures/{{name}}": downloads_view.picture,
        f"{thread}/papers": downloads_view.papers,
        f"{thread}/audit": downloads_view.audit,
    }
    writes = {
        "/review/threads": threads_view.begin,
        "/review/import": threads_view.import_files,
        "/review/sign-out": threads_view.sign_out,
        f"{thread}/resume": threads_view.resume,
        f"{thread}/strategy": strategy_view.decide,
        f"{thread}/results": results_view.decide,
        f"{thread}/merged": results_view.split,
        f"{thread}/marks": screen_view.mark,
        f"{thread}/reviewers": screen_view.act,
        **{f"{thread}/full-texts{below}": view for below, view in full_texts_view.WRITES.items()},
    }
    return [
        Route("/review/static/{name}", _static, methods=["GET"]),
        Route("/review/sign-in", site.view(threads_view.sign_in, is_open=True), methods=["GET"]),
        Route("/review/sign-in", site.view(threads_view.log_in, is_open=True), methods=["POST"]),
        *(Route(path, site.view(view), methods=["GET"]) for path, view in reads.items()),
        *(Route(path, site.view(view), methods=["POST"]) for path, view in writes.items()),
    ]


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    content = static(name)
    if content is None:
        return Response(status_code=HTTPStatus.NOT_FOUND)
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Response(content, media_type=kind, headers={"cache-control": _A_YEAR})


def __getattr__(name: str) -> Any:
    """Make `app` when the server asks for it; importing does no work."""
    if name == "app":
        config, access = load_config(), shared_access()
        return create_app(config, access, page_routes(Site(config, access)))
    raise AttributeError(name)
