"""The measures that papers cite, of every tokenizer of a corpus job, with intervals; and their tables and figure.

measures.toml has each measure: its name, definition and formula; docs/measures.md has sources, and where other programs
differ. The formulas take sums over documents, so most have intervals: the bootstrap (Efron 1979) over documents,
percentiles of seeded draws. A draw takes the same documents for all tokenizers, so differences are paired, and the same
lines in all languages that are parallel, which have as many documents as the baseline. Of a large corpus, runs of
consecutive documents are drawn. Leaves out intervals of what depends on the counts by id, on a compressor or on a gold
file.
"""

import io
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from explorer.analysis.export import table as markdown
from explorer.corpus.counter import Tally, Whole, chosen, tokenizers
from explorer.corpus.document_rows import BEFORE, summed
from explorer.corpus.record import record, token_numbers
from explorer.corpus.run import Plan, plan, run
from explorer.corpus.sources import Reading
from explorer.csv_text import write_csv
from explorer.errors import InputError, shown
from explorer.implementations.opened import Opened
from explorer.tables import Json, Record, filled, read_toml
from explorer.text.say import Text, Words

KNOWN: Mapping[str, Json] = read_toml(__file__, "measures.toml")
"""The measures in their order."""

EXACT = 64_000_000
"""Bytes of a corpus up to which each document's numbers are kept; of larger ones, sums of consecutive documents."""
MOST_UNITS = 10_000
"""What a draw takes of a group: documents, or so many runs of them."""
LOST_FROM = 0.05
"""From this share of unknown tokens on a tokenizer is in no ranking: text that is lost costs nothing."""
RARE = 10
"""A token that occurs less often is used rarely."""
ENDS = (0.025, 0.975)
"""The quantiles of the draws between which an interval is."""
CAUTION = (
    "These measures describe how a tokenizer cuts a text, not how good a model will be. Compare tokenizers on one "
    "corpus only, and name it."
)


class Settings(NamedTuple):
    """How measures are made. window: tokens of a context. alpha: of the Rényi entropy. reference: the tokenizer of
    `nsl`, the first one if empty. baseline: the group of premiums. gold: a file (`gold_words`), or empty.
    """

    window: int = 2048
    alpha: float = 2.5
    reference: str = ""
    baseline: str = ""
    gold: str = ""
    draws: int = 1000
    seed: int = 0


def measuring(plan: Plan, window: int) -> Plan:
    """The same job, which also keeps what measures need."""
    return plan._replace(work=plan.work._replace(window=window, unit=max(1, math.ceil(plan.size / EXACT))))


@lru_cache(1)
def weights(units: int, draws: int, seed: int) -> Whole:
    """How often each draw takes each unit.

    >>> weights(3, 2, 0).sum(axis=1).tolist()
    [3, 3]
    """
    return np.random.default_rng([seed, units]).multinomial(units, [1 / units] * units, draws)


def drawn(rows: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """The sums of documents: of all of them, first, and of each draw."""
    units = summed(rows.set_axis([""] * len(rows)), math.ceil(len(rows) / MOST_UNITS))
    sums = weights(len(units), settings.draws, settings.seed) @ units.to_numpy(np.float64)
    return pd.DataFrame(np.vstack([units.sum(), sums]), columns=units.columns)


def gini(numbers: pd.DataFrame) -> pd.Series:
    """The Gini coefficient of each row: the mean difference of two numbers, divided by twice the mean.

    >>> gini(pd.DataFrame([[1, 1, 1, 1], [0, 0, 0, 1]])).tolist()
    [0.0, 0.75]
    """
    ordered, count = np.sort(numbers, axis=1), len(numbers.columns)
    return pd.Series(ordered @ np.arange(1 - count, count, 2)) / (count * numbers.sum(axis=1))


def renyi_entropy(counts: Whole, alpha: float) -> float:
    """The Rényi entropy of counts in bits: Shannon's for alpha 1, the least for infinity; not a number without counts.

    >>> [renyi_entropy(np.array([2, 1, 1]), alpha) for alpha in (0, 1, math.inf)]
    [1.584962500721156, 1.5, 1.0]
    """
    shares = counts[counts > 0] / max(1, counts.sum())
    if not len(shares):
        return math.nan
    if alpha == 1:
        return -math.fsum(shares * np.log2(shares))
    if alpha == math.inf:
        return -math.log2(shares.max())
    return math.log2(math.fsum(shares**alpha)) / (1 - alpha)


def of_counts(counts: Whole, alpha: float) -> dict[str, float]:
    """What formulas take of a tokenizer's counts by id."""
    used = counts[counts > 0]
    return {
        "vocabulary": len(counts), "used": len(used), "rare": int((used < RARE).sum()),
        "log_vocabulary": math.log2(len(counts)), "log_used": math.log2(max(1, len(used))),
        "id_bytes": int(used.sum()) * max(1, (len(counts) - 1).bit_length()) / 8,
        "entropy": renyi_entropy(counts, 1), "renyi_entropy": renyi_entropy(counts, alpha),
    }  # fmt: skip


GOLD = re.compile(r"(\S+)\t(\S+)(?:\t(\d+(?:\.\d+)?))?")
GoldWord = tuple[str, frozenset[int], float]
"""A word, the offsets between its morphemes, and its weight."""


def gold_words(path: str) -> list[GoldWord]:
    """The words of a file: word, tab, morphemes with + between them, and perhaps a tab and a weight.

    Raises InputError, naming the line.
    """
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: it can't be read as text ({error}); give a file of words") from None
    words = []
    for number, line in enumerate(lines, 1):
        match = GOLD.fullmatch(line)
        word, parts, weight = match.groups("1") if match else ("", line or "?", "")
        if parts.replace("+", "") != word:
            raise InputError(f"{path}, line {number}: {shown(line)} is no word, tab, its parts with + between them")
        words.append((word, frozenset(accumulate(map(len, parts.split("+")))) - {len(word)}, float(weight)))
    return words


def of_gold(tokenizer: Opened, words: Sequence[GoldWord]) -> dict[str, float]:
    """What formulas take of the cuts in words of running text, against the borders of their morphemes."""
    rows = []
    for word, borders, weight in words:
        tokens = tokenizer.encode(BEFORE + word, add_special=False, parse_special=False).tokens
        cuts = {token.start - len(BEFORE) for token in tokens} & {*range(1, len(word))}
        inside = sum(token.end > len(BEFORE) for token in tokens)
        rows.append((len(cuts & borders), len(cuts), len(borders), weight, inside))
    table = pd.DataFrame(rows, columns=["hits", "cuts", "borders", "weight", "tokens"], dtype=float)
    scored = table.query("borders > 0 and tokens > 1")
    known = table[["hits", "cuts", "borders"]]
    return {
        **known.mul(table["weight"], axis=0).sum(min_count=1), **known.sum(min_count=1).add_suffix("_once"),
        "morph_score": (scored["hits"] / scored["borders"]).mean(),
    }  # fmt: skip


def languages(
    groups: Mapping[str, pd.DataFrame], settings: Settings
) -> tuple[dict[str, pd.DataFrame], dict[str, int], list[str]]:
    """The groups that have as many documents as the baseline: each tokenizer's tokens as multiples of the baseline's.

    Then how many lines one of the two does not have, and the groups with other numbers of documents.
    """
    base = groups[settings.baseline].reset_index(drop=True)
    parallel = {name: own.reset_index(drop=True) for name, own in groups.items() if len(own) == len(base)}
    ratios, missing = {}, {}
    for name, own in parallel.items():
        kept = pd.concat([own["words"], base["words"]], axis=1) > 0
        if lines := int((kept.sum(axis=1) == 1).sum()):
            missing[name] = lines
        sums, base_sums = (drawn(each.filter(like="tokens ").mul(kept.all(axis=1), axis=0), settings)
                           for each in (own, base))  # fmt: skip
        ratios[name] = sums / base_sums
    return ratios, missing, [name for name in groups if name not in parallel]


def interval(draws: pd.Series) -> list[float | None]:
    """A number and the ends of its interval, None for what is not a number; no ends if all draws are the same."""
    numbers = draws.to_numpy(np.float64)
    ends = np.quantile(numbers[1:], ENDS) if np.ptp(numbers) > 0 else (math.nan, math.nan)
    return [float(each) if math.isfinite(each) else None for each in (numbers[0], *ends)]


def leading(draws: pd.DataFrame, better: str) -> Record | None:
    """The tokenizer that is best by a measure, how far the others are `behind`, paired, and whether that is `clear`."""
    first = draws.iloc[0] * {"low": 1, "high": -1, "": math.nan}[better]
    if first.isna().any() or len(first) < 2:
        return None
    best = first.idxmin()
    behind = {name: interval(draws[name] - draws[best]) for name in draws if name != best}
    clear = all(low is not None and high is not None and low * high > 0 for _, low, high in behind.values())
    return {"name": best, "clear": clear, "behind": behind}


def measures(plan: Plan, tally: Tally, settings: Settings) -> Record:
    """All measures as plain values: of each, for every tokenizer, a number and the ends of its interval.

    best: by measure, the index of the tokenizer whose paired difference from every other one excludes 0. Raises
    InputError for a baseline, a reference or a gold file that doesn't work, and for a corpus without text.
    """
    parts = [pd.read_parquet(io.BytesIO(data)) for _, data in sorted(tally.documents.items())]
    if not parts:
        raise InputError("the files have no text to measure; give others")
    rows, opened = pd.concat(parts), tokenizers(plan.work.models)
    groups = {str(name): own for name, own in rows.groupby(level=0, sort=False)}
    names, reference = list(opened), settings.reference or next(iter(opened))
    for kind, name, known in (("reference", reference, names), ("baseline", settings.baseline, ["", *groups])):
        if name not in known:
            raise InputError(f"the {kind} {shown(name)} is none of {', '.join(map(shown, known[:10]))}; choose another")
    ratios, missing, left_out = dict[str, pd.DataFrame](), dict[str, int](), list[str]()
    if settings.baseline and plan.work.unit == 1:
        ratios, missing, left_out = languages(groups, settings)
    total: Any = 0
    spaced: Any = 0
    for own in groups.values():
        sums = drawn(own, settings)
        total = total + sums
        spaced = spaced + sums * (2 * sums["unspaced"][0] <= sums["characters"][0])
    sums = total.join(spaced.add_prefix("spaced_"))
    packed = rows.reindex(columns=["gzip", "zstd"]).sum(min_count=1)
    gold = gold_words(settings.gold) if settings.gold else []
    draws: dict[str, Any] = {key: {} for key in KNOWN}
    for at, (name, tokenizer) in enumerate(opened.items()):
        costs = pd.DataFrame({each: ratio[f"tokens {at}"] for each, ratio in ratios.items()}, index=sums.index)
        table = sums.set_axis(sums.columns.str.removesuffix(f" {at}"), axis=1).assign(
            reference_tokens=sums[f"tokens {names.index(reference)}"],
            premium=costs.drop(columns=settings.baseline, errors="ignore").median(axis=1),
            gini=gini(costs), variation=costs.std(axis=1, ddof=0) / costs.mean(axis=1),
            **packed, unknown=token_numbers(tally.total, at)["unknown"], all_tokens=sums[f"tokens {at}"][0],
            **of_counts(tally.counts[at], settings.alpha), **of_gold(tokenizer, gold),
        )  # fmt: skip
        for key in KNOWN:
            draws[key][name] = table.eval(KNOWN[key]["of"]).replace(np.inf, np.nan)
    tables = {key: frame for key, each in draws.items() if (frame := pd.DataFrame(each)).iloc[0].notna().any()}
    lossless = [name for name, share in tables["unknown"].iloc[0].items() if share <= LOST_FROM]
    leads = {
        key: lead for key, each in tables.items() if (lead := leading(each[lossless], KNOWN[key]["better"])) is not None
    }
    unit = plan.work.unit * max(math.ceil(len(own) / MOST_UNITS) for own in groups.values())
    filled_in = settings._asdict() | {"alpha": f"{settings.alpha:g}", "reference": reference,
                                      "gold": Path(settings.gold).name, "unit": unit}  # fmt: skip
    return {
        "settings": filled_in,
        "tokenizers": names,
        "definitions": {key: definition(key, filled_in) for key in tables},
        "values": {key: [interval(each[name]) for name in names] for key, each in tables.items()},
        "premiums": {
            group: [interval(ratio[f"tokens {at}"]) for at in range(len(names))] for group, ratio in ratios.items()
        },
        "leads": leads,
        "best": {key: names.index(lead["name"]) for key, lead in leads.items() if lead["clear"]},
        "missing_lines": missing, "not_parallel": left_out, "caution": CAUTION,
    }  # fmt: skip


def definition(key: str, settings: Json) -> Text:
    """What a measure is, with the setting that it depends on."""
    known = KNOWN[key]
    return Text(known["says"], *([str(settings.get(known["names"]))] if "names" in known else []))


# --- what a paper takes -----------------------------------------------------------------------------------------------


def cell(value: Sequence[float | None], form: str) -> str:
    """A measure in a table, with its interval.

    >>> cell([1.666, 1.62, 1.74], ".2f"), cell([0.458, None, None], ".1%"), cell([None, None, None], ".2f")
    ('1.67 [1.62, 1.74]', '45.8%', '–')
    """
    first, *ends = [format(each, form) for each in value if each is not None] or ["–"]
    return f"{first} [{', '.join(ends)}]" if ends else first


def chosen_keys(paper: Json, keys: Sequence[str] = ()) -> list[str]:
    """These of the measures that a paper has, all of them if empty."""
    return [key for key in KNOWN if key in paper["values"] and (not keys or key in keys)]


def table(paper: Json, keys: Sequence[str] = ()) -> pd.DataFrame:
    """A row for each tokenizer, a column for each measure. keys: the measures, all of them if empty."""
    columns = {
        KNOWN[key]["heading"]: [cell(each, KNOWN[key]["form"]) for each in paper["values"][key]]
        for key in chosen_keys(paper, keys)
    }
    return pd.DataFrame(columns, index=paper["tokenizers"])


def as_latex(paper: Json, keys: Sequence[str] = ()) -> str:
    """The table for LaTeX with booktabs."""
    shown = table(paper, keys)
    return shown.to_latex(escape=True, column_format="l" + "r" * len(shown.columns))


def as_markdown(paper: Json, keys: Sequence[str] = ()) -> str:
    """The table for Markdown."""
    shown = table(paper, keys)
    return "\n".join([*markdown(["", *shown.columns], shown.itertuples()), ""])


def as_csv(paper: Json, keys: Sequence[str] = ()) -> str:
    """One row for each measure of each tokenizer: the number, its interval, its definition."""
    rows = [
        [name, key, *value, definition(key, paper["settings"])]
        for key in chosen_keys(paper, keys)
        for name, value in zip(paper["tokenizers"], paper["values"][key], strict=True)
    ]
    return write_csv([["tokenizer", "measure", "value", "low", "high", "definition"], *rows])


MOST_TOKENIZERS, MOST_LANGUAGES = 3, 8
"""What the figure has room for."""
FIGURE = json.loads(Path(__file__).with_name("figure.json").read_text("utf-8"))


def figure(paper: Json, words: Words = str) -> Record:
    """The premiums of languages under the first tokenizers in Vega-Lite: 84 mm wide, with shapes that differ in gray.

    The languages are spread over the premiums of the first tokenizer. Raises InputError without premiums.
    """
    premiums = paper["premiums"]
    cheapest = sorted(premiums, key=lambda name: premiums[name][0][0] or 0)
    names = cheapest[:: -max(1, len(cheapest) // MOST_LANGUAGES)][:MOST_LANGUAGES][::-1]
    tokenizers = paper["tokenizers"][:MOST_TOKENIZERS]
    points = [
        {"language": name, "tokenizer": tokenizer}
        | dict(zip(("premium", "low", "high"), premiums[name][at], strict=True))
        for at, tokenizer in enumerate(tokenizers) for name in names
    ]  # fmt: skip
    if not points:
        raise InputError("a figure shows premiums: give a baseline, and other groups with as many documents")
    says = Text("tokens per line ÷ {0:t} (log scale)", paper["settings"]["baseline"])
    spec: Record = filled(FIGURE, {"title": words(says), "points": points, "tokenizers": tokenizers}, words)
    return spec


def drawer() -> Any:
    """What draws the figure. Raises InputError if it is not installed."""
    try:
        import vl_convert
    except ImportError:
        raise InputError("a figure needs vl-convert; install it: pip install vl-convert-python") from None
    return vl_convert


FORMS: Mapping[str, Callable[[Json, Sequence[str]], Any]] = {
    ".tex": as_latex,
    ".md": as_markdown,
    ".csv": as_csv,
    ".json": lambda paper, keys: json.dumps(paper, ensure_ascii=False, indent=1),
    ".txt": lambda paper, keys: paper["methods"],
    ".svg": lambda paper, keys: drawer().vegalite_to_svg(figure(paper)),
    ".pdf": lambda paper, keys: drawer().vegalite_to_pdf(figure(paper)),
}
"""What a file with such a suffix has, a text or bytes: the table, all numbers, the paragraph of methods, the figure."""


def printed(suffix: str, paper: Json, keys: Sequence[str] = ()) -> bytes:
    """A file with this suffix. keys: the measures of its table, all of them if empty."""
    content = FORMS[suffix](paper, keys)
    return content if isinstance(content, bytes) else content.encode()


def methods(result: Json, paper: Json) -> str:
    """A paragraph for a paper: the corpus, the tokenizers with their files, the options, the intervals."""
    total, source, settings = result["total"], result["provenance"], paper["settings"]
    files = "; ".join(
        f"{each['label']} ({each['model']} as {each['implementation']} runs it"
        + "".join(f", sha256 {file['sha256'][:12]}" for file in each["files"]) + ")"
        for each in source["tokenizers"]
    )  # fmt: skip
    special = "with" if result["options"]["add_special"] else "without"
    units = "documents" if settings["unit"] == 1 else f"runs of up to {settings['unit']} documents"
    baseline, left_out = settings["baseline"], ", ".join(paper["not_parallel"])
    missing = ", ".join(f"{count:,} in {name}" for name, count in paper["missing_lines"].items())
    sentences = {
        f"We tokenize {total['documents']:,} documents, {total['bytes']:,} bytes of UTF-8, {special} the special "
        f"tokens that a tokenizer adds, using the tokenizer explorer {source['explorer']}.": True,
        f"The tokenizers are {files}.": True,
        f"Intervals are 95% percentile intervals of a bootstrap over {units} ({settings['draws']:,} draws, seed "
        f"{settings['seed']}); all tokenizers share the draws, so differences are paired.": True,
        f"Languages are compared with {baseline} line by line; the draws take the same lines in all.": baseline,
        f"Not compared, because the number of documents differs: {left_out}.": left_out,
        f"Lines that one side does not have are left out: {missing}.": missing,
        **{f"{KNOWN[key]['heading']}: {says}.": True for key, says in paper["definitions"].items()},
        CAUTION: True,
    }
    return " ".join(sentence for sentence, said in sentences.items() if said)


def measured(plan: Plan, tally: Tally, settings: Settings) -> Record:
    """The result of a job with a key `measures`. Raises InputError."""
    result = record(plan, tally, settings.baseline if plan.work.reading.label else "")
    paper = measures(plan, tally, settings)
    return result | {"measures": paper | {"methods": methods(result, paper)}}


def measure(
    models: Sequence[str], paths: Sequence[str], *, label: str = "", field: str = "text", **settings: Any
) -> Record:
    """The measures of tokenizers over files, with all that `explorer corpus --measures all --output` writes.

    models: as for `explorer.load`. paths: files, folders and patterns. label: the field that groups records. settings:
    those of `Settings`, such as `baseline="English"`. Raises InputError.

    >>> import explorer
    >>> from explorer.corpus.sample import TEXTS
    >>> result = explorer.measure(["gpt-2"], [str(TEXTS)], label="label", baseline="English", draws=10)
    >>> round(result["measures"]["values"]["premium"][0][0], 2)
    5.79
    """
    chosen_settings = Settings(**settings)
    job = measuring(plan(paths, chosen(models, {}), Reading(field, label)), chosen_settings.window)
    return measured(job, run(job.tasks, job.work)[0], chosen_settings)
