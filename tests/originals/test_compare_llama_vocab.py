"""The script that compares with llama.cpp's source, run on a source written here."""

from __future__ import annotations

from explorer.engine.pre_tokenizers.scanners import SCANNERS
from explorer.implementations.llama_cpp import MODELS
from explorer.implementations.llama_cpp.pre_tokenizers import PRE, Pre
from tests.originals.compare_llama_vocab import FLAGS, compare, literal, literals, read


def quoted(text: str) -> str:
    """A C++ string literal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "\\r").replace("\n", "\\n")
    return f'"{escaped}"'


def type_of(name: str) -> str:
    return (
        "GEMMA4"
        if name in PRE and PRE[name].line_feeds_whole
        else name.upper().replace("-", "_").replace(".", "_") + "_"
    )


def source(table: dict[str, Pre]) -> str:
    """A llama-vocab.cpp with the content of a table, in the form of the real file."""
    cases, chain = [], []
    for name, pre in table.items():
        listed = ",\n".join(f"    // {quoted('not this')}\n    {quoted(each.regex)}" for each in pre.patterns)
        raw = "" if pre.bytes_spelled else "byte_encode = false;\n"
        cases.append(f"case LLAMA_VOCAB_PRE_TYPE_{type_of(name)}:\nregex_exprs = {{\n{listed},\n}};\n{raw}break;")
        settings = [
            f"{theirs} = {'LLAMA_TOKEN_NULL' if ours == 'bos' else str(getattr(pre, ours)).lower()};"
            for theirs, ours in FLAGS.items()
            if getattr(pre, ours) != getattr(Pre(()), ours)
        ]
        chain.append(f'tokenizer_pre == "{name}") {{\npre_type = LLAMA_VOCAB_PRE_TYPE_{type_of(name)};\n'
                     + "\n".join(settings) + "\n}")  # fmt: skip
    models = "\n".join(f'tokenizer_model == "{model}"' for model in MODELS)
    others = 'default:\nregex_exprs = {\n"x",\n};\nbreak;\n}'
    switch = "\n".join(["switch (vocab.get_pre_type()) {", *cases, others, "bool byte_encode = true;", models])
    return f"{switch}\nif ({' else if ('.join(chain)} else {{ unknown pre-tokenizer type"


UNICODE = "\n".join(f"regex_expr == {quoted(regex)}" for regex in SCANNERS)


def test_an_equal_source_has_no_differences() -> None:
    assert compare(source(dict(PRE)), UNICODE) == []


def test_differences_are_printed() -> None:
    table = {name: pre for name, pre in PRE.items() if name != "viking"}
    table["bloom"] = table["bloom"]._replace(clean_spaces=False, patterns=PRE["qwen2"].patterns)
    table["brand-new"] = PRE["qwen2"]
    text = source(table | {"glm4": PRE["glm4"]._replace(bos=True)}).replace('"rwkv"', '"rwkv8"')
    assert compare(text, UNICODE.replace("Han", "Hanzi")) == [
        "tokenizer model only there: rwkv8", "tokenizer model only here: rwkv", "name only there: brand-new",
        "name only here: viking", "glm4: bos is True",
        f"bloom: the patterns are {[PRE['qwen2'].patterns[0].regex]}", "bloom: clean_spaces is False",
        "run by a scanner only here: \\p{Han}+",
    ]  # fmt: skip


def test_cpp_string_literals() -> None:
    assert literal(r"\\s\"\r\n") == '\\s"\r\n'
    assert literals('"a"\n"b", "c,"\n  // "gone"\n "d"') == ["ab", "c,d"]


def test_flags_are_read_for_the_right_name() -> None:
    found = read(source({"default": PRE["default"], "tekken": PRE["tekken"]}))
    assert found["tekken"].settings["add_bos"] is True
    assert found["tekken"].patterns == [PRE["tekken"].patterns[0].regex]
