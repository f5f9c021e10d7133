"""The issue files of a repository: found by number, name or path, and read."""

import os
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePath

from sparky.domain.issue import Issue, Severity
from sparky.domain.reference import (
    AmbiguousIssueError,
    IssueError,
    IssueNotFoundError,
    UnreadableIssueError,
    issue_number,
    number_in_name,
    number_order,
)
from sparky.issues.markdown import Parsed, parse, sentence_issue
from sparky.issues.result_md import RESULT_SUFFIX

FOLDERS = (Path("issues"), Path(".issues"), Path("docs/issues"), Path(".github/issues"))
_SUFFIXES = frozenset({".md", ".markdown"})
_NO_ISSUES = frozenset({"readme", "template", "index"})
_LARGEST = 1_000_000  # bytes; a report of a tool is no issue, and what is read goes into the state of the run
_URGENT_FIRST = tuple(reversed(Severity))


@dataclass(frozen=True, kw_only=True)
class MarkdownTracker:
    """The issue files in `FOLDERS` under `root` and in the `extra` folders (not in folders below these).

    `repository` is the name that keys are made with; paths in references are relative to `cwd` (None: the
    process's), then to `root`.
    """

    root: Path
    repository: str
    extra: tuple[Path, ...] = ()
    cwd: Path | None = None

    def find(self, reference: str) -> Issue:
        """The issue a reference means: see `read`."""
        return self.read(reference).issue

    def read(self, reference: str) -> Parsed:
        """The issue a reference means, with warnings about its text.

        A reference is a number ("7", "#007", "issue 7a"), the path or name of a Markdown file, or a sentence.
        Raises `IssueNotFoundError`, `AmbiguousIssueError` or `UnreadableIssueError`; all are `IssueError`.
        """
        text = os.fsencode(reference).decode("utf-8", "backslashreplace").strip()
        if not text:
            raise IssueNotFoundError("no issue named: give a number, a Markdown file, or a sentence")
        number = issue_number(text)
        if number is not None:
            return self._load(self._one(text, [f for f in self._files() if number in self._numbers(f)]))
        if (named := self._named(text)) is not None:
            return self._load(named)
        if any(char.isspace() for char in text) and not self._means_a_path(text):
            return Parsed(issue=sentence_issue(text, repository=self.repository))
        raise self._not_found(text)

    def issues(self) -> tuple[Issue, ...]:
        """All issues that can be read, of any status: most severe first, then by number, then by name."""
        read = (parsed.issue for parsed in self._all() if isinstance(parsed, Parsed))
        return tuple(sorted(read, key=_order))

    def problems(self) -> tuple[str, ...]:
        """For a person: why files are not among `issues()`, and what in the others could not be used."""
        return tuple(line for parsed in self._all() for line in _lines(parsed))

    def _all(self) -> list[Parsed | IssueError]:
        return [self._try(file) for file in self._files()]

    def _try(self, file: Path) -> Parsed | IssueError:
        try:
            return self._load(file)
        except IssueError as error:
            return error

    def _numbers(self, file: Path) -> set[str]:
        parsed = self._try(file)
        names = (number_in_name(file.stem) or "", parsed.issue.id if isinstance(parsed, Parsed) else "")
        return {number for name in names if (number := issue_number(name)) is not None}

    def _folders(self) -> list[Path]:
        return [folder for name in (*FOLDERS, *self.extra) if (folder := self.root / name).is_dir()]

    def _files(self) -> list[Path]:
        """The issue files, each once, in the order of the folders and of their names."""
        files: dict[Path, Path] = {}
        for folder in self._folders():
            try:
                entries = sorted(folder.iterdir())
            except OSError as error:
                raise UnreadableIssueError(f"cannot list {self._shown(folder)}: {error.strerror}") from error
            for file in entries:
                if _is_issue(PurePath(file.name.lower())):
                    files.setdefault(file.resolve(), file)
        return list(files.values())

    def _named(self, text: str) -> Path | None:
        """What exists under that path; or the one issue file of that name, with or without its suffix."""
        bases = (self.cwd or Path.cwd(), self.root)
        there = next((base / text for base in bases if os.path.lexists(base / text)), None)
        name = text.removeprefix("#")
        if there is not None:
            return there
        matches = [file for file in self._files() if name in {file.name, file.stem}]
        return self._one(text, matches) if matches else None

    def _means_a_path(self, text: str) -> bool:
        """Whether words that end in `.md` are a path: "issues/my file.md" is, "Mend README.md" is not."""
        folder, _, name = text.rpartition("/")
        is_folder = any(os.path.lexists(base / folder) for base in (self.cwd or Path.cwd(), self.root))
        return bool(folder) and Path(name).suffix.lower() in _SUFFIXES and is_folder

    def _one(self, text: str, matches: list[Path]) -> Path:
        if not matches:
            raise self._not_found(text)
        if len(matches) > 1:
            names = ", ".join(self._shown(file) for file in matches)
            raise AmbiguousIssueError(f"{text} means {len(matches)} files: {names}. Give the path of one.")
        return matches[0]

    def _load(self, file: Path) -> Parsed:
        shown = self._shown(file)
        try:
            text = self._text(file, shown)
        except OSError as error:
            raise UnreadableIssueError(f"cannot read {shown}: {error.strerror}") from error
        return parse(text, path=shown, repository=self.repository)

    def _text(self, file: Path, shown: str) -> str:
        if file.is_dir():
            raise UnreadableIssueError(f"{shown} is a directory: name one file in it")
        if file.suffix.lower() not in _SUFFIXES:
            raise UnreadableIssueError(f"{shown} is no Markdown file: an issue file ends in .md")
        target = file.resolve()
        if file.is_symlink() and not target.is_relative_to(self.root.resolve()):
            raise UnreadableIssueError(f"{shown} is a link that leads out of the repository, to {target}")
        if not file.is_file():
            raise UnreadableIssueError(f"{shown} is no plain file (a pipe, a device, a broken link)")
        size = file.stat().st_size
        if size > _LARGEST:
            raise UnreadableIssueError(f"{shown} is too large: {size} bytes; an issue has at most {_LARGEST}")
        return _decoded(file.read_bytes(), shown)

    def _shown(self, file: Path) -> str:
        """The path from the root, or the absolute path of what is not below it; always valid text."""
        path, root = file.parent.resolve() / file.name, self.root.resolve()
        name = path.relative_to(root) if path.is_relative_to(root) else path
        return os.fsencode(name).decode("utf-8", "backslashreplace")

    def _not_found(self, text: str) -> IssueNotFoundError:
        folders, files = self._folders(), self._files()
        if not folders:
            looked = f"{self.root} has none of the folders {', '.join(map(str, FOLDERS))}"
        else:
            looked = f"looked in {', '.join(map(self._shown, folders))} of {self.root} ({len(files)} files)"
        names = {name.lower(): f for f in files for name in (f.stem, f.name, *self._numbers(f))}
        wanted = Path(issue_number(text) or text).name.lower()
        near = dict.fromkeys(self._shown(names[name]) for name in get_close_matches(wanted, names, n=3))
        nearest = f"Nearest: {', '.join(near)}." if near else "A sentence of several words is an issue, too."
        return IssueNotFoundError(f"no issue file for {text[:200]!r}: {looked}. {nearest}")


def _is_issue(name: PurePath) -> bool:
    is_result = name.name.endswith(RESULT_SUFFIX)
    return name.suffix in _SUFFIXES and name.stem not in _NO_ISSUES and not is_result


def _decoded(data: bytes, shown: str) -> str:
    if (nul := data.find(b"\0")) >= 0:
        raise UnreadableIssueError(f"{shown} is no text: it has a NUL at byte {nul}. Save it as UTF-8.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableIssueError(
            f"{shown} is not UTF-8 at byte {error.start}. Save it as UTF-8."
        ) from error
    if not text.strip():
        raise UnreadableIssueError(f"{shown} is empty")
    return text


def _order(issue: Issue) -> tuple[int, bool, tuple[int, str, str], str]:
    number = issue_number(issue.id)
    return _URGENT_FIRST.index(issue.severity), number is None, number_order(number or "0"), issue.id


def _lines(parsed: Parsed | IssueError) -> list[str]:
    if isinstance(parsed, IssueError):
        return [str(parsed)]
    return [f"{parsed.issue.path}: {warning}" for warning in parsed.warnings]
