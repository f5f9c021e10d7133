"""SECURITY: calls that can be rewritten with equal behaviour."""

from sparky.agents.example import example
from sparky.agents.specialist import by_rules
from sparky.domain.agent import Agent, Role, ToolFix
from sparky.domain.issue import Kind, Source

SECURITY = Agent(
    name="security",
    role=Role.CODER,
    kinds=(Kind.SECURITY,),
    description="Rewrites yaml.load, hashes, commands and files where that changes nothing.",
    works=ToolFix(
        tools=("rewrite",),
        rules=("S306", "S324", "S506", "S602"),
    ),
    bid=by_rules(
        mends=(
            *(r"yaml\.load", "S306", "S324", "S506", "usedforsecurity", "mktemp"),
            *("(?:insecure|weak) hash(?:es|ing)?", "unsafe yaml"),
        ),
        declines=(
            *("passwords?", "secrets?", "credentials?", "tokens?", "injection", "traversal"),
            *("xss", "csrf", r"CVE-\d+-\d+", "pickle", "shell=True", "eval", r"auth\w*"),
        ),
        tools="ruff and sparky's own rewrites",
    ),
    takes=(
        example("Unsafe yaml.load in config.py", Kind.SECURITY),
        example("bandit: use of weak hash md5 in cache keys", Kind.SECURITY),
        example("3 SECURITY findings", Kind.SECURITY, source=Source.FINDINGS),
    ),
    declines=(
        example("SQL injection in the search form", Kind.SECURITY),
        example("Hard-coded password in settings.py", Kind.SECURITY),
    ),
)
