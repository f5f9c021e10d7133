"""`sparky init`."""

from pathlib import Path

import click

from sparky.cli.options import named_repository, repository
from sparky.cli.output import as_json, put_json
from sparky.config import FILE
from sparky.domain.errors import UsageError

TEMPLATE = """\
# sparky's settings for this repository. Every key may be left out; what stands here are the defaults.
# For completion in an editor: `sparky schema > sparky.schema.json`, and `#:schema ./sparky.schema.json` here.

# "ask": a verified change waits for `sparky merge`. "auto": what bears no risk is merged by the run itself.
merge = "ask"

# The command that runs the tests; found by sparky if it is left out.
# test_command = "pytest -q"

# Where that command writes its report (JUnit XML, or the JSON of jest or vitest); * stands for any part.
# test_report = "build/reports/*.xml"

# What is run before it, with the network, to fetch what the tests need where they are not Python's.
# test_setup = "npm ci"

# Limits, in seconds.
test_timeout_s = 900
session_timeout_s = 1800

# What one run may cost before it asks you; no limit where nothing is said.
# budget_usd = 5.0
# budget_tokens = 2_000_000
# budget_minutes = 120
# budget_turns = 300

# The same for one session, which is stopped there, and for all of the repository's in a day (UTC).
# attempt_budget = { usd = 1.0, tokens = 500_000, minutes = 20, turns = 80 }
# day_budget = { usd = 20.0 }

# Foreign code (tests, builds, agents) runs in a sandbox. false is shown on every result.
sandbox = true

# What every change has to keep to; agents are told, beside what the issue says.
constraints = []

# Further directories with issue files, beside issues/, .issues/, docs/issues/ and .github/issues/.
issues = []

# A script of sessions for the scripted runner, named from the repository's top; the same as --script.
# script = "session.toml"

# The coding agent that sessions are had with, and who stands in while its model takes no more requests.
# runner = "claude"
# fallback_runner = "codex"
# model = "opus"

# Hand what `sparky fix` can't mend by rules on to that coding agent, which costs: a session for each kind.
hand_on = false

# How confident an agent's bid must be, from 0 to 1, for the agent to be chosen, and to be a fallback.
bid_chosen = 0.5
bid_fallback = 0.3

# Write each run's result beside its issue file, as NAME.result.md.
write_results = false

# Other repositories that issues may name, as paths from here or URLs.
# sisters = { shop = "../shop" }
"""


@click.command("init")
@repository
@click.option("--force", is_flag=True, help="Replace a sparky.toml that is there.")
@as_json
def command(repo: Path, *, force: bool, as_json: bool) -> None:
    """Write a sparky.toml with every setting and its default. Nothing else of the repository is touched."""
    found = named_repository(repo)
    path = found.top / FILE
    if path.exists() and not force:
        raise UsageError(f"{path} exists already; --force replaces it")
    path.write_text(TEMPLATE, encoding="utf-8")
    if as_json:
        put_json({"path": str(path)})
    else:
        click.echo(f"wrote {path}; next: `sparky scan`, then `sparky fix`")
