"""What the tokens of transcripts cost, by the list of genai-prices."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

import genai_prices

from sparky.transcripts.model import Usage

PRICES = f"genai-prices {genai_prices.__version__}"
"""The price list, by the version that it comes with; it carries no date of its own."""

TOLERANCE = 0.01
"""The difference to an agent's own total from which on it is shown."""

_LONG = 128_000
"""Tokens of a prompt up to which every price is linear: longer ones are priced one by one."""

Owner = tuple[str, tuple[str, ...]]
"""Whose tokens they are: the session, and the agents on the way down, none for the session itself."""


@dataclass(frozen=True, kw_only=True)
class Bill:
    """Tokens of one model. `input` are those that no cache served; `cost_usd` is None without a price."""

    model: str
    messages: int = 0
    input: int = 0
    output: int = 0
    cache_write: int = 0
    cache_read: int = 0
    cost_usd: float | None = 0.0


@dataclass(frozen=True, kw_only=True)
class Account:
    """What a session or an agent spent, by model."""

    session: str
    agents: tuple[str, ...]
    bills: tuple[Bill, ...]


def price(spent: Usage, when: datetime | None, messages: int = 1) -> float | None:
    """What messages cost together, in USD, at the prices of their time; None if the model has no price.

    Of several messages `spent` is the sum: their mean is priced, so that a long sum is no long message.
    """
    tokens = genai_prices.Usage(
        input_tokens=(spent.input + spent.cache_write + spent.cache_read) / messages,
        output_tokens=spent.output / messages,
        cache_write_tokens=spent.cache_write / messages,
        cache_write_1h_tokens=min(spent.cache_write_1h, spent.cache_write) / messages,
        cache_read_tokens=spent.cache_read / messages,
    )
    try:
        found = genai_prices.calc_price(tokens, spent.model, genai_request_timestamp=when)
    except (LookupError, ValueError):
        return None
    return float(found.total_price) * messages


def bills(spent: Iterable[Usage], when: datetime | None) -> tuple[Bill, ...]:
    """What the messages cost, by model, in the order of the models' names."""
    models: dict[str, list[Usage]] = {}
    for one in spent:
        models.setdefault(one.model, []).append(one)
    return tuple(_bill(model, mine, when) for model, mine in sorted(models.items()))


def _bill(model: str, spent: list[Usage], when: datetime | None) -> Bill:
    short = [one for one in spent if one.input + one.cache_write + one.cache_read <= _LONG]
    costs = [price(one, when) for one in spent if one.input + one.cache_write + one.cache_read > _LONG]
    if short:
        costs.append(price(_sum(model, short), when, len(short)))
    every = _sum(model, spent)
    return Bill(
        model=model,
        messages=len(spent),
        input=every.input,
        output=every.output,
        cache_write=every.cache_write,
        cache_read=every.cache_read,
        cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def _sum(model: str, spent: list[Usage]) -> Usage:
    return Usage("", model, *(sum(column) for column in zip(*(one[2:] for one in spent), strict=True)))


def accounts(spent: Mapping[Owner, list[Usage]], when: Mapping[str, datetime]) -> tuple[Account, ...]:
    """What each session and each agent spent; `when` says the time of a session."""
    return tuple(
        Account(session=session, agents=agents, bills=bills(mine, when.get(session)))
        for (session, agents), mine in spent.items()
    )


def total(found: Iterable[Bill]) -> Bill:
    """All bills as one; its cost counts what has a price, and is None if nothing has."""
    every = list(found)
    costs = [bill.cost_usd for bill in every if bill.cost_usd is not None]
    return Bill(
        model="all",
        messages=sum(bill.messages for bill in every),
        input=sum(bill.input for bill in every),
        output=sum(bill.output for bill in every),
        cache_write=sum(bill.cache_write for bill in every),
        cache_read=sum(bill.cache_read for bill in every),
        cost_usd=sum(costs) if costs or not every else None,
    )


def differs(ours: float | None, own: float) -> bool:
    """Whether our figure and the agent's own are more than a hundredth apart."""
    return ours is None or abs(ours - own) > TOLERANCE * max(abs(own), 1e-9)
