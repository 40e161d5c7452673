"""A decoder as Llama and Granite have it, built from a config: the fields and names of their config.json.

RMS norm, rotary positions, grouped-query attention, SwiGLU. Granite's four multipliers are 1 for others. A config of
``ibm-granite/granite-3.1-8b-instruct`` gives that model's 8,170,848,256 parameters; sizes.json has
small ones for trying.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional


@dataclass(frozen=True)
class Config:
    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    rope_theta: float = 10_000.0
    rms_norm_eps: float = 1e-5
    tie_word_embeddings: bool = False
    embedding_multiplier: float = 1.0
    attention_multiplier: float | None = None
    residual_multiplier: float = 1.0
    logits_scaling: float = 1.0

    @classmethod
    def read(cls, path: Path, name: str | None = None) -> Config:
        """A model's config.json, or the entry ``name`` of a file that has several. Fields of others are left out."""
        data = json.loads(path.read_text())
        data = data[name] if name else data
        known = {field.name for field in fields(cls)}
        return cls(**{key: value for key, value in data.items() if key in known})

    @property
    def head_size(self) -> int:
        return self.hidden_size // self.num_attention_heads


class Attention(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        width, keys = config.hidden_size, config.num_key_value_heads * config.head_size
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, keys, bias=False)
        self.v_proj = nn.Linear(width, keys, bias=False)
        self.o_proj = nn.Linear(width, width, bias=False)

    def forward(self, hidden: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        batch, length, _ = hidden.shape
        query, key, value = (
            projection(hidden).view(batch, length, -1, self.config.head_size).transpose(1, 2)
            for projection in (self.q_proj, self.k_proj, self.v_proj)
        )
        mixed = functional.scaled_dot_product_attention(
            turned(query, turn), turned(key, turn), value,
            is_causal=True, scale=self.config.attention_multiplier, enable_gqa=True,
        )  # fmt: skip
        return self.o_proj(mixed.transpose(1, 2).flatten(2))


class MLP(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return self.down_proj(functional.silu(self.gate_proj(hidden)) * self.up_proj(hidden))


class Block(nn.Module):
    """One layer: the unit of sharding and of activation checkpoints."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.input_layernorm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.self_attn = Attention(config)
        self.post_attention_layernorm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.mlp = MLP(config)
        self.scale = config.residual_multiplier

    def forward(self, hidden: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        hidden = hidden + self.scale * self.self_attn(self.input_layernorm(hidden), turn)
        return hidden + self.scale * self.mlp(self.post_attention_layernorm(hidden))


class Decoder(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(Block(config) for _ in range(config.num_hidden_layers))
        self.norm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        if config.tie_word_embeddings:
            self.lm_head.weight = self.embed_tokens.weight
        self.apply(_initialise)

    def forward(self, tokens: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """tokens, targets int64 [batch, length] -> the mean loss."""
        hidden = self.embed_tokens(tokens) * self.config.embedding_multiplier
        turn = rotation(self.config, tokens.shape[1], hidden.device, hidden.dtype)
        for layer in self.layers:
            hidden = layer(hidden, turn)
        logits = self.lm_head(self.norm(hidden)) / self.config.logits_scaling
        return functional.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


def rotation(
    config: Config, length: int, device: torch.device, dtype: torch.dtype
) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosine and sine of each position's angles, [length, head size]."""
    half = torch.arange(0, config.head_size, 2, device=device) / config.head_size
    angles = torch.outer(torch.arange(length, device=device), config.rope_theta**-half).repeat(1, 2)
    return angles.cos().to(dtype), angles.sin().to(dtype)


def turned(heads: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """Rotary positions: [batch, heads, length, head size] -> the same, each pair turned by its position's angle."""
    cosine, sine = turn
    first, second = heads.chunk(2, -1)
    return heads * cosine + torch.cat([-second, first], -1) * sine


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
