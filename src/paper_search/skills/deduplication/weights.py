"""The fitted weights of the levels of agreement; see docs/decisions/0014-deduplication.md."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

INTERCEPT = -5.04

WEIGHTS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "title": {
            "identical": 1.17,
            "near": 0.96,
            "close": 0.32,
            "similar": -0.21,
            "missing": -0.29,
            "weak": -0.7,
            "different": -1.26,
        },
        "difference": {
            "none": 0.88,
            "added": 0.8,
            "spelling": 0.8,
            "opposed": -1.24,
            "replaced": -1.24,
        },
        "title_length": {
            "short": 1.48,
            "middle": 0.78,
            "long": 0.65,
            "tiny": 0.15,
            "word": -0.22,
            "generic": -2.84,
        },
        "numerals": {
            "same": 0.51,
            "one": 0.13,
            "different": -0.64,
        },
        "reactions": {
            "same": 0.31,
            "different": -0.31,
        },
        "authors": {
            "one name": 1.34,
            "all": 0.87,
            "missing": 0.41,
            "most": 0.07,
            "some": 0.07,
            "two names": 0.07,
            "few": -0.37,
            "both missing": -0.84,
            "none": -1.62,
        },
        "first_author": {
            "same": 0.51,
            "missing": -0.17,
            "different": -0.34,
        },
        "year": {
            "same": 1.75,
            "missing": 1.06,
            "both missing": 0.52,
            "off in one volume": 0.4,
            "far": -1.24,
            "near": -1.24,
            "next": -1.24,
        },
        "venue": {
            "same": 0.96,
            "missing": 0.22,
            "partly": -0.26,
            "different": -0.92,
        },
        "kind": {
            "conference": 1.39,
            "journal-report": 0.1,
            "report": -0.09,
            "journal": -0.16,
            "conference-report": -0.33,
            "unknown": -0.34,
            "conference-journal": -0.56,
        },
        "volume": {
            "missing": 0.85,
            "same": 0.75,
            "different": -1.59,
        },
        "pages": {
            "same": 1.31,
            "first": -0.12,
            "last": -0.12,
            "missing": -0.25,
            "different": -0.81,
        },
        "place": {
            "same issue": 0.74,
            "same page": 0.74,
            "unknown": 0.41,
            "same volume": 0.18,
            "other volume": -0.25,
            "other page": -0.56,
            "other issue": -1.26,
        },
        "doi": {
            "same": 0.73,
            "missing": 0.51,
            "elsewhere": -0.48,
            "different": -0.75,
        },
        "abstract": {
            "same": 1.07,
            "missing": 0.65,
            "near": -0.25,
            "similar": -0.25,
            "related": -0.36,
            "different": -0.88,
        },
    }
)
