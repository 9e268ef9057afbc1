"""The wording of the app, for a fixed set of inputs, in one text file that a command rewrites.

Run it with ``python -m tests.wording`` after rewriting a sentence, and read the difference of `wording.txt` as a reader
of the page would. Tests assert what a sentence is about: its cause, its event, its numbers and quoted texts. How it
says so stands in that file only, and `test_wording.py` compares. It holds what commands print: the answers of Why,
Compare and Expected, cards, checks, trainings, errors, and all help.

Leaves out: what the catalogs of languages hold (`tests/languages.py`), such as the sentences of the steppers and the
pages' own labels; and what an upload alone brings up.
"""

import argparse
import contextlib
import io
import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final
from unittest import mock

from explorer.cli import commands, compare
from explorer.cli.main import main as run_command
from explorer.cli.parser import parser
from explorer.engine.tokenizer import Tokenizer
from explorer.opening.catalog import load
from explorer.views.examples import FIRST_CONVERSATION
from tests.bundled import bundled

SNAPSHOT: Final = Path(__file__).with_name("wording.txt")

FILES: Final = {
    "notes.txt": "The quick brown fox jumps over the lazy dog\nthe quick quick fox\nlow lower lowest newest\n",
    "ids.txt": "[5450, 25, 1003]\n[464, 318]\n[464, 12520]\n27 91 437 1659 5239 91 29\n",
    "two.txt": "A\u030a Café\nplain text\n",
    "empty.txt": "",
    "latin1.txt": b"caf\xe9 au lait\n",
    "broken.json": "{",
    "list.json": "[1, 2]",
    "no-vocab.json": '{"model": {"type": "BPE"}}',
    "a.tiktoken": "IQ== 0\nIQ== 1\n",
    "a.jsonl": '{"text": "one", "lang": "en"}\n{"lang": "de"}\n',
    "edits.toml": "[[edit]]\nkind = 'add'\n",
    "chat.json": json.dumps(FIRST_CONVERSATION.call),
    "thinks.jinja": "{% for m in messages %}\n[{{ m.role }}]{{ m.content }}\n{% endfor %}\n"
    "{% if add_generation_prompt and not enable_thinking %}\n</think>\n{% endif %}\n",
    "lists.jinja": "{% for m in messages %}{{ [m.role] }}{{ m.content | trim }}{% endfor %}\n",
    "asks.jinja": "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]<think>{% endif %}\n",
}
"""The files of the folder that the commands run in."""

WHY: Final = (
    'why -m llama-2 "What is LoRA?" --at 10',
    'why -m llama-2 "What is LoRA?" --at 8',
    'why -m llama-2 "What is LoRA?" --at 4',
    'why -m llama-2 "🤗" --at 0',
    'why -m gpt-2 "What is LoRA?" --at 8',
    'why -m gpt-2 "What is LoRA?" --at 10',
    'why -m gpt-2 "it\'s 1234" --at 2',
    'why -m gpt-2 --escapes "e\\u0301" --at 1',
    'why -m bert-uncased "Unaffable Å" --at 3',
    'why -m bert-uncased "Unaffable Å" --at 10',
    'why -m bert-uncased "don\'t" --at 3',
    'why -m xlm-r "unbelievable 12" --at 5',
    'why -m xlm-r "unbelievable 12" --at 0',
    'why -m rwkv-world "unbelievable" --at 3',
    'why -m rwkv-world "unbelievable" --at 2',
    'why -m o200k_base "<|endoftext|>x" --at 0',
    'why -m o200k_base "<|endoftext|>x" --at 13',
    'boundary -m gpt-2 "https:" "//example.org"',
    'boundary -m gpt-2 -m llama-3 "The answer is 42" --at 14',
    'boundary -m llama-2 "Hi" " there"',
    'boundary -m xlm-r "unbe" "lievable"',
    'boundary -m bert-uncased "ab" "cd"',
    'boundary -m qwen2.5 --escapes "e" "\\u0301"',
    'boundary -m rwkv-world "a  " " b"',
    'boundary -m gpt-2 "https://example.org" --every',
    'boundary -m gpt-2 "The answer is "',
    'boundary -m cl100k_base --escapes "Assistant:\\n\\nHi" --find "Assistant:"',
    'boundary -m llama-2 --escapes "a\\n### x" --find "### x"',
    'boundary -m gpt-2 --escapes --stop "\\n\\nHuman:"',
    'why -m llama-2 "" --at 0',
    'why -m llama-2 "abc" --at 9',
)
COMPARE: Final = (
    'compare -m qwen2.5 -m qwen2.5@llama.cpp --escapes "A\\u030a"',
    'compare -m gpt-2 -m gpt-2@llama.cpp "What is LoRA?"',
    'compare -m gpt-2 -m llama-2 "What is LoRA?"',
    'compare -m gpt-2 -m bert-uncased "What is LoRA?"',
    'compare -m cl100k_base -m gpt-2 "12345678"',
    'compare -m llama-3 -m llama-3@llama.cpp "x"',
    'compare -m xlm-r -m llama-2 "  a  b"',
    'compare -m rwkv-world -m gpt-2 "unbelievable"',
    'compare -m bert-uncased -m bert-uncased@llama.cpp "Å naïve 漢字"',
    'compare -m qwen2.5 -m qwen2.5@llama.cpp --no-parse-special "<|fim_prefix|>"',
    'compare -m gpt-2 --pattern "\\w+|\\W" "it is"',
    "diff -m qwen2.5 -m qwen2.5@llama.cpp two.txt",
    "roundtrip -m bert-uncased two.txt",
    "roundtrip -m gpt-2 two.txt",
    "roundtrip -m gpt-2 --ids ids.txt",
)
EXPECTED: Final = (
    'compare -m llama-2 --expect "[1724, 338]" "What is"',
    'compare -m llama-2 --expect "1 1724 338" "What is"',
    'compare -m llama-2 --expect "1 1724 338 2" "What is"',
    'compare -m llama-2 --expect "1 1724" "What is"',
    'compare -m llama-2 --expect "338 1724" "What is"',
    'compare -m llama-3 --expect "508 1419" "2023"',
    'compare -m gpt-2 --expect "2061 318 99999" "What is"',
    'compare -m gpt-2 --expect "10919 318" "What is"',
    'compare -m bert-uncased --expect "101 2054 2003 102" "WHAT IS"',
    'compare -m gpt-2 --expect "" "What is"',
)
TRAINING: Final = (
    "train bpe --vocab-size 30 --words whitespace --why qu --why quick --why zz --why x --why ox --why lo"
    " --why 漢 notes.txt",
    "train bpe --vocab-size 500 --min-frequency 2 --words whitespace --why lazy --why az notes.txt",
    "train bpe --vocab-size 40 --words whitespace --limit-alphabet 12 --max-token-length 3 --why quick"
    " --why z notes.txt",
    'train bpe --as sentencepiece --vocab-size 40 --why "the" --why " quick" --why zz notes.txt',
    "train bpe --as minbpe --vocab-size 262 --words whitespace --why qu --why quick notes.txt",
    "train wordpiece --vocab-size 40 --special-token [UNK] --why quick --why qu --why ##ck notes.txt",
    "train wordpiece --as likelihood --vocab-size 40 --special-token [UNK] --why quick --why qu notes.txt",
    "train wordpiece --as tensorflow-text --vocab-size 60 --reserved-token [UNK] --why quick --why ##ck"
    " --why zz notes.txt",
    "train unigram --vocab-size 40 --words metaspace --unk-token <unk> --special-token <unk> --why quick"
    " --why low --why q --why zz notes.txt",
    "train unigram --as sentencepiece --vocab-size 38 --why quick --why low --why q --why zz notes.txt",
    "train wordlevel --vocab-size 6 --special-token [UNK] --min-frequency 1 --why the --why fox --why dog"
    " --why ox --why [UNK] notes.txt",
    "train wordlevel --vocab-size 60 --special-token [UNK] --min-frequency 2 --why dog notes.txt",
)
PROMPTS: Final = (
    "prompt -m qwen2.5 --template ours:chatml --engine both chat.json",
    "prompt -m qwen2.5 --template-file thinks.jinja --engine both chat.json",
    "prompt -m qwen2.5 --template-file lists.jinja --engine both chat.json",
    "prompt -m llama-2 --template ours:chatml --engine both chat.json",
    "prompt -m qwen2.5 --template ours:chatml --engine transformers --turns chat.json",
    "prompt -m qwen2.5 --template-file lists.jinja --engine transformers --turns chat.json",
    "prompt -m qwen2.5 --template-file asks.jinja --engine transformers --turns chat.json",
    "prompt -m qwen2.5 --template ours:training-mask --training chat.json",
    "prompt -m llama-2 --template ours:alpaca --engine transformers --training --response '### Response:' chat.json",
)
FACTS: Final = (
    "info -m gpt-2",
    "info -m llama-2",
    "info -m bert-uncased@llama.cpp",
    "lint list.json",
    "vocab show -m gpt-2 11241",
    "vocab show -m llama-2 29973",
    "vocab check -m mistral-v1 --quick",
    "vocab diff -m gpt-2 -m gpt-2@llama.cpp",
    "patterns qwen-2 llama-3",
)
ERRORS: Final = (
    "encode -m nope x",
    "encode -m llama2 x",
    "encode -m broken.json x",
    "encode -m list.json x",
    "encode -m no-vocab.json x",
    "encode -m a.tiktoken x",
    "encode -m empty.txt x",
    "encode -m gpt-2@nope x",
    "encode -m gpt-2 --choose implementation=x x",
    "encode -m gpt-2 --choose x x",
    'encode -m gpt-2 --pattern "(" x',
    "encode -m gpt-2 --pattern . --pattern-number 7 x",
    "encode -m llama-2 --pattern . x",
    'encode -m gpt-2 --escapes "\\x9"',
    "decode -m gpt-2 99999999",
    "decode -m gpt-2 a",
    "compare -m gpt-2 x",
    "compare -m gpt-2 -m llama-2 --json --csv x",
    "compare -m gpt-2 -m llama-2 --baseline 3 x",
    'compare -m gpt-2 --expect "a b" x',
    "diff -m gpt-2 -m llama-2 latin1.txt",
    "diff -m gpt-2 -m llama-2 none.txt",
    "quiz -m gpt-2 --kind merge",
    "quiz -m gpt-2 --count 0",
    "patterns nope gpt-2",
    "vocab show -m gpt-2 999999",
    "vocab find -m gpt-2 --by regex (",
    "vocab find -m gpt-2 --by bytes xy",
    "edit -m gpt-2 --script edits.toml",
    "corpus -m gpt-2 none.txt",
    "corpus -m gpt-2 latin1.txt --output r.json",
    "corpus -m gpt-2 a.jsonl --output r.json --label nope",
    "corpus -m gpt-2 notes.txt --output r.json --label lang",
    "corpus -m gpt-2 -m gpt-2 notes.txt --output r.json",
    "corpus -m gpt-2 list.json --output r.json",
    "train bpe --output a.json none.txt",
    "train unigram --output a.json empty.txt",
    "train bpe --output a.json latin1.txt",
    "train bpe --output a.model notes.txt",
    "train bpe --as likelihood --output a.json notes.txt",
    "train bpe --vocab-size -1 --output a.json notes.txt",
    "train bpe --as minbpe --vocab-size 255 --output a.tiktoken notes.txt",
    "train bpe --as sentencepiece --vocab-size 4 --output a.model notes.txt",
    "train bpe --as sentencepiece --words bert --output a.model notes.txt",
    "train bpe --normalizer-of a.model --output a.json notes.txt",
    "train unigram --vocab-size 3 --output a.json notes.txt",
    "train unigram --min-frequency 3 --output a.json notes.txt",
    "train wordpiece --output a.json notes.txt",
    "train bpe",
    "app nonsense",
)


def printed(line: str) -> Iterator[str]:
    """A command line, what it prints, and its exit status if that is not 0."""
    output, status = io.StringIO(), 0
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            status = run_command(shlex.split(line))
        except SystemExit as ended:
            status = int(ended.code or 0)
    # the usage before an error is in the help
    lines = [each.rstrip() for each in output.getvalue().splitlines() if not each.startswith(("usage: ", "       "))]
    yield from [f"$ explorer {line}", *lines, *([f"exit {status}"] if status else []), ""]


def opened(spec: str, **choices: str) -> Tokenizer:
    """What the commands open, each bundled tokenizer once."""
    return load(spec, **choices) if choices else bundled(spec)


def transcript(*lines: str) -> Iterator[str]:
    """What commands print in a folder with FILES."""
    here = os.getcwd()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        stack.enter_context(mock.patch.object(sys, "argv", ["explorer"]))
        for module in (commands, compare):
            stack.enter_context(mock.patch.object(module, "load", opened))
        for name, content in FILES.items():
            Path(folder, name).write_bytes(content if isinstance(content, bytes) else content.encode())
        os.chdir(folder)
        try:
            for line in lines:
                yield from printed(line)
        finally:
            os.chdir(here)


def helps(command: argparse.ArgumentParser, name: str, summary: str = "") -> Iterator[str]:
    """The help of a command and of its parts, without the lines that argparse words."""
    yield from [f"$ {name} --help", command.description or summary]
    parts = [action for action in command._actions if isinstance(action, argparse._SubParsersAction)]
    for action in command._actions:
        if action.help not in (None, argparse.SUPPRESS) and "--help" not in action.option_strings:
            named = ", ".join(action.option_strings) or action.metavar or action.dest
            yield f"  {named}: {action.help}"
    yield from [((command.epilog or "") % {"prog": name}).strip(), ""]
    for action in parts:
        for part in action._choices_actions:
            yield from helps(action.choices[part.dest], f"{name} {part.dest}", part.help or "")


SECTIONS: Final[dict[str, Callable[[], Iterator[str]]]] = {
    "Why": lambda: transcript(*WHY),
    "Compare": lambda: transcript(*COMPARE),
    "Expected ids": lambda: transcript(*EXPECTED),
    "Why, of trainings": lambda: transcript(*TRAINING),
    "Prompts": lambda: transcript(*PROMPTS),
    "Facts": lambda: transcript(*FACTS),
    "Errors": lambda: transcript(*ERRORS),
    "Help": lambda: helps(parser(prog="explorer"), "explorer"),
}
"""By title, what each part of the file holds."""


def written(title: str) -> str:
    """A part of the file, as the code words it now."""
    return "\n".join(line.rstrip() for line in SECTIONS[title]()).strip()


def recorded() -> dict[str, str]:
    """The parts of the file by title."""
    parts = re.split(r"^={8} (.*) ={8}$", SNAPSHOT.read_text("utf-8"), flags=re.MULTILINE)[1:]
    return {title: part.strip() for title, part in zip(parts[::2], parts[1::2], strict=True)}


def main() -> int:
    """Rewrite the file."""
    parts = [f"======== {title} ========\n\n{written(title)}\n" for title in SECTIONS]
    SNAPSHOT.write_text("\n\n".join(parts), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
