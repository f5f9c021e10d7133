"""Secrets and e-mail addresses in words that leave the transcripts. The one place that knows detect-secrets.

Its rules name what is found; what they leave of it (a token's tail, a key's body) our own rules cover.
"""

import re
from collections.abc import Iterator

from detect_secrets.plugins.artifactory import ArtifactoryDetector
from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.basic_auth import BasicAuthDetector
from detect_secrets.plugins.cloudant import CloudantDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.ibm_cloud_iam import IbmCloudIamDetector
from detect_secrets.plugins.ibm_cos_hmac import IbmCosHmacDetector
from detect_secrets.plugins.keyword import KeywordDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.npm import NpmDetector
from detect_secrets.plugins.openai import OpenAIDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.softlayer import SoftlayerDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

_DETECTORS: tuple[type[RegexBasedDetector], ...] = (
    ArtifactoryDetector,
    AWSKeyDetector,
    AzureStorageKeyDetector,
    BasicAuthDetector,
    CloudantDetector,
    DiscordBotTokenDetector,
    GitHubTokenDetector,
    GitLabTokenDetector,
    IbmCloudIamDetector,
    IbmCosHmacDetector,
    MailchimpDetector,
    NpmDetector,
    OpenAIDetector,
    PypiTokenDetector,
    SendGridDetector,
    SlackDetector,
    SoftlayerDetector,
    SquareOAuthDetector,
    StripeDetector,
    TelegramBotTokenDetector,
    TwilioKeyDetector,
)

_OWN = (
    ("private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
    ("JSON Web Token", r"\beyJ[\w-]{8,}\.[\w-]{8,}\.?[\w-]*"),
    ("API key", r"\bsk-[A-Za-z0-9_-]{16,}"),
    ("GitHub token", r"\bgithub_pat_\w{22,}|\bgh[opsur]_\w{36,}"),
    ("Google API key", r"\bAIza[\w-]{35}"),
    ("bearer token", r"(?i)\bbearer\s+[\w.~+/=-]{16,}"),
    ("credentials", r"(?<=://)[^\s/@:]+:[^\s/@]+(?=@)"),
)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")

_RULES = [(name, re.compile(pattern, re.DOTALL)) for name, pattern in _OWN] + [
    (str(detector.secret_type), pattern) for detector in _DETECTORS for pattern in detector().denylist
]
_SECRET = 4
"""Characters of an assigned word from which on it may be a secret."""
_KEYWORDS = KeywordDetector()


def redact(text: str) -> str:
    """The text with each secret replaced by its sort, and each e-mail address by `[e-mail]`."""
    for name, pattern in _RULES:
        text = pattern.sub(f"[redacted: {name}]", text)
    for secret in sorted(set(_assigned(text)), key=len, reverse=True):
        text = text.replace(secret, "[redacted: assigned secret]")
    return _MAIL.sub("[e-mail]", text)


def _assigned(text: str) -> Iterator[str]:
    """What is assigned to a word like `password`, as far as it is no placeholder."""
    for line in text.splitlines():
        if "[redacted" not in line:
            yield from (secret for secret in _KEYWORDS.analyze_string(line) if len(secret) >= _SECRET)
