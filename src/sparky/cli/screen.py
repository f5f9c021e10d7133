"""How runs look on a terminal. Decides nothing: it is handed views."""

from sparky.cli.terminal import out, text
from sparky.domain.agent import Route
from sparky.domain.attempt import Verdict
from sparky.domain.escalation import Escalation
from sparky.domain.result import Result
from sparky.domain.state import Outcome
from sparky.views import Story, StoryStep, bid_line, briefing_lines

_COLOUR = {Verdict.PASS: "green", Verdict.REVISE: "yellow", Verdict.ESCALATE: "red", Verdict.SKIP: "cyan"}
_SHOWN = 12


def put_story(story: Story) -> None:
    """A run on one screen."""
    console = out()
    state = story.result.outcome.value if story.result.outcome else story.life.value
    console.print(f"[bold]{text(story.title)}[/]  {story.run_id}  [bold]{state}[/]")
    console.print(f"  in {text(story.repo_path)} onto {story.target or 'a detached HEAD'}", style="dim")
    for run in story.earlier:
        console.print(f"  earlier {run.run_id} {run.outcome.value}: {text(run.reason)}", style="dim")
    for route in story.routes:
        _put_route(route)
    if story.steps:
        console.print()
    for step in story.steps:
        _put_step(step)
    for answer in story.answers:
        said = f"{answer.choice.value}: {answer.text}" if answer.text else answer.choice.value
        console.print(f"answered  {text(said)}  [dim]{answer.at}[/]")
    console.print()
    put_result(story.result)
    if story.question is not None:
        console.print()
        put_question(story.run_id, story.question)


def _put_route(route: Route) -> None:
    console = out()
    console.print(f"\n[bold]{route.kind.value}[/] goes to {route.agent or 'nobody'}")
    for bid in route.bids:
        console.print(f"  {text(bid_line(bid, route))}", style="dim")
    for left in route.left_out:
        console.print(f"  left out: {text(left)}", style="yellow")


def _put_step(step: StoryStep) -> None:
    """One attempt: what it came to, what its gates refused, the commands that show it."""
    console = out()
    colour = _COLOUR[step.verdict]
    by = "" if step.agent == "sparky" else f" by {step.agent}"
    console.print(
        f"[{colour}]{step.verdict.value:8}[/] {step.stage} {step.number}{by}  {text(step.reason)}"
        f"  [dim]{step.seconds:.1f} s[/]"
    )
    if step.turn is not None:
        console.print(f"           whose turn: {text(step.turn)}", style="dim")
    for line in briefing_lines(step.briefing) if step.briefing else ():
        console.print(f"           {text(line)}", style="dim")
    for gate in step.gates:
        if gate.verdict is not Verdict.PASS:
            console.print(f"           gate {gate.gate}: {text(gate.reason)}", style="yellow")
    for command, evidence in zip(step.commands, step.evidence, strict=True):
        at = f"at {evidence.sha[:10]}: {evidence.note}"
        console.print(f"           $ {text(command)}  [dim]{text(at)}[/]")


def put_result(result: Result) -> None:
    """How a run ended, and what a person does next."""
    console = out()
    done = result.work_completed
    outcome = result.outcome.value if result.outcome else "running"
    console.print(f"[bold]{outcome}[/]: {text(result.reason)}")
    if done.lines_changed:
        files = len(done.files_modified) + len(done.files_created) + len(done.files_deleted)
        fixed = f", {done.findings_fixed} finding(s) gone" if done.findings_fixed else ""
        console.print(f"  changed   {files} file(s), {done.lines_changed} line(s){fixed}")
        tests = {None: "not run", True: "no worse than at base", False: "worse than at base"}
        console.print(f"  tests     {tests[done.tests_passed]}")
        if result.outcome is Outcome.MERGED:  # its branch is gone
            console.print(f"  commit    {result.commit[:12]}")
        else:
            console.print(f"  branch    {text(result.branch)} at {result.commit[:12]}")
    console.print(f"  sandbox   {result.sandbox}")
    for note in result.notes:
        console.print(f"  note      {text(note)}")
    put_rest(result.issues_remaining)
    for kept in result.partial_fixes:
        console.print(f"  kept      {text(kept)}")
    for step in result.manual_steps_needed:
        console.print(f"  [bold]next[/]      {text(step)}")


def put_question(run: str, question: Escalation) -> None:
    """What a run asks, and how to answer it."""
    console = out()
    console.print(f"[bold]{text(question.question)}[/]")
    console.print(f"  why       {text(question.reason)}")
    for line in question.evidence:
        console.print(f"  seen      {text(line)}")
    for option in question.options:
        mark = " (recommended)" if option.choice is question.default else ""
        console.print(f"  answer    sparky answer {run} {option.choice.value}{mark}: {text(option.says)}")


def put_rest(rest: tuple[str, ...]) -> None:
    """The first lines of what stays."""
    console = out()
    for item in rest[:_SHOWN]:
        console.print(f"  left      {text(item)}")
    if len(rest) > _SHOWN:
        console.print(f"  left      … and {len(rest) - _SHOWN} more (all of them with --json)")
