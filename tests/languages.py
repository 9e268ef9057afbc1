"""What the program says in English, and what the catalogs of other languages lack of it.

``python -m tests.languages`` lists what each language has no translation for, and the translations whose English is
gone. ``--merge`` writes both into the catalogs with Babel, as `msgmerge` does: new English gets an empty translation,
what is gone moves to the end of the file. English is found in the source (`messages`): templates of sentences, kinds
of step, lessons, the glossary, what components say; and every other text of the source that a catalog has, such as a
caption. What Learn shows is also asked for by running it (`questions`, `panels`, `why`, `details`).
"""

import ast
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from io import BytesIO
from itertools import product
from pathlib import Path
from pkgutil import walk_packages
from random import Random
from types import ModuleType
from typing import Any, NamedTuple

from regex import _regex_core

import explorer
from explorer import stages
from explorer.analysis.languages import languages as bundled_languages
from explorer.analysis.lint import FINDINGS
from explorer.analysis.vocabulary.checks import WORDS as CHECKED
from explorer.analysis.vocabulary.index import SCRIPTS, By, Query
from explorer.analysis.what_if import WORDS as SWITCHES
from explorer.answers.explore import Request, sections_of
from explorer.answers.learn import ENGINE, spec_of
from explorer.answers.vocabulary import token_view, vocabulary_view
from explorer.corpus.measures import CAUTION, FIGURE
from explorer.corpus.measures import KNOWN as MEASURES
from explorer.corpus.sample import sample_result
from explorer.editing.edits import KINDS as KINDS_OF_EDITS
from explorer.editing.edits import TITLES
from explorer.editing.replay import INSTEAD
from explorer.engine.part import Options
from explorer.engine.regexes.fancy import UNSUPPORTED as FANCY
from explorer.engine.regexes.oniguruma import UNSUPPORTED as ONIGURUMA
from explorer.engine.regexes.safe import REFUSED
from explorer.formats.not_vocabularies import KINDS as KINDS_OF_FILES
from explorer.formats.not_vocabularies import OBJECTS
from explorer.languages import CONTEXT, ENGLISH, FOLDER, Format, Forms, Phrases, languages, phrases
from explorer.learning.checks.cards import opened, shown_by
from explorer.learning.lessons import Lesson, library
from explorer.learning.lessons.reading import PAGE, Exercise, ExplorePanel, Task, VocabularyPanel, paragraphs_of
from explorer.learning.questions import KINDS, scene_of
from explorer.opening.formats import FORMATS
from explorer.prompts.check import Verdict, conversations
from explorer.prompts.llama_cpp.conversation import Capabilities
from explorer.prompts.repairs import CHANGES
from explorer.prompts.run import WORDS as OF_PROMPTS
from explorer.script.script import CAPTIONS, PLAYERS, TRACKS, WITHIN, StepKind, in_language
from explorer.script.script import SAYS as SAYS_OF_SCRIPTS
from explorer.stages import table
from explorer.stages.decoders.losses import LOOKS_LIKE_A_SPACE, REASONS, STAGES
from explorer.stages.normalizers.layers import OPERATIONS
from explorer.stages.pre_tokenizers.story import LETTERS, answers
from explorer.stages.spelling import KINDS as KINDS_OF_MODELS
from explorer.stages.spelling import Form, implementation_title
from explorer.text.hidden import HIDDEN
from explorer.ui import PAGES
from explorer.ui.compare.tabs import TABS
from explorer.ui.frame import IN_CSS
from explorer.ui.vocabulary.edits import WORDS as OF_EDITS
from explorer.views import premiums, steppers
from explorer.views.compare.expected import REMEDIES
from explorer.views.components import KEYS
from explorer.views.corpus import CHARTS, FIGURES
from explorer.views.examples import CLAIMS, CONVERSATIONS, CORPORA, EXAMPLE_BYTES, EXAMPLES, PRESETS, PROBES, YOURS
from explorer.views.glossary import WORDS
from explorer.views.paper import ARROWS
from explorer.views.steppers.training_script import PHASES
from explorer.views.ways import RULES
from explorer.views.why_card import cards_of
from tests import tiers
from tests.bundled import bundled
from tests.learning.test_questions import MODELS, TEXTS
from tests.sources import nodes, parsed

ROOT = Path(explorer.__file__).parent
MARK = " [en]"
"""After a sentence that a test finds without a translation."""
NAMED = re.compile(r"\{[^}]*\}")
IN_WORDS = re.compile(r'\binWords\(((?:[^"()]|"(?:[^"\\]|\\.)*")*)')
"""A call in a component's JavaScript that says something."""
COUNTED = re.compile(r'\bcounted\([^"]*"([^"]+)", "([^"]+)"\)')
"""One that says a count with its noun."""
ATTRIBUTES = re.compile(r'(?:"aria-label"|\btitle|placeholder): "((?:[^"\\]|\\.)*[a-z]{2} (?:[^"\\]|\\.)*)"')
"""What a node that a component makes says by attributes; a single word may be a name."""
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
COMPARED = re.compile(rf"=== {LITERAL.pattern}")
"""One that isn't said."""
SAYS = {"show_notice": (0,), "show_error": (0, 1), "begin_page": (0,), "choose_tab": (0, 1), "chosen_tab": (0, 1),
        "explore_link": (0,), "TextField": (1, 3), "download_buttons": (2,), "switch": (0, 3), "Row": (0,),
        "entry": (1,)}  # fmt: skip
"""Functions of pages that say some of their arguments, by position."""
SENTENCE = re.compile(r"[A-Z{“].* .*[.?]")
SPEAKING = tuple(f"explorer/{each}" for each in (
    "stages", "views", "ui", "training/why.py", "learning/questions.py", "analysis/boundary", "analysis/divergence",
    "analysis/expected", "analysis/why.py", "analysis/notes.py", "analysis/round_trip.py", "analysis/what_if.py",
    "analysis/lint.py", "analysis/vocabulary/checks.py", "answers", "prompts/messages.py", "prompts/rendering.py",
    "prompts/model_input.py", "formats/model_folder.py",
))  # fmt: skip
"""Where every sentence is said on a page."""
SCRIPTED = {
    "table": ((1, 3), (2,)), "output": ((0, 1, 2), ()), "columns": ((), (0,)), "roles": ((), (0,)), "phase": ((0,), ()),
    "begin": ((0, 1), ()), "ScriptBuilder": ((0, 1), ()),
}  # fmt: skip
"""What writes a script → which of its arguments are said, and which are lists of names."""
KEYWORDS = CAPTIONS | {"landmark", "code_title", *SAYS_OF_SCRIPTS}
"""What is said of its arguments by keyword."""
PAGE_NAMES = sorted(path.stem for path in PAGES.glob("*.py"))


class Message(NamedTuple):
    """One text of the program. many: its plural. context: see `explorer.languages`. file: where it is."""

    english: str
    many: str
    context: str
    file: str

    @property
    def key(self) -> str:
        """As a catalog's messages are known."""
        return (self.context and self.context + CONTEXT) + self.english


# --- in the source ---


def messages_of() -> Iterator[Message]:
    """Every text that is said through a language, wherever it is."""
    for path in sorted(ROOT.rglob("*.py")):
        file = str(path.relative_to(ROOT.parent))
        names = named_in([*nodes(path, ast.Assign), *nodes(path, ast.AnnAssign)])
        for node in nodes(path, ast.Call):
            yield from (Message(one, many, "", file) for one, many in said_in(node, names))
        if file.startswith(SPEAKING):
            yield from (Message(text, "", "", file) for text in sentences_in(parsed(path)))
    for path in sorted(ROOT.rglob("*.js")):
        file = str(path.relative_to(ROOT.parent))
        source = path.read_text("utf-8")
        for call in IN_WORDS.finditer(source):
            yield from (Message(text, "", "browser", file) for text in LITERAL.findall(COMPARED.sub("", call[1])))
        yield from (Message(text, "", "browser", file) for text in ATTRIBUTES.findall(source))
        for one, many in COUNTED.findall(source):
            yield Message(f"{{0}} {one}", f"{{0}} {many}", "browser", file)
    for module in stepper_modules():
        file = str(Path(module.__file__ or "").relative_to(ROOT.parent))
        yield from (Message(text, "", "", file) for text in said_by_a_stepper(parsed(Path(module.__file__ or ""))))
    for kind in step_kinds():
        for text in (kind.label, kind.say, kind.why, kind.story, kind.story_why, *(said for _, said in kind.values)):
            if text:
                yield Message(text, "", "", "explorer/stages")
    yield from (Message(text, "", "", "explorer/learning/lessons/words.toml") for text in PAGE.values())
    for switch in SWITCHES.values():
        for text in (switch["does"], *(text for state in ("on", "off") for text in switch.get(state, ()))):
            yield Message(text, "", "", "explorer/analysis/words.toml")
    for fault in FINDINGS.values():
        yield from (Message(fault[part], "", "", "explorer/analysis/findings.toml") for part in ("says", "fix"))
    for finding in CHECKED.values():
        for part in ("title", "means"):
            yield Message(finding[part], "", "", "explorer/analysis/vocabulary/words.toml")
    for form in OF_EDITS.values():
        yield from (Message(text, "", "", "explorer/ui/vocabulary/words.toml") for text in form.values())
    yield from (Message(text, "", "", "explorer/views/charts.json") for text in titles_in(CHARTS))
    for struct in KINDS_OF_EDITS.values():
        for name in struct.__struct_fields__:
            yield Message(name.replace("_", " ").capitalize(), "", "", "explorer/editing/edits.py")
    for _, text in (*OBJECTS, *KINDS_OF_FILES):
        yield Message(text, "", "", "explorer/formats/not_vocabularies.toml")
    for known in FORMATS:
        yield from (Message(text, "", "", "explorer/opening/formats.py") for text in (known.name, known.known_by))
    for text in templates_in(REMEDIES):
        yield Message(text, "", "", "explorer/views/compare/words.toml")
    for name, figure in FIGURES.items():
        yield from (Message(text, "", "", "explorer/views/figures.toml") for text in (name, figure.says))
    for measure in MEASURES.values():
        yield from (Message(measure[part], "", "", "explorer/corpus/measures.toml") for part in ("heading", "says"))
    for text in (CAUTION, *titles_in(FIGURE), *(says for _, says in ARROWS.values() if says)):
        yield Message(text, "", "", "explorer/corpus/measures.py")
    core = ast.parse(Path(_regex_core.__file__ or "").read_text("utf-8"))
    for node in ast.walk(core):
        match node:
            case ast.Call(func=ast.Name(id="error"), args=[ast.Constant(value=str(text)), *_]):
                yield Message(text, "", "", "explorer/engine/regexes/safe.py")
    refused = (why for _, why in REFUSED.values()), ONIGURUMA.values(), FANCY.values(), ("missing )", "missing >")
    yield from (Message(text, "", "", "explorer/engine/regexes") for each in refused for text in each)
    yield from (Message(text, "", "", "explorer/editing/words.toml") for text in strings_in(TITLES))
    yield from (Message(name, "", "", "explorer/text/hidden.toml") for name, _ in HIDDEN.values())
    yield from (Message(text, "", "", "explorer/views/ways.toml") for text in strings_in(RULES))
    yield from (Message(text, "", "", "explorer/editing/instead.toml") for text in strings_in(INSTEAD))
    for said in OPERATIONS.values():
        yield from (Message(text, "", "", "explorer/stages/normalizers/words.toml") for text in said[:3] if text)
    for terms in STAGES.values():
        yield from (Message(text, "", "", "explorer/stages/decoders/words.toml") for text in terms if text)
    said = (*REASONS.values(), LOOKS_LIKE_A_SPACE)
    yield from (Message(text, "", "", "explorer/stages/decoders/words.toml") for text in said)
    named = (each.name for each in (*bundled_languages().values(), *sample_result().labels))
    yield from (Message(name, "", "language", "explorer/analysis/languages.tsv") for name in named)
    for text in (KINDS_OF_MODELS["BPE"], KINDS_OF_MODELS["RWKV"], implementation_title("first-miss")):
        yield Message(text, "", "browser", "explorer/stages/names.toml")
    yield from (Message(text, "", "", "explorer/views/steppers/phases.toml") for text in {*PHASES.values()})
    for name in ("rules", "outcomes", "forms", "masks", "without", "owners", "items", "kinds"):
        yield from (Message(text, "", "", "explorer/prompts/words.toml") for text in templates_in(OF_PROMPTS[name]))
    yield from (Message(each[-1].template, "", "", "explorer/prompts/repairs.toml") for each in CHANGES)
    for key, said in lessons().items():
        yield from (Message(text, "", "", f"explorer/learning/lessons/files/{key}.toml") for text in sorted(said))
    for text, context in examples():
        yield Message(text, "", context, "explorer/views/examples.toml")
    for row in conversations():
        yield from (Message(text, "", "", "explorer/prompts/checks.toml") for text in (row.name, row.why))
    for verdict in Verdict:
        yield Message(verdict.replace("{}", "{{}}"), "", "", "explorer/prompts/check.py")
    for name in Capabilities.__slots__:
        yield Message(name.removeprefix("supports_").replace("_", " "), "", "", "explorer/views/prompt/engines.py")
    yield from (Message(name, "", "", "explorer/analysis/vocabulary/index.py") for name in SCRIPTS[:28])
    yield from (Message(each.shown or text, "", "", "explorer/ui/compare/tabs.py") for text, each in TABS.items())
    yield from (Message(text.capitalize(), "", "", "explorer/ui/serving/script.py") for text in PAGE_NAMES)
    yield from (Message(text, "", "caption", "explorer/ui/frame.py") for text in IN_CSS)
    for key, value in (item for track in TRACKS.values() for item in track.items() if item[0] in CAPTIONS and item[1]):
        shown = [each["name"] for each in value] if key == "columns" else value if isinstance(value, list) else [value]
        yield from (Message(text, "", "", "explorer/script/tracks.toml") for text in shown)
    for _, text in (item for player in PLAYERS.values() for item in player.items() if item[0] in KEYWORDS):
        yield Message(text, "", "", "explorer/script/players.toml")
    for descriptor in (
        *table.BY_NAME.values(),
        *table.BY_ROW.values(),
        *table.MODELS.values(),
        *table.MERGING.values(),
    ):
        yield from (Message(text, "", "", "explorer/stages") for text in (descriptor.title, descriptor.purpose))
    yield from (Message(text, "", "browser", "explorer/stages") for pair in answers([LETTERS]) for text in pair)
    yield from (Message(text, "", "browser", "explorer/views/premiums.py") for text in premiums.WORDS.values())
    for group in KEYS:
        shown = [group["title"], *(text for key in group["keys"] for text in (key["does"], *key["keys"]))]
        yield from (Message(text, "", "browser", "explorer/views/keys.toml") for text in shown if is_key_name(text))
    for word, means, forms in WORDS:
        texts = (word, "term"), (forms, "forms"), (means, "")
        yield from (Message(text, "", context, "explorer/views/glossary.py") for text, context in texts)


def sentences_of(lesson: Lesson) -> Iterator[str]:
    """All that a lesson says, as a table has it."""
    yield from (lesson.title, lesson.name, lesson.about, *lesson.keep)
    for card in lesson.cards:
        yield card.title
        yield from paragraphs_of(card.words)
        match card.question:
            case Task(ask):
                yield ask
            case Exercise(ask, _, wrong, because):
                yield from (ask, *wrong.values(), because)


def examples() -> Iterator[tuple[str, str]]:
    """What the examples say, each with its context."""
    yield from ((text, "") for text in (*CORPORA, YOURS, *CLAIMS.values(), *PROBES, *EXAMPLE_BYTES))
    yield from ((text, "browser") for each in (*CONVERSATIONS, *PRESETS) for text in (each.label, each.shows))
    # a label may be the text itself
    yield from ((text, "") for each in EXAMPLES for text in (each.label, each.shows) if text != each.text)
    cards = json.loads((ROOT / "views/gallery.json").read_text("utf-8"))["cards"]
    rows = (row for card in cards for row in (*card.get("rows", ()), *card.get("bars", ())))
    named = {each.name for each in bundled_languages().values()}
    # the others are names and tokens
    yield from (
        (label, "browser")
        for row in rows
        if (label := row.get("label", "")) in named or (label[:1].islower() and "+" not in label)
    )


def is_key_name(text: str) -> bool:
    """Whether a text of the list of keys is words, not a key's letter or sign."""
    return bool(re.search(r"[A-Za-z]{2}", text)) and text not in ("Esc",)


def named_in(module: Iterable[ast.AST]) -> Mapping[str, list[ast.expr]]:
    """What the nodes of a module assign to each name, whichever function it is in."""
    names: dict[str, list[ast.expr]] = {}
    for node in module:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                names.setdefault(name, []).append(value)
    return names


def said_in(call: ast.Call, names: Mapping[str, list[ast.expr]]) -> Iterator[tuple[str, str]]:
    """The templates of a call that makes a sentence, each with its plural. names: of `named_in`."""
    match call.func:
        case ast.Name(id="PatternError" | "WrongPattern" | "Excess") if len(call.args) > 1:
            yield from ((text, "") for each in call.args[1:] for text in literals(each, names))
        case ast.Name(id="InputError" | "TooLong") | ast.Attribute(value=ast.Call(), attr="__init__") if (
            len(call.args) > 1
        ):
            yield from ((text, "") for text in literals(call.args[0], names))
        case ast.Name(id="TemplateFailed" | "TemplateStopped" | "Refused" as name):
            words = call.args[name == "Refused"]  # after its field
            yield from ((text, "") for text in literals(words, names))
        case ast.Name(id="Say" | "Text" | "words" | "worded") if call.args:
            given = (text for each in call.keywords if each.arg == "many" for text in literals(each.value, names))
            many = next(given, "")
            yield from ((one, many) for one in literals(call.args[0], names))
        case ast.Name(id="StyledLine"):
            for each in call.args:
                first = each.elts[0] if isinstance(each, ast.Tuple) else each
                yield from ((text, "") for text in literals(first, names))
        case ast.Name(id="Fact") if len(call.args) > 1:
            said = (arg for arg in call.args[:2] if isinstance(arg, ast.Constant | ast.Name | ast.IfExp))
            yield from ((text, "") for arg in said for text in literals(arg, {}))
        case ast.Name(id=name) if name in SAYS:
            for at in SAYS[name]:
                yield from ((text, "") for each in call.args[at : at + 1] for text in literals(each, names))
        case ast.Name(id="plural") if len(call.args) > 1:
            several = [next(literals(each, names), "") for each in call.args[2:]]
            for one in literals(call.args[1], names):
                yield f"{{0}} {one}", f"{{0}} {several[0] if several else one + 's'}"


def sentences_in(module: ast.Module) -> Iterator[str]:
    """The literals of a module that are whole sentences, wherever they stand; docstrings aside."""
    aside = {id(each.value) for each in ast.walk(module) if isinstance(each, ast.Expr)}
    for node in ast.walk(module):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in aside and SENTENCE.fullmatch(text):
                yield text


def said_by_a_stepper(module: ast.Module) -> Iterator[str]:
    """The captions and opening sentences of the scripts that a module writes."""
    names = named_in(ast.walk(module))
    for node in ast.walk(module):
        match node:
            case ast.Dict(keys=keys, values=values):
                given = [
                    (key.value, each) for key, each in zip(keys, values, strict=True) if isinstance(key, ast.Constant)
                ]
                # the name of a track isn't shown
                shown = CAPTIONS | WITHIN - ({"name"} if "type" in dict(given) else set())
                yield from (text for key, each in given if key in shown for text in literals(each, names))
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in SCRIPTED:
                positions, lists = SCRIPTED[name]
                for at, each in enumerate(node.args):
                    texts = list(literals(each, names))
                    yield from texts if at in positions else ()
                    # names, and after each what it holds
                    yield from (one.rpartition(" ")[0] for text in texts if at in lists for one in text.split(", "))
                    if name == "output" and at == 2:
                        yield from (f"{text}s" for text in texts)
                for each in node.keywords:
                    yield from literals(each.value, names) if each.arg in KEYWORDS else ()


def literals(node: ast.expr, names: Mapping[str, list[ast.expr]]) -> Iterator[str]:
    """The texts that an expression may be, as far as they stand in the source."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            # all its texts, where what is put in is one of some words that stand in the source
            nodes_of = (part.value if isinstance(part, ast.FormattedValue) else part for part in parts)
            yield from map("".join, product(*(list(literals(each, names)) for each in nodes_of)))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from map("".join, product(literals(left, names), literals(right, names)))
        case ast.IfExp(body=one, orelse=other):
            yield from (*literals(one, names), *literals(other, names))
        case ast.List(elts=several) | ast.Tuple(elts=several) | ast.Dict(values=several):
            for each in several:
                yield from literals(each, names)
        case ast.Subscript(value=ast.Dict() as table):
            yield from literals(table, names)
        case ast.Subscript(value=ast.Name(id=name)) | ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="get")):
            for value in names.get(name, ()):
                yield from literals(value, {}) if isinstance(value, ast.Dict) else ()
        case ast.Name(id=name):
            others = {each: values for each, values in names.items() if each != name}
            for value in names.get(name, ()):
                yield from literals(value, others)


@cache
def texts() -> frozenset[str]:
    """Every text of the source."""
    python = (node for path in ROOT.rglob("*.py") for node in nodes(path, ast.Constant))
    found = {node.value for node in python if isinstance(node.value, str)}
    for path in ROOT.rglob("*.js"):
        found |= set(LITERAL.findall(path.read_text("utf-8")))
    for path in (
        *ROOT.rglob("words.toml"),
        *ROOT.rglob("tracks.toml"),
        *ROOT.rglob("patterns.toml"),
        *ROOT.glob("implementations/**/*.toml"),
    ):
        found |= set(strings_in(tomllib.loads(path.read_text("utf-8"))))
    for module in stepper_modules():
        found |= {label for label, _ in getattr(module, "ROLES", ())}
    for kind in step_kinds():
        found |= {kind.label, kind.say, kind.why, kind.story, kind.story_why, *(said for _, said in kind.values)}
    for lesson in library().values():
        exercises = [card.question for card in lesson.cards if isinstance(card.question, Exercise)]
        found |= {answer for each in exercises for answer in each.wrong}
    return frozenset(found)


@cache
def step_kinds() -> tuple[StepKind, ...]:
    """All kinds of step of all steppers."""
    # without Python's own names: what a doctest shows last is a builtin
    tables = [value for each in stepper_modules() for name, value in vars(each).items() if not name.startswith("__")]
    return tuple(kind for table in tables for kind in kinds_in(table))


@cache
def stepper_modules() -> tuple[ModuleType, ...]:
    """The modules in which steppers are written."""
    found = [each.name for room in (stages, steppers) for each in walk_packages(room.__path__, f"{room.__name__}.")]
    return tuple(map(import_module, found))


def strings_in(value: object) -> Iterator[str]:
    """The texts in a table of a TOML file."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from strings_in(each)


def templates_in(value: Mapping[str, Any] | list[str]) -> Iterator[str]:
    """The first text of each row of a table, whose others are its values."""
    if isinstance(value, list):
        yield value[0]
    else:
        for each in value.values():
            yield from templates_in(each)


def titles_in(value: object) -> Iterator[str]:
    """What the charts say: their titles, and those of axes and tooltips."""
    if isinstance(value, Mapping | list):
        for key, each in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from [each] if key == "title" and isinstance(each, str) and each[:1] != "$" else titles_in(each)


def kinds_in(value: object) -> Iterator[StepKind]:
    """The kinds in a table of a module."""
    if isinstance(value, StepKind):
        yield value
    elif isinstance(value, Mapping | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from kinds_in(each)


# --- what Learn shows ---


class Recorder(Forms):
    """Messages without any that remember what was looked up."""

    def __init__(self) -> None:
        super().__init__()
        self.english: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        context, _, text = key.rpartition(CONTEXT)
        if not context:
            self.english.add(text)
        return default


def recorder() -> tuple[Phrases, Recorder]:
    """Phrases of a language without any, and what is asked of them."""
    asked = Recorder()
    return Phrases("none", asked, lambda count: 0, Format()), asked


class Marked(Forms):
    """The messages of a language, in which a sentence without a translation is marked."""

    def get(self, key: str, default: Any = None) -> Any:
        context, _, text = key.rpartition(CONTEXT)
        found = super().get(key)
        return found or ((text + MARK,) if not context and is_sentence(text) else default)


def marked(language: str) -> Phrases:
    """A language whose missing sentences show."""
    to = phrases(language)
    return to._replace(forms=Marked(to.forms))


@cache
def steps() -> frozenset[str]:
    """The sentences of all kinds of step, as Story and Algorithm say them."""
    parts = {kind: ("story", "story_why") if kind.story else ("say", "why") for kind in step_kinds()}
    return frozenset(
        getattr(kind, part) for kind, said in parts.items() for part in said if is_worded(getattr(kind, part))
    )


def lessons() -> dict[str, set[str]]:
    """What each English lesson says, by its key."""
    return {key: set(sentences_of(each)) for key, each in library().items() if each.language == ENGLISH}


@cache
def questions() -> frozenset[str]:
    """The templates of some questions of each kind."""
    to, asked = recorder()
    for kind, model in [*MODELS.items(), ("longest-match", "rwkv-world")]:
        if model == "xlm-r" and tiers.chosen_tier == "quick":
            continue  # takes seconds to open
        for seed, text in enumerate(TEXTS):
            tokenizer = bundled(model)
            draft = KINDS[kind].write(scene_of(tokenizer, text, Random(seed), TEXTS))
            if draft is not None:
                to.say(draft.prompt)
                to.say(draft.explanation)
                for choice in draft.wrong:
                    to.say(choice.why)
    return frozenset(filter(is_worded, asked.english))


def panels() -> frozenset[str]:
    """What the steppers of the lessons ask for: their opening sentences, and the texts put into sentences."""
    to, asked = recorder()
    for lesson in library().values():
        for card in lesson.cards:
            shown, panel = shown_by(ENGINE, card.panel), card.panel
            scripts = [shown.script] if shown.script is not None else []
            if isinstance(panel, ExplorePanel):
                spec = spec_of(panel.tokenizer, panel.implementation)
                request = Request(spec, panel.text, Options(panel.special))
                scripts += [each.script for each in sections_of(request, 0, None, False) if each.script]
            for script in scripts:
                in_language(script, to)
    said = {getattr(kind, part) for kind in step_kinds() for part in ("story", "story_why", "say", "why")}
    return frozenset(filter(is_sentence, asked.english)) - said


@cache
def why() -> frozenset[str]:
    """What the lessons' texts ask for when Why explains each of their tokens and cuts."""
    to, asked = recorder()
    for card in (card for lesson in library().values() for card in lesson.cards):
        if isinstance(card.panel, ExplorePanel):
            tokenizer, trace = opened(ENGINE, card.panel), ENGINE.trace(card.panel)
            ask = cards_of(tokenizer, trace, lambda key: None, "Tokenizer", Form.AS_TEXT)
            for at in range(len(trace.ids)):
                to.data(ask(False, at) or {})
                to.data(ask(True, at) or {})
    # a single word is a caption
    return frozenset(each for each in asked.english if " " in each and is_worded(each))


@cache
def details() -> frozenset[str]:
    """What a vocabulary says of the lessons' tokens."""
    to, asked = recorder()
    for card in (card for lesson in library().values() for card in lesson.cards):
        if isinstance(card.panel, VocabularyPanel):
            spec = spec_of(card.panel.tokenizer, card.panel.implementation)
            query = Query(card.panel.search, By(card.panel.by))
            token = card.panel.token
            for id in [row[0] for row in vocabulary_view(spec, query, False, 20).rows] if token is None else [token]:
                to.data(token_view(spec, id, False))
    return frozenset(filter(is_worded, asked.english))


def is_worded(template: str) -> bool:
    """Whether a template has words of its own."""
    return any(each.isalpha() for each in NAMED.sub("", template))


def is_sentence(english: str) -> bool:
    """Whether something that was looked up is a sentence, or a number with its noun; not a token."""
    counted = r"\{0\}( [a-z]{2,})+|\D*[a-z]{2,} [a-z]{2,}.*\."
    return bool(re.fullmatch(counted, english)) and is_worded(english)


# --- what a language has of it ---


@cache
def every() -> Mapping[str, Message]:
    """All messages of the source by their keys, the first place of each."""
    found: dict[str, Message] = {}
    for each in messages_of():
        known = found.get(each.key)
        if (is_worded(each.english) or each.context) and (known is None or (each.many and not known.many)):
            found[each.key] = each
    plurals = {each.many for each in found.values() if each.many}
    return {key: each for key, each in found.items() if key not in plurals}


def missing(language: str, said: frozenset[str] | set[str]) -> list[str]:
    """What a language has no translation for."""
    return sorted(said - phrases(language).forms.keys())


def unexplained(language: str) -> list[str]:
    """The terms of the glossary that a language does not explain."""
    forms = phrases(language).forms
    return [each.word for each in WORDS if f"forms{CONTEXT}{each.forms}" not in forms]


def stale(language: str) -> list[str]:
    """Translations whose English is gone: no sentence, and no other text of the source."""
    recorded = questions() | panels() | why() | details()
    return [key for key in phrases(language).forms if not is_used(key, recorded)]


def is_used(key: str, recorded: frozenset[str] = frozenset()) -> bool:
    """Whether the English of a message is somewhere. recorded: what was asked for."""
    text = key.rpartition(CONTEXT)[2]
    return key in every() or text in texts() or text in every() or text in recorded


def report(language: str) -> Iterator[str]:
    """The lines about a language: first how much each folder has, then what is missing."""
    lacks = [each for key, each in every().items() if key not in phrases(language).forms]
    folders = Counter("/".join(each.file.split("/")[:3]) for each in lacks)
    yield f"{language}: {len(every()) - len(lacks):,} of {len(every()):,} messages translated"
    yield from (f"{language} {folder} lacks {count:,}" for folder, count in sorted(folders.items()))
    yield from (f"{each.file} lacks in {language}: {each.english}" for each in lacks)
    yield from (f"{language} does not explain: {each}" for each in unexplained(language))
    yield from (f"{language} no longer used: {key.replace(CONTEXT, ': ')}" for key in stale(language))


def merged(catalog: str, language: str, recorded: frozenset[str] = frozenset()) -> str:
    """A catalog brought up to date with the source, as Babel writes it. recorded: what was asked for.

    Messages come by file, in the order of the source; those that only a text of the source shows after the others of
    their file. Nothing is lost: what no English asks for any more moves to the end, from where it comes back.
    """
    from babel.messages.catalog import Catalog
    from babel.messages.catalog import Message as Entry
    from babel.messages.pofile import read_po, write_po

    old = read_po(BytesIO(catalog.encode()), locale=language)
    entries = {key_of(each): each for each in (*old.obsolete.values(), *old) if each.id}
    found = every()
    kept = {key: each for key, each in entries.items() if key in found or is_used(key, recorded)}
    places = {key: (each.file, at) for at, (key, each) in enumerate(found.items())}
    for key, entry in kept.items():
        places.setdefault(key, (entry.locations[0][0] if entry.locations else "", len(found)))
    new = Catalog(locale=language, header_comment=old.header_comment, fuzzy=old.fuzzy, charset=old.charset)
    new.mime_headers = old.mime_headers
    for key in sorted(places, key=lambda each: (*places[each], each)):
        context, _, text = key.rpartition(CONTEXT)
        entry, many = kept.get(key, Entry(text)), found[key].many if key in found else ""
        said = entry.string if isinstance(entry.string, tuple) else (entry.string,)
        if many:
            plural = (said * new.num_plurals)[: new.num_plurals] if len(said) == 1 else said
            new.add((text, many), plural, user_comments=entry.user_comments, context=context or None)
        else:
            id, string = (text, said[0]) if key in found else (entry.id, entry.string)
            new.add(id, string, user_comments=entry.user_comments, context=context or None)
        new.get(text, context or None).locations = [(places[key][0], None)]
    for key in sorted(entries.keys() - kept.keys()):
        new.obsolete[key] = entries[key]
    with BytesIO() as file:
        write_po(file, new, width=120, ignore_obsolete=False, include_lineno=False)
        return file.getvalue().decode()


def key_of(entry: Any) -> str:
    """The key of Babel's message."""
    text = entry.id[0] if isinstance(entry.id, tuple) else entry.id
    return f"{entry.context}{CONTEXT}{text}" if entry.context else text


def merge(language: str) -> None:
    """Brings the file of a catalog up to date."""
    path = FOLDER / f"{language}.po"
    path.write_text(merged(path.read_text("utf-8"), language, questions() | panels() | why() | details()), "utf-8")


if __name__ == "__main__":
    for each in languages():
        if each != ENGLISH:
            if "--merge" in sys.argv:
                merge(each)
            else:
                print(*report(each), sep="\n")
