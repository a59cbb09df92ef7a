"""Serializes states and records: JSON values only, encrypted if there is a key."""

import base64
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.store.base import Item, Op, PutOp, Result, SearchItem, SearchOp

from paper_search.errors import PersistenceError
from paper_search.persistence.encryption import (
    SUFFIX,
    DamagedError,
    Keyring,
    LockedError,
    about,
    plain_row,
    refusal_of_sealed_row,
)

SMALLER = "+deflate"
"""The suffix of the kind of a compressed state."""
SEALED = "sealed"
PACKED = "deflate"
"""The one field of a compressed record: its JSON, in base64."""
_ZLIB = "eH"
"""The first characters of that field (RFC 1950, level 3, with a dictionary)."""
CLEAR = ("created_at", "updated_at")
"""Fields of an encrypted record that stay readable, so that lists can be sorted."""
LARGE_STATE = 16_384
"""Bytes above which compression saves enough space for its time."""
_PARTS = ("channel_values", "channel_versions", "versions_seen")


def serializer(keyring: Keyring | None = None) -> SerializerProtocol:
    """Return the serializer of all savers: JSON values only, no instances of classes."""
    plain = PlainSerializer()
    return plain if keyring is None else SealedSerializer(keyring, plain)


@dataclass(frozen=True)
class Boxed:
    """A text or a number that a saver must treat like all other values."""

    value: Any

    @classmethod
    def of(cls, value: Any) -> Any:
        """Return the value, in a box if a saver would treat it differently."""
        is_plain = value is None or isinstance(value, (str, int, float, bool))
        return cls(value) if is_plain else value


def check_checkpoint(checkpoint: Any, thread_id: str, checkpoint_id: str) -> None:
    """Raise DamagedError if the value is not a checkpoint, as after a change of bytes."""
    parts = checkpoint if isinstance(checkpoint, dict) else {}
    if not (parts.get("id") == checkpoint_id and isinstance(parts.get("v"), int)) or not all(
        isinstance(parts.get(name), dict) for name in _PARTS
    ):
        raise DamagedError(f"the state of thread {thread_id!r}")


class PlainSerializer(JsonPlusSerializer):
    """Strict, whatever the environment says; raises LockedError for encrypted values."""

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=None)

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[Any]) -> "PlainSerializer":
        """Return the same serializer: the channels hold no instances of classes."""
        del extra_allowlist
        return self

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        kind, value = super().dumps_typed(obj.value if isinstance(obj, Boxed) else obj)
        if len(value) < LARGE_STATE:
            return kind, value
        return kind + SMALLER, zlib.compress(value, level=3)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        kind, value = data
        if kind.endswith(SUFFIX):
            raise LockedError(refusal_of_sealed_row("a state"))
        try:
            if kind.endswith(SMALLER):
                kind, value = kind.removesuffix(SMALLER), zlib.decompress(value)
            return super().loads_typed((kind, value))
        except (ValueError, TypeError, RuntimeError, zlib.error) as error:
            raise DamagedError("a state in the database", error) from error


class SealedSerializer(EncryptedSerializer):
    """Encrypts every value, and refuses values that are not encrypted.

    LangGraph's own also reads plain rows, so that anybody who can write to the file could forge a
    state; and it reads all after the first plus sign of a kind as the cipher, even `SMALLER`.
    """

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        kind, value = data
        if not kind.endswith(SUFFIX):
            raise LockedError(plain_row("a state"))
        opened = self.cipher.decrypt(SUFFIX, value)
        return self.serde.loads_typed((kind.removesuffix(SUFFIX), opened))


class RecordSeal:
    """Compresses and encrypts the values of a store, and reads them again."""

    def __init__(self, keyring: Keyring | None) -> None:
        self._keyring = keyring

    def seal_all(self, ops: Iterable[Op]) -> list[Op]:
        return [self._seal(op) for op in ops]

    def open_all(self, results: Iterable[Result]) -> list[Result]:
        return [self._open(result) for result in results]

    def _seal(self, op: Op) -> Op:
        if isinstance(op, SearchOp) and (op.filter or op.query):
            raise PersistenceError(
                "records are compressed or encrypted, so they cannot be searched by their content"
            )
        if not isinstance(op, PutOp) or op.value is None:
            return op
        name = about(op.namespace, op.key)
        value = _pack(op.value, name)
        if self._keyring is None:
            return op._replace(value=value)
        clear = {name: op.value[name] for name in CLEAR if name in op.value}
        return op._replace(value=clear | {SEALED: self._keyring.seal_json(value, name)})

    def _open(self, result: Result) -> Result:
        if isinstance(result, list):
            return [self.item(e) if isinstance(e, SearchItem) else e for e in result]  # type: ignore[return-value]  # of one kind each
        return self.item(result) if isinstance(result, Item) else result

    def item(self, item: Any) -> Any:
        item.value = self.value(item.namespace, item.key, item.value)
        return item

    def value(self, namespace: Iterable[str], key: str, value: Any) -> dict[str, Any]:
        """Return the decrypted and decompressed value of an item."""
        what = about(namespace, key)
        is_sealed = SEALED in value and set(value) <= {SEALED, *CLEAR}
        if self._keyring is None:
            if is_sealed:
                raise LockedError(refusal_of_sealed_row(what))
        elif not is_sealed:
            raise LockedError(plain_row(what))
        else:
            value = self._keyring.open_json(value[SEALED], what)
        if PACKED not in value:
            return _plain(value, what)
        try:
            unpacking = zlib.decompressobj(zdict=what.encode("utf-8", "replace"))
            text = unpacking.decompress(base64.b64decode(value[PACKED])) + unpacking.flush()
            record: dict[str, Any] = orjson.loads(text)
        except (ValueError, TypeError, zlib.error) as error:
            raise DamagedError(what) from error  # zlib's message would not help
        return record


def _plain(value: dict[str, Any], what: str) -> dict[str, Any]:
    """Return a record that another store wrote, such as that of the server Aegra."""
    names = [name for name, text in value.items() if str(text).startswith(_ZLIB)]
    if any(len(name) == len(PACKED) for name in names):
        raise DamagedError(what)  # the name of the field was changed
    return value


def _pack(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a record compressed, with a checksum over its name too, and readable times."""
    clear = {name: value[name] for name in CLEAR if name in value}
    packing = zlib.compressobj(level=3, zdict=name.encode("utf-8", "replace"))
    packed = packing.compress(orjson.dumps(value)) + packing.flush()
    return clear | {PACKED: base64.b64encode(packed).decode()}


def records_name(ops: Iterable[Op]) -> str:
    """Return the name of the first operation's records in errors; empty without operations."""
    places = (getattr(op, "namespace", None) or getattr(op, "namespace_prefix", ()) for op in ops)
    place = next(places, ())
    return f"a record in {'/'.join(place)}" if place else ""
