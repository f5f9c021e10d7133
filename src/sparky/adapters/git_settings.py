"""What git is told in every call, so that no configuration makes it start a program or change a byte."""

ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
}
"""In place of what the person's environment says; LC_ALL since errors are told apart by English words."""

QUIET = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.editor": "true",
    "core.askPass": "false",
    "core.quotePath": "false",
    "commit.gpgSign": "false",
    "tag.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
    "diff.suppressBlankEmpty": "false",
    "diff.orderFile": "/dev/null",
    "diff.renameLimit": "1000",
}
"""Holds in every call: git starts nothing, asks nothing, and says the same on every machine."""

EXACT = {
    "core.autocrlf": "false",
    "core.safecrlf": "false",
    "core.eol": "lf",
    "core.attributesFile": "/dev/null",
    "core.fileMode": "true",
    "core.symlinks": "true",
    "core.ignoreCase": "false",
    "core.sparseCheckout": "false",
    "core.splitIndex": "false",
    "core.untrackedCache": "false",
    "core.ignoreStat": "false",
    "core.trustctime": "true",
    "core.checkStat": "default",
    "index.sparse": "false",
    "i18n.commitEncoding": "UTF-8",
    "i18n.logOutputEncoding": "UTF-8",
    "protocol.allow": "never",
}
"""Holds in sparky's own directories: whole trees, byte for byte, whatever the person's configuration says."""

DRIVER_OFF = {
    "filter": {"clean": "", "smudge": "", "process": "", "required": "false"},
    "merge": {"driver": "false"},
}
"""An empty filter passes bytes through; a merge driver that fails leaves a conflict, never a guess."""

NOWHERE = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1"}
"""The environment in which the person's global and system configuration is not read."""

IDENTITY = {
    "GIT_AUTHOR_NAME": "sparky",
    "GIT_AUTHOR_EMAIL": "sparky@localhost",
    "GIT_COMMITTER_NAME": "sparky",
    "GIT_COMMITTER_EMAIL": "sparky@localhost",
}
"""Who sparky's commits and reflog entries are by."""
