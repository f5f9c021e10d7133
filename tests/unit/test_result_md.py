"""The file beside an issue that says what came of it."""

from dataclasses import replace
from pathlib import Path

from sparky.adapters.result_file import result_path
from sparky.domain.attempt import Stage, Verdict
from sparky.domain.issue import Source
from sparky.domain.result import result_of
from sparky.domain.state import End, Outcome
from sparky.issues.result_md import render
from tests.builders import CONTEXT, ISSUE, changed, routed, sha, state_of, visited

TOP = Path("/home/ada/desk")


def test_it_says_how_the_run_stands_where_its_work_is_and_what_is_next() -> None:
    one = sha("1")
    verify = replace(visited(Stage.VERIFY, to=one), files_modified=("a.py",), items=("a.py:1 F401\nunused",))
    work = (routed(("ada",)), replace(changed("ada", one), cost_usd=0.25, tokens=1200))
    rest = (visited(Stage.REVIEW), visited(Stage.TEST, Verdict.PASS, to=one), verify)
    end = End(outcome=Outcome.READY, reason="all is verified", manual_steps=("then: sparky merge 7",))
    assert render(result_of(state_of(*work, *rest).ended(end)), CONTEXT) == (
        "# Result: Tidy the report\n"
        "\n"
        "- **Outcome:** ready\n"
        "- **Why:** all is verified\n"
        "- **Run:** `7-0a1b2c3d-1`\n"
        "- **Repository:** /home/ada/shop\n"
        "- **Target:** main\n"
        "- **Branch:** `sparky/7-tidy-the-report-0a1b2c3d-1`\n"
        f"- **Commit:** `{one}`\n"
        f"- **Base:** `{CONTEXT.base}`\n"
        "- **Tests:** no worse than at base\n"
        "- **Cost:** 0.25 USD, 1200 tokens\n"
        "\n## Changed\n\n- a.py\n"
        "\n## Left\n\n- a.py:1 F401 unused\n"
        "\n## Next\n\n- then: sparky merge 7\n"
        "\nWritten by sparky; the next segment of the run replaces it.\n"
    )


def test_it_lies_beside_the_issue_and_one_of_a_list_has_its_id_in_its_name() -> None:
    assert result_path(TOP, ISSUE) == ""
    assert result_path(TOP, replace(ISSUE, path="issues/012-leak.md")) == (
        "/home/ada/desk/issues/012-leak.result.md"
    )
    listed = replace(ISSUE, id="J 7", path="/tmp/list.json", source=Source.JSON)
    assert result_path(TOP, listed) == "/tmp/list.j-7.result.md"
