"""Measures the engine: `python -m benchmarks [--quick] [--only SPEC …] [--prose PATH] [--json FILE] [--chart FILE]`.

Encodes whole documents and single lines of three corpora with every bundled tokenizer, warm and cold, against the
originals in the same run; measures latency, growth in the worst cases, and the cost of a trace. Ids are compared first,
and differences printed. Opening, memory and the app have their own scripts: `benchmarks.opening`, `benchmarks.files`,
`benchmarks.edit`.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import sys
from pathlib import Path

import explorer
from benchmarks.speed import corpora
from benchmarks.speed.chart import chart
from benchmarks.speed.compiled import compiled_speeds
from benchmarks.speed.growing import growth
from benchmarks.speed.measure import latencies, speeds, trace_cost
from benchmarks.speed.rivals import KNOWN, rivals

SPECS = [f"{model.name}@{one}" for model in explorer.catalog().values() for one in model.implementations
         if one != "first-miss"]  # fmt: skip


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", metavar="SPEC", help="such as llama-3@huggingface")
    parser.add_argument("--quick", action="store_true", help="a tenth of each corpus, growth to 100,000 characters")
    parser.add_argument("--compiled", action="store_true", help="only the compiled encoder")
    parser.add_argument("--gguf", type=Path, metavar="FOLDER", help="the folder of llama.cpp's ggml-vocab-*.gguf")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--chart", type=Path, metavar="FILE", help=".html, .png or .svg")
    for name in corpora.SOURCES:
        parser.add_argument(f"--{name}", type=Path, metavar="PATH", help="a text of your own")
    asked = parser.parse_args(arguments)
    specs = asked.only or SPECS

    texts = [corpora.found(name, getattr(asked, name)) for name in corpora.SOURCES]
    if asked.quick:
        texts = [corpus._replace(text=corpus.text[: len(corpus.text) // 10]) for corpus in texts]
    for corpus in texts:
        print(f"{corpus.name}: {corpus.megabytes:.1f} MB, {corpus.made}")

    print(f"\n{'tokenizer':<26}{'corpus':<14}{'how':<10}{'cold':>6}{'warm':>7} MB/s   against", flush=True)
    rows = []
    for spec in () if asked.compiled else specs:
        others = list(rivals(spec, asked.gguf))
        for corpus in texts:
            for row in speeds(spec, corpus, others):
                rows.append(row)
                why = KNOWN.get((spec.partition("@")[0], row.rival), "unexplained")
                differ = f"  {row.different:,} texts with other ids ({why})" if row.different else ""
                print(f"{spec:<26}{row.corpus:<14}{row.how:<10}{row.cold:6.1f}{row.warm:7.1f}        {row.rival:<14}"
                      f"{row.theirs:6.1f}  ×{row.cold_ratio:.1f} cold ×{row.warm_ratio:.1f} warm{differ}",
                      flush=True)  # fmt: skip

    print(f"\n{'compiled, arrays out':<26}{'corpus':<14}{'how':<10}{'cold':>6}{'warm':>7} MB/s   against", flush=True)
    arrays = []
    for spec in specs:
        others = list(rivals(spec, asked.gguf))
        for corpus in texts:
            for each in compiled_speeds(spec, corpus, others):
                arrays.append(each)
                print(f"{spec:<26}{each.corpus:<14}{each.how:<10}{each.cold:6.1f}{each.warm:7.1f}        "
                      f"{each.rival:<14}{each.theirs:6.1f}  ×{each.cold / each.theirs:.1f} cold "
                      f"×{each.warm / each.theirs:.1f} warm  the fast path: "
                      f"×{each.cold / each.today_cold:.1f} cold ×{each.warm / each.today:.1f} warm, "
                      f"two threads ×{each.threads:.2f}, {each.different:,} texts with other ids",
                      flush=True)  # fmt: skip
    if asked.compiled:
        return

    waits = [row for spec in specs for row in latencies(spec, texts[0])]
    print(f"\n{'latency, ms':<26}" + "".join(f"{size:>9} kB p50    p95" for size in (1, 10, 100)))
    for spec in specs:
        print(f"{spec:<26}" + "".join(f"{row.p50:12.2f}{row.p95:10.2f}" for row in waits if row.spec == spec))

    print("\nworst cases: seconds, and growth for each ten times the text")
    grown = [row for spec in specs for row in growth(spec, 100_000 if asked.quick else 1_000_000)]
    for grew in grown:
        print(f"{grew.spec:<26}{grew.case:<18}" + " ".join(f"{each:8.4f}" for each in grew.seconds)
              + "   " + " ".join(f"×{factor:.0f}" for factor in grew.factors))  # fmt: skip

    print("\nthe cost of a trace, relative to the stages without one")
    costs = [trace_cost(spec, texts[0]) for spec in specs]
    for cost in costs:
        print(f"{cost.spec:<26}×{cost.times:.2f}  {cost.bytes_an_event:.0f} bytes an event, "
              f"{cost.events_a_character:.1f} events a character")  # fmt: skip

    machine = {"date": datetime.date.today().isoformat(), "machine": platform.platform(),
               "python": platform.python_version()}  # fmt: skip
    if asked.json:
        tables = {"speed": rows, "compiled": arrays, "latency": waits, "growth": grown, "trace": costs}
        made = {name: [row._asdict() for row in table] for name, table in tables.items()}
        about = [{"name": each.name, "megabytes": each.megabytes, "made": each.made} for each in texts]
        asked.json.write_text(json.dumps(machine | {"corpora": about} | made, indent=1), "utf-8")
    if asked.chart:
        chart(rows, machine).save(str(asked.chart))


if __name__ == "__main__":
    main(sys.argv[1:])
