"""Encryption at rest: AES-256-GCM over every state, write, record and decision."""

import base64
import hashlib
import json
import logging
import secrets
import struct
from collections.abc import Iterable, Sequence
from typing import Any
from zlib import crc32

from paper_search.errors import ConfigError, PersistenceError, how_to_install

logger = logging.getLogger(__name__)

KEY_BYTES = 32
CIPHER = "sealed"
SUFFIX = f"+{CIPHER}"
"""The suffix of the kind of an encrypted state."""
_STATE = "a state"
_MARK = b"ps1"
_ID_BYTES, _NONCE_BYTES = 4, 12
_HEAD = struct.Struct(f"3s{_ID_BYTES}s{_NONCE_BYTES}s16s")
_MARK_IN_BASE64 = base64.b64encode(_MARK).decode()


class DamagedError(PersistenceError):
    """Something in the database cannot be read, because its bytes were changed."""

    def __init__(self, what: str, why: object = "its bytes were changed", remedy: str = "") -> None:
        self.why = getattr(why, "why", why)  # so that no advice is repeated
        super().__init__(
            f"{what} is damaged: {self.why}; restore a backup, {remedy}or delete the thread"
        )


class LockedError(PersistenceError):
    """Something in the database was written with another key, or without one; it is intact."""


class Keyring:
    """Encrypts with the first key and decrypts with any.

    An encrypted text begins with a mark, the id of its key, nonce and tag (NIST SP 800-38D).

    Args:
        keys: base64 of 32 random bytes each; the first is the current one.

    Raises:
        ConfigError: there is no key, one is invalid, or the extra is not installed.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        if not keys:
            raise ConfigError("encryption needs a key")
        try:
            from Crypto.Cipher import AES  # noqa: PLC0415  # an extra
        except ImportError:
            raise ConfigError(
                "an encryption key is set, but AES is not installed; install the extra: "
                f"{how_to_install('encryption')}"
            ) from None
        self._aes = AES
        raw = [_key(key, number) for number, key in enumerate(keys, start=1)]
        self._keys = {_key_id(key): key for key in raw}
        self._present = _key_id(raw[0])

    def __repr__(self) -> str:
        return f"Keyring({[key_id.hex() for key_id in self._keys]})"

    def seal(self, data: bytes, about: str) -> bytes:
        nonce = secrets.token_bytes(_NONCE_BYTES)
        cipher = self._aes.new(self._keys[self._present], self._aes.MODE_GCM, nonce=nonce)
        cipher.update(about.encode())
        hidden, tag = cipher.encrypt_and_digest(data)
        return _HEAD.pack(_MARK, self._present, nonce, tag) + hidden

    def open(self, data: bytes, about: str) -> bytes:
        """Decrypt the result of `seal`; raise LockedError or DamagedError."""
        if len(data) < _HEAD.size or not data.startswith(_MARK):
            raise LockedError(plain_row(about))
        _, key_id, nonce, tag = _HEAD.unpack_from(data)
        if key_id not in self._keys:
            raise LockedError(
                f"a row ({about}) was encrypted with key {key_id.hex()}, but the known keys are "
                f"{', '.join(key_id.hex() for key_id in self._keys)}; add the old key to "
                "PAPER_SEARCH_ENCRYPTION_OLD_KEYS"
            )
        cipher = self._aes.new(self._keys[key_id], self._aes.MODE_GCM, nonce=nonce)
        cipher.update(about.encode())
        try:
            return bytes(cipher.decrypt_and_verify(data[_HEAD.size :], tag))
        except ValueError:
            why = "it fails authentication: it was changed outside of the program"
            raise DamagedError(about, why) from None

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        return CIPHER, self.seal(plaintext, _STATE)

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        del ciphername  # there is one
        return self.open(bytes(ciphertext), _STATE)

    def seal_json(self, value: Any, about: str) -> str:
        data = self.seal(json.dumps(value).encode(), about)
        return base64.b64encode(data).decode()

    def open_json(self, text: Any, about: str) -> Any:
        """Decrypt the result of `seal_json`. Raises the errors of `open`."""
        try:
            data = base64.b64decode(text, validate=True)
        except (ValueError, TypeError):
            raise LockedError(plain_row(about)) from None
        return json.loads(self.open(data, about))


def plain_row(about: str) -> str:
    return (
        f"a row ({about}) is not encrypted although an encryption key is set. It is refused, "
        "because anybody could have written it; read old threads without the key, or choose "
        "another place with --home or PAPER_SEARCH_HOME"
    )


def refusal_of_sealed_row(about: str) -> str:
    return (
        f"a row ({about}) is encrypted, but no key is set; set PAPER_SEARCH_ENCRYPTION_KEY to the "
        "key with which it was written"
    )


def _key(text: str, number: int) -> bytes:
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise ConfigError(
            f"encryption key {number} cannot be used: it has to be {KEY_BYTES} random bytes in "
            "base64, as `openssl rand -base64 32` prints"
        )
    return key


def _key_id(key: bytes) -> bytes:
    return hashlib.sha256(b"paper-search key id" + key).digest()[:_ID_BYTES]


def seal_value(keyring: Keyring | None, value: Any, about: str, *beside: str) -> str:
    """Return JSON for a column of our own tables: encrypted; without a key, with a checksum.

    `about`: its name in errors, which is authenticated as well. `beside`: values of other columns
    of the row, which must not change without it.
    """
    row = [value, *beside]
    if keyring is not None:
        return keyring.seal_json(row, about)
    text = json.dumps(row)
    return f"{crc32(f'{about} {text}'.encode()):08x} {text}"


def open_value(keyring: Keyring | None, text: str, about: str, *beside: str) -> Any:
    """Return the value in a column that `seal_value` wrote."""
    try:
        row = _plain_row(text, about) if keyring is None else keyring.open_json(text, about)
    except ValueError as error:
        if text.startswith(_MARK_IN_BASE64):
            raise LockedError(refusal_of_sealed_row(about)) from None
        raise DamagedError(about, error) from error
    if row[1:] != list(beside):
        raise DamagedError(about)
    return row[0]


def _plain_row(text: str, about: str) -> Any:
    checksum, _, rest = text.partition(" ")
    if checksum != f"{crc32(f'{about} {rest}'.encode()):08x}":
        raise ValueError("its bytes were changed")
    return json.loads(rest)


def about(namespace: Iterable[str], key: str) -> str:
    return f"record {'/'.join(namespace)}/{key}"
