"""The weights of the levels of agreement, as fitted: see docs/decisions/0010-deduplication.md."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

INTERCEPT = -5.04

WEIGHTS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "title": {
            "identical": 1.15,
            "near": 1.05,
            "close": 0.41,
            "similar": -0.25,
            "missing": -0.41,
            "weak": -0.77,
            "different": -1.18,
        },
        "difference": {
            "none": 0.73,
            "added": 0.54,
            "spelling": 0.39,
            "replaced": -1.68,
        },
        "title_length": {
            "short": 1.23,
            "middle": 0.98,
            "long": 0.67,
            "tiny": 0.2,
            "word": -0.35,
            "generic": -2.73,
        },
        "numerals": {
            "same": 0.48,
            "one": 0.2,
            "different": -0.68,
        },
        "reactions": {
            "same": 0.41,
            "different": -0.42,
        },
        "authors": {
            "one name": 1.38,
            "all": 0.86,
            "missing": 0.44,
            "some": 0.19,
            "two names": 0.05,
            "most": -0.11,
            "few": -0.36,
            "both missing": -0.81,
            "none": -1.66,
        },
        "first_author": {
            "same": 0.52,
            "missing": -0.26,
            "different": -0.27,
        },
        "year": {
            "same": 1.83,
            "missing": 1.18,
            "both missing": 0.42,
            "off in one volume": 0.23,
            "far": -1.17,
            "next": -1.25,
            "near": -1.26,
        },
        "venue": {
            "same": 0.98,
            "missing": 0.27,
            "partly": -0.25,
            "different": -1.01,
        },
        "kind": {
            "conference": 1.29,
            "journal-report": 0.16,
            "conference-report": -0.08,
            "journal": -0.11,
            "report": -0.12,
            "unknown": -0.36,
            "conference-journal": -0.79,
        },
        "volume": {
            "missing": 0.82,
            "same": 0.76,
            "different": -1.58,
        },
        "pages": {
            "same": 1.32,
            "last": -0.08,
            "first": -0.14,
            "missing": -0.27,
            "different": -0.84,
        },
        "place": {
            "same issue": 0.88,
            "same page": 0.54,
            "unknown": 0.46,
            "same volume": 0.21,
            "other volume": -0.17,
            "other page": -0.67,
            "other issue": -1.27,
        },
        "doi": {
            "same": 0.78,
            "missing": 0.51,
            "elsewhere": -0.57,
            "different": -0.73,
        },
        "abstract": {
            "same": 0.82,
            "missing": 0.58,
            "similar": -0.25,
            "related": -0.36,
            "different": -0.79,
        },
    }
)
