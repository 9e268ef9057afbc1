"""The Prompt page's questions: what a model reads of a call, in six views.

A bundled model's templates run in the server, bounded; those of an upload, and a template that a visitor wrote, in the
session's worker process: its `TokenizerSpec` says so (`untrusted`).
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from explorer.analysis.export import Export
from explorer.answers.explore import content_id, tokenizer
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import material, question
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.prompts.check import Trial, as_json, bad_cells, junit, parts
from explorer.prompts.export import prompt_export
from explorer.prompts.findings import borrowed
from explorer.prompts.formats import FUNCTIONS, fits, format_with
from explorer.prompts.messages import Call
from explorer.prompts.model_input import LLAMA_CPP, TRANSFORMERS, Prompt, prompt
from explorer.prompts.program import TemplateFailed, program
from explorer.prompts.run import WORDS
from explorer.prompts.templates import MARK, MARKS, formats, own_template, own_templates
from explorer.script.script import pack
from explorer.tables import Json, Record
from explorer.text.say import Say
from explorer.views.prompt.check import drawn
from explorer.views.prompt.registry import VIEWS, play_of, view_named
from explorer.views.prompt.tokens import Scene, cells, lines_of, row_counts, segments_of, sent, strip_of
from explorer.views.steppers.template_script import template_script

MOST_CHARACTERS = 1_000_000
"""Characters of a call as JSON."""
MOST_SO_FAR = 4_000
"""Characters that are shown of what a template had written when it failed."""
BYTES_PER_TOKEN = 2_000
"""Weight of a scene, for each token."""


class PromptRequest(NamedTuple):
    """A call with one model: what the questions of this page are about.

    spec: with a template of the visitor's own, if there is one. call: JSON as OpenAI's interface takes it. template: of
    the model, or `ours:NAME`; "" for the default. as_text: control tokens in messages are read as text. date: the day
    that a template may write, as 2026-11-23; "" for today. response: the text after which is trained, None for the
    template's own. server: which changes the request first, "" for none.
    """

    spec: TokenizerSpec
    call: str
    template: str = ""
    as_text: bool = False
    date: str = ""
    response: str | None = None
    server: str = ""


def call_of(text: str) -> Call:
    """The call in a text. Raises InputError."""
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"The call has more than {MOST_CHARACTERS:,} characters.")
    return Call.read(text, "the call")


def source_of(tok: Opened, request: PromptRequest, call: Call) -> str:
    """The source of the template. Raises InputError if there is none."""
    if request.spec.template is not None:
        return request.spec.template
    if request.template.startswith(MARKS):
        return own_template(request.template).source
    return tok.chat.named(request.template, tools=bool(call.tools))


@question
def template_names(spec: TokenizerSpec) -> tuple[str, ...]:
    """The names of a model's own templates."""
    return tuple(tokenizer(spec).chat.sources)


@material(lambda scene: 100_000 + (BYTES_PER_TOKEN * len(scene.prompt.tokens) if scene.prompt else 0))
def scene_of(request: PromptRequest) -> Scene:
    """What the views are given: the prompt, or why there is none."""
    tok = tokenizer(request.spec)
    engine = LLAMA_CPP if tok.implementation == LLAMA_CPP else TRANSFORMERS
    now = None
    with suppress(ValueError):  # today for what is no day
        now = datetime.fromisoformat(f"{request.date}T12")
    call, source, made, so_far, problem = None, "", None, None, None
    sent: Call | None = None
    try:
        sent = call = call_of(request.call)
        source = source_of(tok, request, call)
        server = "" if format_with(source) else request.server
        made = prompt(
            tok,
            call,
            request.template,
            source=request.spec.template,
            server=server,
            control_as_text=request.as_text and engine == TRANSFORMERS and not server and format_with(source) is None,
            now=now,
        )
        call, engine = made.call, made.engine
        made.tokens  # noqa: B018 - encoding may fail, too
    except InputError as error:
        made, problem = None, error
        if call is not None and isinstance(error, TemplateFailed) and error.rendering is not None:
            rendering = error.rendering
            rendering = rendering.part(0, min(len(rendering.text), MOST_SO_FAR))
            with suppress(InputError):
                written = Prompt(tok, call, request.template, dict(tok.chat.special_tokens), rendering, engine)
                written.tokens  # noqa: B018
                so_far = written
    return Scene(
        tok,
        call,
        request.template,
        source,
        engine,
        now,
        made,
        problem,
        so_far,
        request.response,
        sent,
    )


class Fault(NamedTuple):
    """Why there is no prompt.

    kind: "empty" without messages, "none" without a template, "call" for what is no call, "refused" where the template
    refuses it, "stopped" where it exceeded a limit, "fails" else. line: of the template, 0 if unknown. say: in the
    engine's own words, with what they are about.
    """

    kind: str
    line: int
    say: str


def fault_of(scene: Scene, server: str) -> Fault | None:
    """Why there is no prompt, None if there is one."""
    error = scene.error
    if error is None:
        return None
    failed = error if isinstance(error, TemplateFailed) else None
    causes = {
        "call": scene.call is None,
        "empty": not scene.call or not scene.call.messages,
        "none": not scene.source,
        "refused": failed.refused if failed else server,
        "stopped": failed and "was stopped" in str(error),
    }
    kind = next((name for name, holds in causes.items() if holds), "fails")
    return Fault(kind, failed.line, failed.reason) if failed else Fault(kind, 0, str(error))


class PromptView(NamedTuple):
    """What the page draws of a call. `id` identifies exactly this content.

    focus: the view drawn. tokens: `views.prompt.tokens.Cell`s, of a long prompt some of each row; of a template that
    failed, what it had written. borrowed: says that the template is one of ours, because the model has none.
    messages: how many. rows, segments, strip: of the same module. lines: the template's
    statements that wrote the tokens, and for each token that is sent its number among these. ids: all of them, as
    JSON. ends: by message, the offset in the text after its last character. stage: of the view in focus. fault: why
    there is no prompt.
    """

    request: PromptRequest
    focus: str
    borrowed: Record | None
    served: list[Any] | None
    tokens: list[Record]
    messages: int
    rows: list[dict[str, int]]
    segments: list[tuple[int, int, int]]
    strip: str
    ids: str
    text: str
    ends: dict[int, int]
    lines: tuple[list[list[Any]], dict[int, int]]
    stage: Json | None
    fault: Fault | None
    id: str


@question
def prompt_view(request: PromptRequest, view: str) -> PromptView:
    """What the page draws first: the prompt's tokens, and the view in focus."""
    scene = scene_of(request)
    made = scene.prompt or scene.so_far
    chosen, origins = view_named(view), made.rendering.origins if made else ()
    tokens = cells(made) if made else []
    for cell in tokens:
        cell |= {name: scene.sent_as(cell[name]) for name in ("m", "row")}
    rows = row_counts(tokens)
    shown = sent(tokens, rows)
    return PromptView(
        request,
        chosen.name,
        borrowed_of(scene, request.spec),
        served_of(scene),
        shown,
        len(scene.request.messages) if scene.request else 0,
        [row._asdict() for row in rows],
        segments_of(tokens),
        strip_of(tokens),
        str(made.ids) if made else "[]",
        made.text if made else "",
        {
            scene.sent_as(each.message): each.end
            for each in origins
            if each.message is not None and each.end > each.start
        },
        lines_of(made, (cell["n"] for cell in shown)) if made else ([], {}),
        for_browsers(chosen.stage(scene)),
        fault_of(scene, request.server),
        content_id(*request),
    )


def for_browsers(value: Any) -> Any:
    """What a view draws, each sentence in it as the browser has it.

    >>> for_browsers({"say": Say("{0} of {1:q}", 1, "a")})
    {'say': {'template': '{0} of {1:q}', 'args': (1, 0), 'texts': ('a',)}}
    """
    if isinstance(value, Say):
        return value._asdict()
    if isinstance(value, Mapping):
        return {key: for_browsers(each) for key, each in value.items()}
    return [for_browsers(each) for each in value] if isinstance(value, list | tuple) else value


def borrowed_of(scene: Scene, spec: TokenizerSpec) -> Record | None:
    """Says which of our templates a model has that has none, None for a model's own or a visitor's."""
    said = None if spec.template is not None else borrowed(scene.tokenizer, scene.template, spec.offer.name)
    return None if said is None else said._asdict()


def served_of(scene: Scene) -> list[Any] | None:
    """The server that the prompt is of, and how many messages it makes; None without a server."""
    if scene.prompt and (served := scene.prompt.served):
        return [served.server.title, served.server.version, len(scene.prompt.call.messages)]
    return None


class CardView(NamedTuple):
    """A card. name: of its view. result: its badge. changed: False draws it gray. warnings: how many."""

    key: str
    name: str
    result: str
    changed: bool
    warnings: int


@question
def cards_of(request: PromptRequest) -> tuple[CardView, ...]:
    """The cards, in the order of the views."""
    scene = scene_of(request)
    badges = [(view, view.badge(scene)) for view in VIEWS]
    return tuple(CardView(each.name, each.title, said.text, not said.quiet, said.warnings) for each, said in badges)


class Settings(NamedTuple):
    """What can be set for a model and its template.

    own: names of the model's templates. ours: name and title of ours. formats: of the formats whose tokens the model
    has. variables: what the template reads besides messages, of those that a switch or a field can set. dates: whether
    it writes the date. text: whether control tokens can be read as text. source: of the template.
    """

    own: tuple[str, ...]
    ours: tuple[tuple[str, str], ...]
    formats: tuple[tuple[str, str], ...]
    variables: tuple[str, ...]
    dates: bool
    text: bool
    source: str


@question
def settings_of(request: PromptRequest) -> Settings:
    """The settings of a model and its template."""
    scene = scene_of(request)
    variables: frozenset[str] = frozenset()
    if scene.source:
        with suppress(InputError):
            variables = program(scene.source).variables
    special = set(scene.tokenizer.chat.special_tokens)
    known = special.union(FUNCTIONS, WORDS["given"])
    return Settings(
        tuple(scene.tokenizer.chat.sources),
        tuple((f"{MARK}{each.name}", each.title) for each in own_templates().values()),
        tuple((each.full_name, each.title) for each in formats().values() if fits(each, scene.tokenizer.vocabulary)),
        tuple(each for each in sorted(variables - known) if not each.endswith("_token")),
        "strftime_now" in variables,
        scene.engine == TRANSFORMERS and not request.server and format_with(scene.source) is None,
        scene.source,
    )


def export_of(request: PromptRequest) -> Export:
    """A prompt as an export. Raises the error that there is instead of a prompt."""
    scene = scene_of(request)
    if scene.prompt is None:
        raise scene.error or InputError("There is no prompt.")
    return prompt_export(scene.prompt)


@question
def file_names(request: PromptRequest) -> dict[str, str]:
    """The names of the files that hold a prompt, by their endings; none without a prompt."""
    scene = scene_of(request)
    if scene.prompt is None:
        return {}
    made_by = prompt_export(scene.prompt).provenance
    return {ending: made_by.file_name("prompt", ending) for ending in ("csv", "json")}


class TemplatePlay(NamedTuple):
    """A template, ready to play. script: packed. fails: it ends in an error. id: of exactly this content."""

    script: bytes
    fails: bool
    id: str


@question
def template_play(request: PromptRequest, language: str) -> TemplatePlay | None:
    """The script of a template's run; None without messages or without a template."""
    play = play_of(scene_of(request))
    if play is None:
        return None
    script = pack(template_script(play), language)
    return TemplatePlay(script, play.failure is not None, f"template {content_id(*request, language)}")


@material(lambda trial: 20_000 + 4 * sum(len(text or "") for text in trial.texts.values()))
def trial_of(spec: TokenizerSpec, template: str, part: int) -> Trial:
    """A template that is tried with many conversations, as it is after a part. Each part goes on after the one before.

    The answers stay, so a template is tried once. Raises InputError if there is none.
    """
    if part < 0:
        return Trial.of(tokenizer(spec), template, spec.template)
    return trial_of(spec, template, part - 1).after(part)


@question
def check_part(spec: TokenizerSpec, template: str, part: int) -> Json:
    """What the page draws of a part of a check."""
    rows: Json = for_browsers(drawn(trial_of(spec, template, part), part))
    return {**rows, "id": content_id(spec, template)}


@question
def check_file(spec: TokenizerSpec, template: str, ending: str) -> str:
    """A whole check as the command line writes it. ending: json or xml."""
    check = trial_of(spec, template, parts() - 1).check(template)
    return as_json([check], [()]) if ending == "json" else junit([check], [bad_cells(check)]).decode()
