"""The BERT behind `sample_models/bert_large.json`; see `export_torch_graphs.py`.

BERT-large with both pre-training heads (Devlin et al., 2019) from the layers of the `transformers` package. As in the authors' own graph for
pre-training, the head that predicts words sees the masked positions only. The additive attention mask is an input: one tensor that
all layers read, prepared by the host.
"""

from __future__ import annotations

from torch import Tensor, nn
from transformers import BertConfig, BertForPreTraining


class BertLarge(nn.Module):
    """24 layers, 1,024 wide, 16 heads; the word table serves the prediction head, too."""

    def __init__(self) -> None:
        super().__init__()
        config = BertConfig(
            hidden_size=1024,
            num_hidden_layers=24,
            num_attention_heads=16,
            intermediate_size=4096,
            attn_implementation="eager",
        )
        whole = BertForPreTraining(config)
        self.embeddings, self.encoder, self.pooler = (
            whole.bert.embeddings,
            whole.bert.encoder,
            whole.bert.pooler,
        )
        self.heads = whole.cls

    def forward(
        self, input_ids: Tensor, token_type_ids: Tensor, attention_mask: Tensor, masked_positions: Tensor
    ) -> tuple[Tensor, Tensor]:
        hidden = self.encoder(self.embeddings(input_ids, token_type_ids), attention_mask=attention_mask)[0]
        masked = hidden.gather(1, masked_positions.unsqueeze(-1).expand(-1, -1, hidden.size(-1)))
        words, order = self.heads(masked, self.pooler(hidden))
        return words, order
