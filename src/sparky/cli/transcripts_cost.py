"""`sparky transcripts cost`."""

from datetime import UTC, datetime
from pathlib import Path

import click
from rich.table import Table

from sparky.cli.output import as_json, put_json, say
from sparky.cli.terminal import out, text
from sparky.cli.transcripts_options import library, note_oddities, wanted, which
from sparky.transcripts.cost import PRICES, Account, Bill, accounts, differs, total
from sparky.transcripts.feedback import moment


@click.command("cost")
@which
@as_json
def verb_cost(project: Path | None, session: str, since: float, *, as_json: bool) -> None:
    """Show tokens and what they cost, by session, agent and model; each message counts once.

    Where an agent counts for itself, a difference of more than 1 % to its figure is shown.
    """
    found = library()
    lines = {line.session: line for line in found.sessions(wanted(project, session, since))}
    began = {name: datetime.fromtimestamp(moment(line.started), UTC) for name, line in lines.items()}
    spent = accounts(found.spent(wanted(project, session, since)), began)
    every = total(bill for account in spent for bill in account.bills)
    compared = _compared(spent, found.own_costs())
    note_oddities(found)
    if as_json:
        put_json({"prices": PRICES, "total": every, "accounts": spent, "compared": compared})
        return
    _put(spent, every)
    for one in compared:
        if one["differs"]:
            ours = one["cost_usd"]
            shown = "no price" if ours is None else f"${ours:.4f}"
            say(f"{one['session']}: the agent itself counts ${one['own_usd']:.4f}, the transcripts {shown}")
    say(f"prices: {PRICES}")


def _compared(spent: tuple[Account, ...], own: dict[str, float]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for session in dict.fromkeys(account.session for account in spent):
        if session in own:
            ours = total(bill for a in spent if a.session == session for bill in a.bills).cost_usd
            apart = differs(ours, own[session])
            found.append({"session": session, "cost_usd": ours, "own_usd": own[session], "differs": apart})
    return found


def _put(spent: tuple[Account, ...], every: Bill) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("WHO", "MODEL", "MESSAGES", "INPUT", "OUTPUT", "CACHE WRITE", "CACHE READ", "USD"):
        table.add_column(name, overflow="fold", justify="left" if name in {"WHO", "MODEL"} else "right")
    for account in spent:
        who = "/".join((account.session[:8], *account.agents))
        for bill in account.bills:
            table.add_row(*_cells(who, bill))
    table.add_row(*_cells("total", every), style="bold")
    out().print(table)


def _cells(who: str, bill: Bill) -> tuple[str, ...]:
    numbers = (bill.messages, bill.input, bill.output, bill.cache_write, bill.cache_read)
    cost = "no price" if bill.cost_usd is None else f"{bill.cost_usd:.4f}"
    return (text(who), text(bill.model), *(str(number) for number in numbers), cost)
