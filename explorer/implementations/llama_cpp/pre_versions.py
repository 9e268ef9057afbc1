"""Which llama.cpp first knows each name of `tokenizer.ggml.pre`.

Read from `llama-vocab.cpp` (before 0.2.83 `llama.cpp`) in the sources of the releases of llama-cpp-python that are
listed; releases between them were not looked at.
"""

from __future__ import annotations

from typing import Final

PRE_TOKENIZERS: Final = {
    "0.2.64": "",
    "0.2.68": "default llama-bpe llama3 llama-v3 gpt-2 mpt starcoder deepseek-llm deepseek-coder falcon",
    "0.2.70": "olmo refact command-r",
    "0.2.72": "qwen2 dbrx",
    "0.2.75": "jina-es jina-de jina-v2-es jina-v2-de",
    "0.2.77": "smaug-bpe stablelm2",
    "0.2.79": "jina-v2-code poro-chat",
    "0.2.82": "phi-2 jais chatglm-bpe viking",
    "0.2.85": "tekken codeshell smollm",
    "0.2.88": "",
    "0.2.90": "exaone bloom gpt3-finnish",
    "0.3.0": "",
    "0.3.2": "jina-v1-en chameleon",
    "0.3.5": "minerva-7b",
    "0.3.8": "falcon3 gigachat deepseek-r1-qwen gpt-4o deepseek-v3 megrez roberta-bpe",
    "0.3.9": "pixtral llama4 glm4 trillion superbpe bailingmoe",
    "0.3.12": "seed-coder",
    "0.3.14": "falcon-h1 midm-2.0 lfm2 a.x-4.0 hunyuan kimi-k2",
    "0.3.16": "mellum exaone4 hunyuan-dense",
    "0.3.18": (
        "jina-v5-nano modern-bert kormo solar-open grok-2 qwen35 kanana2 minimax-m2 joyai-llm granite-docling "
        "youtu jais-2 exaone-moe tiny_aya bailingmoe2 llada-moe afmoe"
    ),
    "0.3.20": "f2llmv2",
    "0.3.24": "talkie gemma4 sarvam-moe minicpm5 whitespace",
    "0.3.28": "granite-embed-multi-311m mellum2 granite-embed-multi-97m",
    "0.3.32": "cohere2moe",
    "0.3.36": "hy_v4 glm5 spark2_5 ufakzeka laguna",
}
"""Release, the oldest first → the names that the one before lacks."""
