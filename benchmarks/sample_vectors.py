"""Writes the vectors of the sample by `minilm`, which ship with it. Needs numpy and the weights.

python benchmarks/sample_vectors.py
"""

import tempfile
from pathlib import Path

import numpy as np

import paper_search.library.sample as package
from paper_search.library.embedded import digest_of, embedded_text
from paper_search.library.samples import VECTOR, open_sample
from paper_search.library.vectors import encode
from paper_search.llm.embeddings import create_embedder
from paper_search.models.settings import EmbeddingsConfig

FILE = Path(package.__path__[0]) / "vectors.bin"


def main() -> None:
    """Embed the texts of all records and write the file."""
    embedder = create_embedder(EmbeddingsConfig(name="minilm"))
    assert embedder is not None
    with tempfile.TemporaryDirectory() as home, open_sample(Path(home)) as sample:
        texts = [embedded_text(paper.model_dump(mode="json")) for paper in sample]
    vectors = np.concatenate(
        [embedder.documents(texts[start : start + 64]) for start in range(0, len(texts), 64)]
    )
    entries = np.empty(len(texts), dtype=VECTOR)
    entries["codes"], entries["scale"] = encode(vectors)
    entries["digest"] = np.frombuffer(b"".join(map(digest_of, texts)), dtype=VECTOR[0][1])
    FILE.write_bytes(entries.tobytes())
    print(f"{FILE.name}: {len(texts)} vectors, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
