"""`sparky answer`."""

import click

from sparky.app.build import ports_for
from sparky.app.reply import answer, question_of
from sparky.cli.home import house, run_argument
from sparky.cli.output import as_json, put_json
from sparky.cli.screen import put_question
from sparky.cli.take import exit_code, go_on, put_outcome
from sparky.domain.errors import NeedsPersonError
from sparky.domain.escalation import Choice


@click.command("answer")
@run_argument
@click.argument("choice", required=False, type=click.Choice([choice.value for choice in Choice]))
@click.option("-t", "--text", default="", help="What you want to say with it; the agent reads it.")
@as_json
def command(run: str, choice: str | None, text: str, *, as_json: bool) -> int:
    """Answer what a run asks, and go on with it. Without CHOICE: show the question.

    An answer holds for the commit that was asked about, and for 30 days.
    """
    home = house()
    row = home.find(run)
    state = home.store.state(row.run_id)
    if choice is None:
        question = question_of(row, state)
        put_json(question) if as_json else put_question(row.run_id, question)
        return NeedsPersonError.code
    repository = ports_for(home, state.context, state.preferences).repository
    go_on(home, answer(row, state, Choice(choice), text, repository))
    result = put_outcome(home, row.run_id, as_json=as_json)
    return exit_code(home, result)
