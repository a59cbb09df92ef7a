"""The fitted weights of the levels of agreement; see docs/decisions/0014-deduplication.md."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

INTERCEPT = -4.83

WEIGHTS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "title": {
            "identical": 1.15,
            "near": 0.98,
            "close": 0.34,
            "similar": -0.25,
            "missing": -0.41,
            "weak": -0.7,
            "different": -1.13,
        },
        "difference": {
            "none": 0.74,
            "added": 0.62,
            "spelling": 0.32,
            "replaced": -1.7,
        },
        "title_length": {
            "short": 1.23,
            "middle": 1.02,
            "long": 0.64,
            "tiny": 0.18,
            "word": -0.35,
            "generic": -2.74,
        },
        "numerals": {
            "same": 0.45,
            "one": 0.21,
            "different": -0.69,
        },
        "reactions": {
            "same": 0.39,
            "different": -0.42,
        },
        "authors": {
            "one name": 1.31,
            "all": 0.9,
            "missing": 0.36,
            "some": 0.14,
            "two names": 0.06,
            "most": 0.02,
            "few": -0.34,
            "both missing": -0.84,
            "none": -1.64,
        },
        "first_author": {
            "same": 0.5,
            "missing": -0.19,
            "different": -0.34,
        },
        "year": {
            "same": 1.75,
            "missing": 1.03,
            "both missing": 0.5,
            "off in one volume": 0.37,
            "far": -1.06,
            "near": -1.29,
            "next": -1.33,
        },
        "venue": {
            "same": 0.98,
            "missing": 0.22,
            "partly": -0.28,
            "different": -0.95,
        },
        "kind": {
            "conference": 1.38,
            "journal-report": 0.12,
            "journal": -0.15,
            "report": -0.18,
            "conference-report": -0.22,
            "unknown": -0.35,
            "conference-journal": -0.63,
        },
        "volume": {
            "missing": 0.79,
            "same": 0.76,
            "different": -1.58,
        },
        "pages": {
            "same": 1.37,
            "last": 0.03,
            "first": -0.18,
            "missing": -0.35,
            "different": -0.9,
        },
        "place": {
            "same issue": 0.87,
            "same page": 0.56,
            "unknown": 0.48,
            "same volume": 0.21,
            "other volume": -0.22,
            "other page": -0.68,
            "other issue": -1.25,
        },
        "doi": {
            "same": 0.71,
            "missing": 0.52,
            "elsewhere": -0.5,
            "different": -0.75,
        },
        "abstract": {
            "same": 1.11,
            "missing": 0.62,
            "similar": -0.29,
            "near": -0.34,
            "related": -0.35,
            "different": -0.78,
        },
    }
)
