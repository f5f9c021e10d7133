"""`sparky transcripts`: its own verbs, each loaded when it is called."""

from collections.abc import Mapping

import click

from sparky.cli.table import load

MODULES: Mapping[str, tuple[str, str]] = {
    "list": ("look", "List sessions: where, since when, how they ended, what was said."),
    "tree": ("look", "Show sessions with their sub-agents, and how each of them ended."),
    "feedback": ("said", "Show what persons said: corrections, refusals, answers, stops."),
    "show": ("said", "Show one session as a conversation."),
    "cost": ("cost", "Show tokens and what they cost, by session, agent and model."),
    "learn": ("learn", "Propose lines for AGENTS.md from what was said in several sessions."),
}


class _Verbs(click.Group):
    """A group whose commands are in several modules, since some of them need large libraries."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in MODULES:
            return None
        found: click.Command = getattr(load(f"transcripts_{MODULES[cmd_name][0]}"), f"verb_{cmd_name}")
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Verbs"):
            formatter.write_dl([(name, words) for name, (_, words) in MODULES.items()])


@click.group("transcripts", cls=_Verbs)
def command() -> None:
    """What persons told coding agents, found in the transcripts that these leave behind.

    Secrets and e-mail addresses are taken out of all that is shown, unless --raw is given. The transcripts
    themselves are only read.
    """
