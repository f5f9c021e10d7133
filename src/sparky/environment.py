"""The process environment as sparky uses it, read here and nowhere else."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_INDEX_KEYS = (
    "UV_",
    "PIP_",
    "npm_config_registry",
    "GOPROXY",
    "CARGO_REGISTRIES_",
    "SSL_CERT_",
    "REQUESTS_CA_",
    "CURL_CA_",
)
_MODEL_KEYS = ("ANTHROPIC_", "OPENAI_", "CODEX_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "GEMINI_API_KEY")
_PROXY_KEYS = {"http_proxy", "https_proxy", "no_proxy", "all_proxy"}


@dataclass(frozen=True, kw_only=True)
class Environment:
    """The parts of the process environment that sparky uses.

    `state` and `cache` are sparky's own directories; `collector` is where traces go, "": nowhere. `base` is
    what every process it starts gets (PATH, LANG, HOME); `index` what package installers need to reach their
    index; `models` what coding agents need to reach their models; `agents` where they keep what is theirs, by
    the name of the reader of their transcripts.
    """

    home: Path
    state: Path
    cache: Path
    collector: str = ""
    base: Mapping[str, str] = field(default_factory=dict)
    index: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    agents: Mapping[str, Path] = field(default_factory=dict)

    @property
    def database(self) -> Path:
        """The SQLite file that holds runs, claims and DBOS's tables."""
        return self.state / "sparky.db"


def read_environment(env: Mapping[str, str] = os.environ) -> Environment:
    """The environment as sparky sees it; `SPARKY_STATE_DIR` and `SPARKY_CACHE_DIR` win over XDG's."""
    home = Path(env.get("HOME") or Path.home())
    state = env.get("SPARKY_STATE_DIR") or f"{env.get('XDG_STATE_HOME') or home / '.local/state'}/sparky"
    cache = env.get("SPARKY_CACHE_DIR") or f"{env.get('XDG_CACHE_HOME') or home / '.cache'}/sparky"
    collector = env.get("OTEL_EXPORTER_OTLP_ENDPOINT", "")
    base = {key: env[key] for key in ("PATH", "LANG", "HOME") if key in env}
    index = {k: v for k, v in env.items() if k.startswith(_INDEX_KEYS) or k.lower() in _PROXY_KEYS}
    models = {k: v for k, v in env.items() if k.startswith(_MODEL_KEYS)}
    here = Path.cwd()
    agents = {
        "claude": here / (env.get("CLAUDE_CONFIG_DIR") or home / ".claude"),
        "codex": here / (env.get("CODEX_HOME") or home / ".codex"),
        "opencode": here / (env.get("XDG_DATA_HOME") or home / ".local/share") / "opencode",
    }
    return Environment(
        home=home,
        state=here / state,
        cache=here / cache,
        collector=collector,
        base=base,
        index=index,
        models=models,
        agents=agents,
    )
