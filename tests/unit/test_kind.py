import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparky.agents.table import AGENTS
from sparky.domain.issue import Issue, Kind, Source
from sparky.issues.kind import KindGuess, kind_of, kind_of_code


def issue(
    title: str = "",
    body: str = "",
    *,
    labels: tuple[str, ...] = (),
    kinds: tuple[Kind, ...] = (),
    agent: str | None = None,
) -> Issue:
    return Issue(
        id="1",
        key="k",
        title=title,
        body=body,
        source=Source.SENTENCE,
        labels=labels,
        kinds=kinds,
        agent=agent,
    )


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("The latest release loses the session", Kind.GENERAL),
        ("Add async validators; all 8 test suites must pass", Kind.GENERAL),
        ("Add a --format flag to the export", Kind.GENERAL),
        ("Support ruff 0.17 in the editor", Kind.GENERAL),
        ("TypeError when parse() gets None", Kind.GENERAL),
        ("Crash when sorting imports", Kind.GENERAL),
        ("Add noqa Comment to Code Review Agent", Kind.GENERAL),
        ("Make the background black", Kind.GENERAL),
        ("Rename documents/formatting.py", Kind.GENERAL),
        ("HTTP404 instead of the page", Kind.GENERAL),
        ("Error E1001 is shown to users", Kind.GENERAL),
        ("Fix the formatting", Kind.FORMATTING),
        ("format all code", Kind.FORMATTING),
        ("Sort imports", Kind.FORMATTING),
        ("Fix E501 in report.py", Kind.FORMATTING),
        ("Remove unused imports", Kind.IMPORT_ERROR),
        ("ModuleNotFoundError on start", Kind.IMPORT_ERROR),
        ("Add type hints to utils.py", Kind.TYPE_ERROR),
        ("SQL injection in search", Kind.SECURITY),
        ("Failing test in test_utils", Kind.TEST_FAILURE),
        ("Tests for dates fail on Windows", Kind.TEST_FAILURE),
        ("#011: Split Large Agents", Kind.COMPLEXITY),
        ("Issue #004: Remove Unused Agent Files", Kind.DEAD_CODE),
        ("Bump dependencies", Kind.DEPENDENCY),
        ("Code duplication in the readers", Kind.DRY_VIOLATION),
        ("Memory leak in processing loop", Kind.PERFORMANCE),
        ("Add Docstring to BaseAgent", Kind.DOCUMENTATION),
        ("Reorganize tests by module", Kind.TEST_ORGANIZATION),
        ("Write unit tests for the parser", Kind.TEST_CREATION),
        ("Review this pull request", Kind.REVIEW),
    ],
)
def test_a_title_speaks_for_its_kind(title: str, kind: Kind) -> None:
    assert kind_of(issue(title)).kind is kind


def test_words_give_reasons_and_the_title_counts_more_than_the_body() -> None:
    assert kind_of(issue("Sort imports", "It is slow; the documentation says why.")) == KindGuess(
        kind=Kind.FORMATTING, confidence=0.55, reasons=('"Sort imports" in the title',)
    )


def test_what_a_body_mentions_once_in_passing_does_not_decide() -> None:
    body = "The service limits calls. Please add tests."
    assert kind_of(issue("Rate limiter for calls", body)) == KindGuess(
        kind=Kind.GENERAL, confidence=0.3, reasons=("nothing in it speaks clearly for a kind",)
    )


def test_code_blocks_and_paths_are_not_words() -> None:
    body = "See docs/reformat/ and security.md:\n```\nmypy; security; F401 and docstrings\n```\n"
    assert kind_of(issue("Two questions", body)).kind is Kind.GENERAL


def test_an_explicit_kind_beats_labels_which_beat_pasted_findings_which_beat_words() -> None:
    everything = ("Remove dead code", "src/a.py:1:8: F401 `os` imported but unused")
    labelled = issue(*everything, labels=("good first issue", "type: Performance"))
    explicit = issue(*everything, labels=("performance",), kinds=(Kind.SECURITY, Kind.FORMATTING))
    assert [kind_of(i).kind for i in (explicit, labelled, issue(*everything), issue(everything[0]))] == [
        Kind.SECURITY,
        Kind.PERFORMANCE,
        Kind.IMPORT_ERROR,
        Kind.DEAD_CODE,
    ]
    assert kind_of(explicit) == KindGuess(
        kind=Kind.SECURITY, confidence=1.0, reasons=("the issue names its kind",)
    )
    assert kind_of(labelled) == KindGuess(
        kind=Kind.PERFORMANCE, confidence=0.9, reasons=('label "type: Performance"',)
    )


def test_an_agent_of_one_kind_that_the_issue_names_settles_the_kind_and_one_of_many_does_not() -> None:
    assert kind_of(issue("Make it nice", agent="formatting"), AGENTS) == KindGuess(
        kind=Kind.FORMATTING,
        confidence=1.0,
        reasons=("the issue names the agent formatting, which has this kind only",),
    )
    assert [
        kind_of(issue("Sort imports", agent=name), AGENTS).confidence for name in ("coder", "nobody")
    ] == [
        0.8,
        0.8,
    ]


@pytest.mark.parametrize(
    ("pasted", "kind"),
    [
        ("src/a.py:1:8: F401 [*] `os` imported but unused", Kind.IMPORT_ERROR),
        ("F841 Local variable `x` is assigned to\n --> src/a.py:3:5\n", Kind.DEAD_CODE),
        ("./a.py:10:80: E501 line too long (88 > 79 characters)", Kind.FORMATTING),
        ("Would reformat: src/a.py", Kind.FORMATTING),
        ('a.py:3: error: Name "x" is not defined  [name-defined]', Kind.TYPE_ERROR),
        ('a.py:3:1: error: Cannot find module named "x"  [import-not-found]', Kind.IMPORT_ERROR),
        ("  /repo/a.py:3:5 - error: Operator + not supported (reportOperatorIssue)", Kind.TYPE_ERROR),
        (">> Issue: [B602:subprocess_popen_with_shell_equals_true]", Kind.SECURITY),
        ("FAILED tests/test_a.py::test_b - assert 1 == 2", Kind.TEST_FAILURE),
        ("src/a.py:9:5: C901 `f` is too complex", Kind.COMPLEXITY),
        ("src/a.py:1:1: D100 Missing docstring in public module", Kind.DOCUMENTATION),
        (
            "Traceback (most recent call last):\n  File 'a.py'\n    import x\nModuleNotFoundError: x\n",
            Kind.IMPORT_ERROR,
        ),
        (
            "Traceback (most recent call last):\n  File 'a.py', line 1\n    f()\nx.FormatError: no\n",
            Kind.GENERAL,
        ),
    ],
)
def test_pasted_findings_speak_for_their_kind(pasted: str, kind: Kind) -> None:
    guess = kind_of(issue("It does not work", f"I see:\n```\n{pasted}\n```\n"))
    assert guess == KindGuess(kind=kind, confidence=0.85, reasons=(f"pasted findings of {kind.value}: 1",))


def test_of_several_pasted_kinds_the_commonest_is_taken_and_all_are_told() -> None:
    body = "a.py:1:1: F401 x\na.py:2:1: F401 y\nb.py:1:1: W291 z\n"
    assert kind_of(issue("Lint", body)) == KindGuess(
        kind=Kind.IMPORT_ERROR,
        confidence=0.57,
        reasons=("pasted findings of IMPORT_ERROR: 2", "pasted findings of FORMATTING: 1"),
    )


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("format", Kind.FORMATTING),
        ("I001", Kind.FORMATTING),
        ("E402", Kind.IMPORT_ERROR),
        ("E722", Kind.GENERAL),
        ("ERA001", Kind.DEAD_CODE),
        ("SIM105", Kind.COMPLEXITY),
        ("S101", Kind.SECURITY),
        ("SLF001", Kind.GENERAL),
        ("D100", Kind.DOCUMENTATION),
        ("DTZ001", Kind.GENERAL),
        ("PT006", Kind.TEST_ORGANIZATION),
        ("PTH100", Kind.GENERAL),
        ("PLR0911", Kind.COMPLEXITY),
        ("F501", Kind.GENERAL),
        ("invalid-syntax", Kind.GENERAL),
        ("", Kind.GENERAL),
    ],
)
def test_a_code_belongs_to_the_kind_of_its_longest_known_prefix_and_never_to_another_family(
    code: str, kind: Kind
) -> None:
    assert kind_of_code(code) is kind


def test_pylints_codes_are_not_taken_for_ruffs() -> None:
    assert kind_of(issue("Lost", "a.py:1:0: E1101: Instance of 'A' has no 'b' member")).kind is Kind.GENERAL


def test_a_long_text_without_a_blank_is_read_in_no_time() -> None:
    long = "a." * 40_000
    long += "\n" * 40_000
    assert kind_of(issue("Sort imports", f"{long}\n```\n{long}/\n~~~\n{long}")).kind is Kind.FORMATTING


@given(st.text(), st.text())
def test_any_text_has_a_kind_with_a_confidence_and_a_reason(title: str, body: str) -> None:
    guess = kind_of(issue(title, body))
    assert 0 < guess.confidence <= 1
    assert guess.reasons
