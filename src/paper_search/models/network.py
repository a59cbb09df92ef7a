"""The way to the network that an institution prescribes: proxies, exceptions, certificates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from pydantic import BaseModel, Field

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_DIR")
_EXCEPTIONS = "NO_PROXY"


class Setting(BaseModel, frozen=True):
    """The value of a variable, with its name: an error names it, and never shows a password."""

    variable: str
    value: str = Field(repr=False)


class NetworkConfig(BaseModel):
    """Variables that all programs of a machine share; they are checked when they are used."""

    http: Setting | None = None
    """The proxy for http, of its own variable or of ALL_PROXY."""
    https: Setting | None = None
    exceptions: Setting | None = None
    """Hosts, domains, addresses and networks that no proxy is used for."""
    certificates: Setting | None = None
    """A file, or a directory, of authorities to trust beside the usual ones."""

    @classmethod
    def of(cls, env: Mapping[str, str]) -> Self:
        """Return the settings in the variables of a process, in capitals or not."""
        settings = {
            name.upper(): Setting(variable=name, value=value.strip())
            for name, value in sorted(env.items(), key=lambda item: item[0].islower())
            if name.upper() in {*_PROXIES, *_CERTIFICATES, _EXCEPTIONS} and value.strip()
        }
        all_ = settings.get("ALL_PROXY")
        return cls(
            http=settings.get("HTTP_PROXY", all_),
            https=settings.get("HTTPS_PROXY", all_),
            exceptions=settings.get(_EXCEPTIONS),
            certificates=next((settings[name] for name in _CERTIFICATES if name in settings), None),
        )

    @property
    def secrets(self) -> tuple[str, ...]:
        """The proxies that hold a password."""
        proxies = (self.http, self.https)
        return tuple(proxy.value for proxy in proxies if proxy is not None and "@" in proxy.value)
