"""The files that examples of commands name: those of the help texts, and those of the documents."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import explorer
from explorer.corpus.sample import TEXTS
from explorer.learning.lessons.reading import FILES
from explorer.prompts.parsers.reading import formats
from tests.cli.command import command

ROOT = Path(explorer.__file__).parent.parent
CHAT = [{"role": "user", "content": "What is LoRA?"}]


def write_files(to: Path) -> Path:
    """Writes what the help texts name into a folder."""
    (to / "notes.txt").write_text("A\u030a Café\nplain text\n  😊\n", "utf-8")
    (to / "escaped.txt").write_text("e\\u0301\n", "utf-8")
    (to / "answers.jsonl").write_text("[5450, 25, 1003]\n", "utf-8")
    (to / "ids.json").write_text("[31373, 995]", "utf-8")
    book = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "docs" / "design").glob("*.md")))
    (to / "book.txt").write_text(book, "utf-8")
    (to / "chat.json").write_text(json.dumps(CHAT), "utf-8")
    (to / "my" / "model").mkdir(parents=True)
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(ROOT / "vocabs" / f"qwen2_5.{file}", to / "my" / "model" / file)
    settings = json.loads((to / "my" / "model" / "tokenizer_config.json").read_text("utf-8"))
    (to / "chat_template.jinja").write_text(settings["chat_template"], "utf-8")
    shutil.copyfile(explorer.catalog()["bert-uncased"].path, to / "my" / "tokenizer.json")
    shutil.copyfile(FILES / "bytes.toml", to / "bytes.toml")
    (to / "texts").mkdir()
    rows = ({"text": text, "lang": label} for text, label in (("one", "en"), ("two words", "en"), ("drei", "de")))
    (to / "texts" / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    for shell in ("bash-completion/completions", "fish/completions"):
        (to / ".local/share" / shell).mkdir(parents=True)
        (to / ".config" / shell).mkdir(parents=True)
    return to


def write_more_files(to: Path) -> Path:
    """Writes what the documents name, too."""
    import pyarrow
    import pyarrow.parquet
    import zstandard

    to.mkdir()
    write_files(to)
    shutil.copytree(to / "my" / "model", to / "my-model")
    shutil.copyfile(explorer.catalog()["llama-2"].path, to / "my" / "model.gguf")
    with gzip.open(TEXTS, "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line in file]
    (to / "texts" / "declaration.txt").write_text("\n".join(text.replace("\n", " ") for text in texts[:600]), "utf-8")
    (to / "web").mkdir()
    line = json.dumps({"text": "What is LoRA?"}).encode()
    (to / "web" / "a.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(line))
    table = pyarrow.table({"sentence": ["one", "eins"], "language": ["eng", "deu"]})
    pyarrow.parquet.write_table(table, to / "flores.parquet")
    for name in ("old.jinja", "new.jinja"):
        shutil.copyfile(to / "chat_template.jinja", to / name)
    (to / "response_template.json").write_text(json.dumps(formats()["hermes"].template), "utf-8")
    (to / "request.json").write_text(json.dumps({"model": "m", "messages": CHAT}), "utf-8")
    edits = ("--add", "<other>", "--save-script", "edits.toml", "--output", "other.json")
    assert command("edit", "-m", "gpt-2", *edits, at=to)[0] == 0
    (to / "answer.txt").write_text('<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>', "utf-8")
    (to / "mine.merges").write_text("e r\nt h\n", "utf-8")
    return to
