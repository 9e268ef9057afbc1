"""The commands that check files: `lint`, a tokenizer.json or a GGUF; `lesson`, lessons. Exit status 1 for faults.

`lint` looks for contradictions. First it says what the original refuses, in its words; at the end which versions read
the file. With --in it checks every tokenizer below a folder; of those in other formats, and of each file besides its
contradictions, it prints the warnings of the card.

`lesson new` writes a lesson to start from. `lesson check` reads the sentences of the steps, which `explorer.views`
writes, and so this module stands on its floor.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from explorer.analysis.card import checked
from explorer.analysis.lint import (
    LLAMA_CPP,
    Finding,
    Refusal,
    ends,
    findings,
    merges,
    model_files,
    model_ids,
    of_tokenizer_json,
    readable,
    refused,
    since,
)
from explorer.analysis.lint import lint as linted
from explorer.analysis.pre_tokenizer import pre_tokenizer_facts
from explorer.cli.shared import Parsed, say
from explorer.errors import ChoiceNeeded, InputError
from explorer.formats import gguf, tokenizer_json
from explorer.formats.files import GENERATION_CONFIG, TOKENIZER_CONFIG
from explorer.opening.catalog import parse_spec
from explorer.opening.formats import files_at, format_at, open_gguf, open_json, open_path
from explorer.opening.model_names import Place
from explorer.opening.sources import contents
from explorer.text import visible
from explorer.text.say import plain, plural


def lint(parsed: Parsed) -> int:
    if (parsed.file is None) == (parsed.below is None):
        parsed.usage_error("give a FILE, or --in and a folder")
    if parsed.below is not None:
        return lint_below(Path(parsed.below))
    model, _ = parse_spec(parsed.file)
    place = model if isinstance(model, Path) else Path(parsed.file)
    # of a folder its vocabulary is meant, as everywhere
    path = files_at(place)[0] if place.is_dir() else place
    # a model on the Hub keeps its name
    name = visible(str(path) if place == Path(parsed.file) else parsed.file)
    check = checker(path)
    if check is None:
        what = format_at(path).name
        raise InputError(
            f"{name}: this is {what}; lint checks a tokenizer.json, a GGUF, or the folder of one, so give one"
        )
    return 1 if check(place, name, brief=False) else 0


def checker(path: Path) -> Callable[..., bool] | None:
    """What checks a file, by its format; None for the formats that have no rules."""
    runs = format_at(path).implementations.values()
    return lint_json if open_json in runs else lint_gguf if open_gguf in runs else None


def lint_json(place: Path, name: str, *, brief: bool) -> bool:
    """Prints what is to be said of a tokenizer.json, or of the folder of one; whether it has contradictions, or its
    original refuses it. brief: these alone."""
    files = {path.name: path for path in files_at(place)}
    path = next(iter(files.values()))
    data = contents(path)
    refusals = list(of_tokenizer_json(data, name))
    try:
        tokenizer = open_path(place, "huggingface")
    except InputError as error:
        return unopened(name, refusals or [Refusal("", str(error), "")], brief=brief)
    if place.is_dir() and TOKENIZER_CONFIG in files:
        title = place.resolve().name
        for version in ("transformers-5", "transformers-4"):
            refusals += refused(version, partial(open_path, place, version), title)
    json = tokenizer_json.read(data, name)
    beside = model_files(place) if place.is_dir() else {}
    faults = [*linted(json), *findings(tokenizer), *model_ids(tokenizer, beside),
              *ends(tokenizer, beside.get(GENERATION_CONFIG, {}))]  # fmt: skip
    say_all(name, (each.text for each in refusals))
    say_findings(name, faults)
    if not (faults or refusals or brief):
        say(f"{name}: nothing found")
    if not brief:
        say_all(name, [] if refusals else [plain(readable(json))])
        facts = pre_tokenizer_facts(tokenizer)
        say_all(name, (f"{fact.says}{f' ({fact.code})' if fact.code else ''}" for fact in facts))
    return bool(faults or refusals)


def lint_gguf(place: Path, name: str, *, brief: bool) -> bool:
    """The same of a GGUF: what llama.cpp refuses, warns of or reads otherwise, and since when it has the
    pre-tokenizer."""
    path = files_at(place)[0]
    refusals = list(refused(LLAMA_CPP, partial(open_path, path, None), path.name))
    if refusals:
        return unopened(name, refusals, brief=brief)
    tokenizer = open_path(path, None)
    keys = gguf.read(path, lambda key: key in ("tokenizer.ggml.merges", "tokenizer.ggml.pre")).metadata
    lines = keys.get("tokenizer.ggml.merges")
    of_merges = merges(lines, tokenizer) if isinstance(lines, list) and tokenizer.family == "BPE" else ()
    faults = [*findings(tokenizer), *of_merges]
    warnings = () if brief else tokenizer.warnings
    say_findings(name, faults)
    say_all(name, (f"warning: {each}" for each in warnings))
    if not (faults or warnings or brief):
        say(f"{name}: nothing found")
    pre = keys.get("tokenizer.ggml.pre")
    if not brief and tokenizer.family == "BPE" and isinstance(pre, str):
        say(f"{name}: {since(pre)}")
    return bool(faults)


def unopened(name: str, refusals: Sequence[Refusal], *, brief: bool) -> bool:
    """Says why a file isn't opened; raises it as an InputError among many files, which are counted."""
    if brief:
        raise InputError(f"{name}: {refusals[0].text}")
    say_all(name, (each.text for each in refusals))
    return True


def say_findings(name: str, faults: Iterable[Finding]) -> None:
    """Prints the contradictions of a file."""
    say_all(name, (f"{each.place}: {plain(each.says)} {each.fix}" for each in faults))


def say_all(name: str, lines: Iterable[str]) -> None:
    """Prints lines about a file."""
    for line in lines:
        say(f"{name}: {line}")


def lint_below(folder: Path) -> int:
    """`lint --in`."""
    problems: list[str] = []
    wrong: list[str] = []
    right: list[str] = []

    def check(place: Place) -> None:
        name = visible(place.name)
        check = checker(files_at(place.path)[0])
        contradicts = check is not None and check(place.path, name, brief=True)
        try:
            warnings = open_path(place.path, None).warnings
        except ChoiceNeeded as error:
            warnings = (f"it was not opened: {error}",)
        except InputError:  # of a folder that one version refuses, which is said
            if not contradicts:
                raise
            warnings = ()
        say_all(name, (f"warning: {each}" for each in warnings))
        if not contradicts and not warnings:
            say(f"{name}: nothing found")
        (wrong if contradicts else right).append(name)

    same = checked(folder, problems, check)
    for problem in problems:
        say(f"explorer: {problem}", error=True)
    known = f"; {same} have the content of another" if same else ""
    say(f"{len(wrong) + len(right)} checked, {len(wrong)} with contradictions{known}, {len(problems)} not read")
    return 1 if wrong else 0


def lesson_new(parsed: Parsed) -> int:
    """`lesson new`."""
    from explorer.corpus.atomic import write_whole
    from explorer.learning.lessons.reading import EMPTY

    path = Path(parsed.file)
    if path.suffix != ".toml":
        raise InputError(f"{visible(parsed.file)}: a lesson is a TOML file; end its name with .toml")
    if path.exists() or path.is_symlink():
        raise InputError(f"{visible(parsed.file)}: exists already; choose another name")
    write_whole(path, EMPTY.read_bytes())
    say(f"{visible(parsed.file)}: written; next, explorer lesson check {visible(parsed.file)}")
    return 0


def lesson_check(parsed: Parsed) -> int:
    """`lesson check`."""
    from explorer.learning.checks.cards import OwnEngine
    from explorer.learning.checks.claims import faults_of
    from explorer.learning.lessons.reading import read_file, read_lesson

    engine, status = OwnEngine(), 0
    for path in parsed.files:
        name = visible(path)
        data = read_file(Path(path), name)
        faults = faults_of(engine, data, name)
        for fault in faults:
            say(f"{name}, {fault.shown}")
            status = 1
        if not faults:
            say(f"{name}: {plural(len(read_lesson(data, name).cards), 'card')}, nothing wrong")
    return status
