"""Uploads and patterns run in worker processes: limits, cancellation, release."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

import explorer
from explorer.answers import explore, questions, sessions, worker, worker_process
from explorer.answers.compare import alignment_of, comparison_of, flip_comparison
from explorer.answers.explore import Request, lazy_trace
from explorer.answers.offers import TokenizerSpec, Upload, bundled, loads, upload_offer
from explorer.answers.processes import OOM_SCORE, Canceled, Limits, Refusal
from explorer.answers.questions import LOCAL, Question, Store
from explorer.answers.sessions import Session
from explorer.answers.worker_process import ForkServer, WorkerCrash, WorkerProcess
from explorer.errors import ChoiceNeeded, InputError
from explorer.ui.parameters import LONGEST_TEXT
from tests.answers import probes
from tests.ui.small_files import tokenizer_json

GPT_2 = TokenizerSpec(bundled()["gpt-2"], "huggingface")
TYPED = GPT_2._replace(pattern=r"\w+|\W")
UPLOAD = TokenizerSpec(upload_offer((Upload("mine.json", tokenizer_json()),)), "huggingface")

LITTLE = Limits(seconds=0.3, memory=1_000_000_000)


class NoLonger(BaseException):
    """Raised by the web framework in a run that was overtaken."""


@pytest.fixture(scope="module")
def started() -> Iterator[WorkerProcess]:
    """One process for many tests, since starting one takes longer than most; after a test that ends it, it restarts."""
    made = WorkerProcess(LITTLE)
    yield made
    made.end()


@pytest.fixture
def visitor(started: WorkerProcess) -> Iterator[Session]:
    made = Session(process=started)
    yield made
    if made.process is started:
        made.process = None
    made.release()


def ask(visitor: Session, question: Question[..., object], *args: object) -> object:
    return visitor.answer(question, args)


# --- which process answers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [TYPED, UPLOAD], ids=["a typed pattern", "a dropped file"])
def test_an_untrusted_spec_always_runs_in_the_same_worker(visitor: Session, spec: TokenizerSpec) -> None:
    first = ask(visitor, probes.process, spec)
    assert first != os.getpid()
    visitor.caches.clear()
    assert ask(visitor, probes.process, spec) == first


def test_a_worker_begins_with_the_bundled_tokenizer_open_and_an_upload_stays_in_its_own() -> None:
    weights = []
    for spec in (UPLOAD, TYPED, UPLOAD):
        visitor = Session()
        weights.append(ask(visitor, probes.opened_before, spec))
        visitor.release()
    assert weights[1] > 0
    assert weights[2] in (0, weights[1])


def test_a_trusted_spec_runs_in_the_server(visitor: Session) -> None:
    assert ask(visitor, probes.process, GPT_2) == os.getpid()
    assert ask(visitor, probes.process, GPT_2._replace(choices=(("pad", "1"),))) == os.getpid()


@pytest.mark.long
def test_one_untrusted_spec_among_several_is_enough(visitor: Session) -> None:
    assert ask(visitor, probes.process, {"a": GPT_2, "b": (UPLOAD,)}) != os.getpid()


@pytest.mark.long
def test_the_server_opens_no_uploaded_tokenizer(visitor: Session) -> None:
    visitor.process = WorkerProcess()
    before = LOCAL.caches[Store.TOKENIZERS].weight
    for spec in (UPLOAD, TYPED):
        ready = ask(visitor, explore.explore_view, Request(spec, "abc ab"), 0, "model")
        assert isinstance(ready, explore.ExploreView)
    assert (LOCAL.caches[Store.TOKENIZERS].weight, visitor.caches[Store.TOKENIZERS].weight) == (before, 0)


@pytest.mark.sample(1)
@pytest.mark.parametrize("spec", [TYPED, UPLOAD, GPT_2])
@pytest.mark.parametrize("text", ["abc ab", "", "<s> Ünï 漢字 👩‍👩‍👧"])
def test_a_worker_gives_the_same_answer_as_the_server(visitor: Session, spec: TokenizerSpec, text: str) -> None:
    visitor.process = WorkerProcess()
    there = ask(visitor, explore.explore_view, Request(spec, text), 0, "model")
    here = explore.explore_view.function(Request(spec, text), 0, "model")
    assert isinstance(there, explore.ExploreView)
    assert there == here
    asked = (Request(spec, text), 0, "model", False)
    assert ask(visitor, explore.section_view, *asked) == explore.section_view.function(*asked)
    table, names = ask(visitor, explore.downloads_of, Request(spec, text))
    expected_table, expected_names = explore.downloads_of.function(Request(spec, text))
    assert table.equals(expected_table)
    assert names == expected_names
    file = visitor.compute(explore.download, (explore.text_export, (Request(spec, text),), "json"))
    assert file == explore.download.function(explore.text_export, (Request(spec, text),), "json")


def test_the_server_starts_without_posix_modules() -> None:
    code = "import sys; sys.modules['resource'] = None; import explorer.answers.sessions"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(explorer.__file__).parents[1])


# --- limits --------------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("question", [probes.endless, probes.endless_in_a_library])
def test_exceeding_the_time_limit_is_reported(visitor: Session, question: Question[..., object]) -> None:
    with pytest.raises(InputError, match=r"more than 0\.3 seconds of computing"):
        ask(visitor, question, UPLOAD)
    assert ask(visitor, probes.process, UPLOAD)


@pytest.mark.long
def test_waiting_does_not_count_as_computing(visitor: Session) -> None:
    assert ask(visitor, probes.asleep, UPLOAD, 0.5) is None


@pytest.mark.long
@pytest.mark.parametrize(
    ("question", "says"),
    [(probes.huge, "more than 1,000 MB of memory"), (probes.gone, "ended before it answered.*it has 1,000 MB")],
)
def test_exceeding_the_memory_limit_is_reported(visitor: Session, question: Question[..., object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        ask(visitor, question, UPLOAD)
    assert ask(visitor, probes.name, UPLOAD) == "mine.json"


def test_input_errors_arrive_complete(visitor: Session) -> None:
    with pytest.raises(InputError, match="line 3: not a number; give one"):
        ask(visitor, probes.refused, UPLOAD)
    with pytest.raises(ChoiceNeeded, match="which letter") as caught:
        ask(visitor, probes.left_open, UPLOAD)
    assert (caught.value.key, caught.value.options, caught.value.free) == ("letter", ("a", "b"), "a letter")


def test_a_crash_reports_its_stack_and_no_message(visitor: Session) -> None:
    with pytest.raises(WorkerCrash, match=r"probes\.py") as caught:
        ask(visitor, probes.faulty, UPLOAD)
    assert "secret" not in str(caught.value)


# --- cancellation --------------------------------------------------------------------------------------------------


def overtaken_after(seconds: float) -> Callable[[], None]:
    ends = time.monotonic() + seconds

    def check_wanted() -> None:
        if time.monotonic() > ends:
            raise NoLonger

    return check_wanted


def outlives_cancelling(question: Question[..., object]) -> bool:
    """Whether the process that is asked a question which is then canceled answers the next one."""
    visitor = Session(process=WorkerProcess(Limits(seconds=60, memory=LITTLE.memory)))
    first = ask(visitor, probes.process, UPLOAD)
    visitor.check_wanted = overtaken_after(0.2)
    with pytest.raises(NoLonger):
        ask(visitor, question, UPLOAD)
    visitor.check_wanted = lambda: None
    visitor.caches.clear()
    after = ask(visitor, probes.process, UPLOAD)
    visitor.release()
    return bool(after == first)


@pytest.mark.long
def test_an_unwanted_question_is_cancelled_and_the_process_continues() -> None:
    assert outlives_cancelling(probes.endless)


@pytest.mark.long
def test_cancelling_while_the_process_starts_is_harmless() -> None:
    visitor = Session(process=WorkerProcess(LITTLE), check_wanted=overtaken_after(0))
    with pytest.raises(NoLonger):
        ask(visitor, probes.asleep, UPLOAD, 60.0)
    visitor.check_wanted = lambda: None
    assert ask(visitor, probes.name, UPLOAD) == "mine.json"
    visitor.release()


@pytest.mark.long
def test_a_swallowed_signal_repeats_without_a_log_entry(
    capfd: pytest.CaptureFixture[str],
) -> None:
    visitor = Session(process=WorkerProcess(LITTLE))
    with pytest.raises(InputError, match="seconds of computing"):
        ask(visitor, probes.endless_in_what_drops_exceptions, UPLOAD)
    visitor.release()
    assert capfd.readouterr().err == ""


@pytest.mark.long
def test_a_process_that_cannot_cancel_is_killed() -> None:
    assert not outlives_cancelling(probes.endless_in_a_library)


def release(ended: Callable[[str], bool]) -> None:
    """Two checks in a row."""
    now = time.monotonic()
    sessions.release_ended(ended, now)
    sessions.release_ended(ended, now + sessions.RELEASE_SECONDS)


# --- release ----------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_an_ended_session_is_released() -> None:
    over: set[str] = set()
    mine, other = (sessions.session(id, lambda: None, over.__contains__) for id in ("mine", "other"))
    for each in (mine, other):
        ask(each, probes.heavy, UPLOAD, 1_000)
    process = mine.process
    assert process is not None
    assert process.pid is not None
    over.add("mine")
    release(over.__contains__)
    assert (process.pid, mine.caches[Store.RESULTS].weight) == (None, 0)
    assert other.process is not None
    assert other.process.pid is not None
    sessions.release_ended(over.__contains__, time.monotonic() + sessions.IDLE_SECONDS + 1)
    assert not other.process.pid is not None
    assert sessions._sessions["other"] is other, "an idle session loses its process and its answers only"
    assert ask(other, probes.name, UPLOAD) == "mine.json"
    over.add("other")
    release(over.__contains__)


@pytest.mark.long
def test_a_download_of_an_ended_session_leaves_no_process() -> None:
    mine = sessions.session("late", lambda: None, {"late"}.__contains__)
    release({"late"}.__contains__)
    assert mine.compute(probes.name, (UPLOAD,)) == "mine.json"
    assert mine.process is None or mine.process.pid is None


@pytest.mark.long
@pytest.mark.parametrize("read", [False, True], ids=["message unread", "message read"])
def test_a_worker_without_its_server_exits_silently(read: bool, capfd: pytest.CaptureFixture[str]) -> None:
    server = ForkServer()
    pid, connection = server.fork(LITTLE)
    assert connection.poll(60)
    if read:
        connection.recv_bytes()
    connection.close()
    while state(pid) != "Z":
        time.sleep(0.01)
    server.reap(pid)
    while state(pid):
        time.sleep(0.01)
    server.end()
    assert capfd.readouterr().err == ""


def state(pid: int) -> str:
    """One letter for the state of a process, as /proc has it; empty if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def test_ctrl_c_does_not_reach_workers(visitor: Session) -> None:
    assert ask(visitor, probes.process, UPLOAD) != os.getpid()
    assert visitor.process is not None
    assert visitor.process.pid is not None
    assert os.getpgid(visitor.process.pid) != os.getpgid(0), "Ctrl-C during its start would print a stack"


def test_a_process_that_ended_while_idle_is_released_and_replaced() -> None:
    mine = sessions.session("of killed", lambda: None, lambda id: False)
    before = ask(mine, probes.process, UPLOAD)
    assert mine.process is not None
    pid = mine.process.pid
    assert pid == before
    os.kill(pid, signal.SIGKILL)
    while state(pid) != "Z":
        time.sleep(0.01)
    sessions.release_ended(lambda id: False, time.monotonic())
    assert mine.process.pid is None
    while state(pid):
        time.sleep(0.01)
    mine.caches.clear()
    assert ask(mine, probes.process, UPLOAD) not in (before, os.getpid())
    release(lambda id: id == "of killed")


@pytest.mark.long
def test_a_fork_server_that_was_killed_is_replaced() -> None:
    server = ForkServer()
    pid, connection = server.fork(LITTLE)
    assert server._running is not None
    server._running[0].kill()
    server._running[0].wait()
    connection.close()
    pid, connection = server.fork(LITTLE)
    assert connection.poll(60)
    connection.close()
    server.reap(pid)
    server.end()


@pytest.mark.skipif(sys.platform != "linux", reason="Linux says what it ends first")
def test_the_system_ends_a_worker_before_the_server(visitor: Session) -> None:
    score = ask(visitor, probes.oom_score, UPLOAD)
    assert score == OOM_SCORE > int(Path("/proc/self/oom_score_adj").read_text())


def test_a_browser_that_reconnects_keeps_its_session() -> None:
    mine, now = sessions.session("back", lambda: None, lambda id: False), time.monotonic()
    lost: list[str] = []
    mine.at_end["a file"] = lambda: lost.append("a file")
    for away, later in ((True, 0), (False, 5), (True, 10)):
        sessions.release_ended(lambda id, away=away: away and id == "back", now + later)  # type: ignore[misc]
    assert not lost
    sessions.release_ended(lambda id: id == "back", now + 15)
    assert lost == ["a file"]


def test_a_released_upload_is_gone_everywhere() -> None:
    file = Upload("mine.json", tokenizer_json())
    spec = TokenizerSpec(upload_offer((file,)), "huggingface")
    assert spec.open().encode("abc").ids
    file.release()
    with pytest.raises(InputError, match=r"mine\.json: this upload was removed .* drop the file here again"):
        spec.open()


@pytest.mark.long
def test_processes_beyond_the_memory_limit_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "MAX_RESIDENT", int(2.5 * worker_process.OWN_BYTES))
    made = [sessions.session(f"of large {number}", lambda: None, lambda id: False) for number in range(3)]
    for each in made:
        ask(each, probes.process, UPLOAD)
    running = [each.process is not None and each.process.pid is not None for each in made]
    assert running[2]
    assert not running[0]
    release(lambda id: id.startswith("of large"))


@pytest.mark.long
def test_processes_beyond_the_maximum_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "MAX_PROCESSES", 2)
    made = [sessions.session(f"of many {number}", lambda: None, lambda id: False) for number in range(3)]
    for each in made:
        ask(each, probes.process, UPLOAD)
    running = [each.process is not None and each.process.pid is not None for each in made]
    assert running == [False, True, True]
    release(lambda id: id.startswith("of many"))


@pytest.mark.long
def test_the_maximum_holds_while_all_compute_and_a_new_visitor_is_let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "MAX_PROCESSES", 2)
    busy = [Session(process=WorkerProcess(Limits(60, LITTLE.memory))) for _ in range(2)]
    with ThreadPoolExecutor(3) as threads:
        computing = [threads.submit(ask, each, probes.endless, UPLOAD) for each in busy]
        while len(worker_process.POOL._bytes) < 2:
            time.sleep(0.01)
        other = Session(process=WorkerProcess(LITTLE))
        asking = threads.submit(ask, other, probes.name, UPLOAD)
        while not asking.done():
            assert len(worker_process.POOL._bytes) <= 2
            time.sleep(0.01)
        assert asking.result() == "mine.json"
        for each in busy:
            each.release()
        said = [str(each.exception()) for each in computing]
    assert sum("make room" in each for each in said) == 1
    other.release()


@pytest.mark.long
def test_the_largest_ends_while_all_compute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "MAX_RESIDENT", 3 * worker_process.OWN_BYTES + 300_000_000)
    small, large = (Session(process=WorkerProcess(Limits(60, 2_000_000_000))) for _ in range(2))
    with ThreadPoolExecutor(2) as threads:
        computing = threads.submit(ask, small, probes.endless, UPLOAD)
        with pytest.raises(InputError, match="make room"):
            ask(large, probes.growing, UPLOAD)
        assert not computing.done()
        small.release()
        assert "make room" not in str(computing.exception())
    large.release()


@pytest.mark.long
def test_the_caches_of_a_session_are_bounded_in_bytes() -> None:
    visitor = Session(process=WorkerProcess(LITTLE))
    for number in range(40):
        ask(visitor, probes.heavy, UPLOAD, 4_000_000 + number)
    assert 0 < visitor.caches[Store.RESULTS].weight <= sessions.RESULT_BYTES
    visitor.release()


# --- weights -------------------------------------------------------------------------------------------------------


@pytest.mark.sample(1)
@pytest.mark.parametrize("model", ["gpt-2", "llama-2", "bert-uncased", "rwkv-world", "xlm-r"])
@pytest.mark.parametrize("text", ["a" * 20_000, "Ünï 漢字 👩‍👩‍👧 " * 1_500], ids=["one letter", "many scripts"])
def test_a_trace_weighs_at_least_the_memory_it_takes(model: str, text: str) -> None:
    tok = explorer.load(model)
    tok.trace(text[:100])
    gc.collect()
    tracemalloc.start()
    trace = tok.trace(text)
    assert trace.encoding.tokens
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken <= explore.trace_weight(trace)


def test_the_material_of_a_comparison_of_the_longest_text_fits_the_cache() -> None:
    """Six tokenizers, their rows, a comparison and five flips: seeing them again computes nothing."""
    text = "a" * LONGEST_TEXT
    run = SimpleNamespace(text=text)
    rows, two = alignment_of.weigh(run), comparison_of.weigh(SimpleNamespace(left=run))
    assert 6 * lazy_trace.weigh(run) + rows + two + 5 * flip_comparison.weigh(SimpleNamespace(left=run)) <= (
        1.2 * questions.MATERIAL_BYTES
    )
    assert 4 * lazy_trace.weigh(run) + rows + 2 * two <= questions.MATERIAL_BYTES


def test_a_signal_that_comes_again_while_the_reply_is_written_is_a_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = worker.Worker(SimpleNamespace(), Limits(1.0, 1_000_000_000))  # type: ignore[arg-type]
    for raised, reply in ((worker.Cancellation, Canceled), (worker.OutOfTime, Refusal)):

        def again(message: bytes, raised: type[BaseException] = raised) -> bytes:
            raise raised

        monkeypatch.setattr(alone, "_reply", again)
        alone.busy = True
        assert isinstance(loads(alone.reply(b""), {}), reply)
        assert not alone.busy
