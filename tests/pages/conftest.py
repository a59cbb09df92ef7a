"""The site has no robots.txt unless a test gives it one."""

import pytest
from pytest_httpserver import HTTPServer


@pytest.fixture(autouse=True)
def _no_page_is_404(httpserver: HTTPServer) -> None:
    httpserver.no_handler_status_code = 404
