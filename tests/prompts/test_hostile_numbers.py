"""Templates and files that lie about numbers and lists."""

from __future__ import annotations

import pytest

from explorer.formats.model_folder import in_gguf
from explorer.prompts.llama_cpp.conversation import capabilities
from explorer.prompts.llama_cpp.program import parsed
from explorer.prompts.program import TemplateFailed, program


@pytest.mark.parametrize("tokens", [7, [1, 2], True, 1.5, b"ab", "ab", [None], [b"a"]])
def test_a_gguf_whose_tokens_are_no_texts_names_none(tokens: object) -> None:
    found = in_gguf({"tokenizer.ggml.tokens": tokens, "tokenizer.ggml.bos_token_id": 0})
    assert found.special_tokens == ({"bos_token": "a"} if tokens in ([b"a"], "ab") else {})


@pytest.mark.parametrize("number", ["1" * 5_000, "-" + "1" * 5_000])
def test_a_number_of_thousands_of_digits_is_refused(number: str) -> None:
    for reads in (parsed, program):
        with pytest.raises(TemplateFailed):
            reads(f"{{{{ {number} }}}}")


@pytest.mark.parametrize("number", ["9223372036854775808", "-9223372036854775809", "1" * 400 + ".0"])
def test_a_number_that_cpp_has_no_room_for_is_refused(number: str) -> None:
    with pytest.raises(TemplateFailed):
        parsed(f"{{{{ {number} }}}}")
    parsed("{{ 9223372036854775807 + -9223372036854775808 + 1.5 + 007 }}")


TAKES = ("messages.pop()", "messages[0].pop('content')", "tools.pop()", "messages[1].pop('tool_calls')")


def test_a_template_that_takes_the_probes_apart_is_probed() -> None:
    reads = "{{ messages[0].role }}{{ messages[0].content }}"
    assert capabilities(f"{reads}{{% set _ = messages.pop() %}}").supports_string_content
    for take in TAKES:
        assert capabilities(f"{reads}{{% set _ = {take} %}}") is not None
        assert capabilities(f"{{% if messages | length > 1 %}}{{% set _ = {take} %}}{{% endif %}}") is not None
