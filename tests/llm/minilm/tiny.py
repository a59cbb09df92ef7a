"""A model of two layers with random weights, in the files of the published one."""

import json
from pathlib import Path

import numpy as np

WIDTH, WIDE, PLACES = 24, 48, 256
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "graph", "##s", "neural", "net", "##work", ",", "北"]


def write_model(directory: Path) -> None:
    """Write vocabulary and weights; the same ones whenever it is called."""
    directory.joinpath("vocab.txt").write_text("\n".join(PIECES) + "\n", "utf-8")
    random = np.random.default_rng(0)
    tensors = {
        name: random.normal(size=shape).astype("<f4") * np.float32(0.5)
        for name, shape in _shapes().items()
    }
    entries: dict[str, object] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, tensor in tensors.items():
        offsets = [end, end + tensor.nbytes]
        entries[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": offsets}
        end += tensor.nbytes
    header = json.dumps(entries).encode()
    header += b" " * (-len(header) % 8)
    data = b"".join(tensor.tobytes() for tensor in tensors.values())
    path = directory / "model.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + data)


def _shapes() -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(PIECES), WIDTH),
        "embeddings.position_embeddings.weight": (PLACES, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    linear = {"embeddings.LayerNorm": (WIDTH,)}
    for number in range(2):
        layer = f"encoder.layer.{number}"
        linear |= {f"{layer}.attention.self.{kind}": (WIDTH, WIDTH) for kind in QKV}
        linear |= {
            f"{layer}.attention.output.dense": (WIDTH, WIDTH),
            f"{layer}.attention.output.LayerNorm": (WIDTH,),
            f"{layer}.intermediate.dense": (WIDE, WIDTH),
            f"{layer}.output.dense": (WIDTH, WIDE),
            f"{layer}.output.LayerNorm": (WIDTH,),
        }
    for name, shape in linear.items():
        shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    return shapes


QKV = ("query", "key", "value")
