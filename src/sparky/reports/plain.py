"""Readings of reports, and figures of runs, as JSON shows them."""

from sparky.domain.attempt import Responsibility
from sparky.reports.metrics import Cost, Metric
from sparky.reports.reading import Reading


def reading_view(reading: Reading) -> dict[str, object]:
    """What was understood of a report: its items by owner, each owner there."""
    owners = dict.fromkeys((*_OWNERS, *(item.owner for item in reading.items)))
    return {
        "pipeline_status": reading.pipeline_status,
        "failed_jobs": reading.failed_jobs,
        "failures": reading.failures,
        "items": {owner.value: [i for i in reading.items if i.owner is owner] for owner in owners},
        "merge_decision": reading.merge_decision,
        "unread": reading.unread,
    }


_OWNERS = (
    Responsibility.CODER,
    Responsibility.TESTER,
    Responsibility.REVIEWER,
    Responsibility.DOCUMENTER,
    Responsibility.PERSON,
    Responsibility.ENVIRONMENT,
)


def cost_view(cost: Cost) -> dict[str, object]:
    """What an accepted result costs, in the form of a figure; it has no target."""
    return {
        "name": "cost_per_accepted_result",
        "means": "US dollars of all sessions for each run that was merged",
        "value": cost.usd_each,
        "numerator": cost.usd,
        "denominator": len(cost.accepted),
        "target": None,
        "met": None,
        "runs": cost.accepted,
        "tokens": cost.tokens,
    }


def metric_view(metric: Metric) -> dict[str, object]:
    """A figure, with what it is counted from and whether its target is met (None: nothing was counted)."""
    return {
        "name": metric.name,
        "means": metric.means,
        "value": metric.value,
        "numerator": metric.numerator,
        "denominator": metric.denominator,
        "target": f"{metric.goal.value} {metric.target:g}",
        "met": metric.met,
        "runs": metric.runs,
    }
