import pytest

from sparky.tools.ruff_config import RuffConfig, load

CLASSIFIER = "Programming Language :: Python :: {}"
PROJECT = "[project]\nrequires-python = '{}'\n"


ASSUMED = (
    'lint.isort.extra-standard-library = ["annotationlib", "compression", "graphlib", "tomllib", "zoneinfo"]',
    'target-version = "py37"',
)
"""What ruff is told of a target that declares no Python 3."""


def loaded(**files: str) -> RuffConfig:
    """The configuration of a target with these root files; `__` stands for a dot in a name."""
    named = {name.replace("__", "."): text.encode("latin-1") for name, text in files.items()}
    return load(named.get)


def test_a_target_without_configuration_gets_the_defaults() -> None:
    assert loaded() == RuffConfig(options=ASSUMED)


def test_what_is_valid_is_passed_on_and_what_is_not_is_told() -> None:
    text = """
        [tool.ruff]
        line-length = 100
        exclude = ["généré"]
        target-version = "py36"
        preview = true
        extend = "../ruff.toml"
        [tool.ruff.format]
        quote-style = "single"
        indent-style = "wide"
        [tool.ruff.lint]
        select = ["NOPE"]
        isort.split-on-trailing-comma = false
        unfixable = ["F841", "NOPE"]
    """
    read = {"pyproject.toml": text.encode()}.get
    assert load(read) == RuffConfig(
        options=(
            'exclude = ["généré"]',
            "format.preview = true",
            'format.quote-style = "single"',
            "line-length = 100",
            ASSUMED[0],
            "lint.isort.split-on-trailing-comma = false",
            'lint.unfixable = ["F841"]',
            ASSUMED[1],
        ),
        notes=(
            "ruff's target-version = 'py36' is not valid; the default is used",
            "ruff's format.indent-style = 'wide' is not valid; the default is used",
            "ruff's extend = '../ruff.toml' is not followed",
            "not followed of ruff's configuration: lint.select, preview (of rules)",
        ),
    )


@pytest.mark.parametrize(
    "wrong",
    [
        "line-length = true",
        "line-length = 0",
        "line-length = '88'",
        "exclude = 'a'",
        "exclude = ['a', 1]",
        "format.preview = 1",
        "lint.isort.lines-after-imports = -2",
    ],
)
def test_a_value_of_the_wrong_type_or_size_is_not_passed_on(wrong: str) -> None:
    config = loaded(ruff__toml=wrong)
    assert (config.options, len(config.notes)) == (ASSUMED, 1)


def test_each_option_that_is_not_followed_is_named() -> None:
    said = """
line-length = 99
preview = true
cache-dir = "x"
dummy-variable-rgx = "_"
[per-file-target-version]
"a.py" = "py38"
[isort]
force-single-line = true
[flake8-quotes]
inline-quotes = "single"
[lint]
select = ["ALL"]
ignore = ["F401"]
[lint.per-file-ignores]
"a.py" = ["E501"]
[lint.isort]
known-first-party = ["shop"]
sections = { django = ["django"] }
[format]
preview = true
docstring-code-line-length = 60
"""
    (note,) = loaded(ruff__toml=said).notes
    assert note.split(": ")[0] == "not followed of ruff's configuration"
    assert note.split(": ")[1].split(", ") == [
        "dummy-variable-rgx",
        "flake8-quotes.inline-quotes",
        "format.docstring-code-line-length",
        "lint.isort.sections",
        "lint.select",
        "per-file-target-version",
        "preview (of rules)",
    ]


def test_the_nearest_file_wins_as_it_does_with_ruff() -> None:
    files = {
        "_ruff__toml": "line-length = 81",
        "ruff__toml": "line-length = 82",
        "pyproject__toml": "[tool.ruff]\nline-length = 83",
    }
    read = {
        ".ruff.toml": files["_ruff__toml"].encode(),
        "ruff.toml": files["ruff__toml"].encode(),
        "pyproject.toml": files["pyproject__toml"].encode(),
    }
    widths = []
    while read:
        widths.append(load(dict(read).get).options)
        del read[next(iter(read))]
    assert widths == [(f"line-length = {width}", *ASSUMED) for width in (81, 82, 83)]


def test_ignores_become_exact_codes_of_the_profile_also_from_where_ruff_had_them_before() -> None:
    config = loaded(
        ruff__toml="""
            ignore = ["F4", "E50", "PLW", "PL", "nope", "NOPE9", 7]
            extend-ignore = ["E"]
            [per-file-ignores]
            "tests/*" = ["E501", "S101"]
            "docs/*" = ["D"]
            "bench/*" = ["ALL"]
            "odd.py" = 3
            [lint.extend-per-file-ignores]
            "tests/*" = ["F841"]
        """
    )
    imports = {"F401", "F402", "F403", "F404", "F405", "F406", "F407"}
    layout = {"E401", "E402", "E501", "E701", "E702", "E703", "E713", "E714"}
    assert config.ignored == imports | layout | {"PLR1711"}
    assert (config.options[0], config.options[2]) == ASSUMED
    per_file = config.options[1]
    assert per_file.startswith('lint.per-file-ignores = {"tests/*" = ["E501", "F841"], "docs/*" = ["D200", ')
    assert '"bench/*" = ["C400", ' in per_file


@pytest.mark.parametrize("broken", ["line-length = ", "\xff"])
def test_a_file_that_is_not_toml_means_the_defaults_and_is_told(broken: str) -> None:
    config = loaded(ruff__toml=broken, pyproject__toml="[tool.ruff]\nline-length = 100")
    assert config.options == ASSUMED
    assert [note.split(" (")[0] for note in config.notes] == ["ruff.toml is not valid TOML"]


def test_black_gives_the_width_and_the_quotes_where_ruff_is_not_configured() -> None:
    black = "[tool.black]\nline-length = 99\nskip-string-normalization = true\n"
    assert loaded(pyproject__toml=black).options == (
        'format.quote-style = "preserve"',
        "line-length = 99",
        *ASSUMED,
    )
    assert loaded(pyproject__toml=f"{black}[tool.ruff]\n").options == ASSUMED
    assert loaded(pyproject__toml="tool.black = 1").options == ASSUMED


@pytest.mark.parametrize(
    ("declared", "version"),
    [
        (">=3.9", "py39"),
        (">=3.8,<4", "py38"),
        ("~=3.11", "py311"),
        ("^3.10", "py310"),
        ("==3.12.*", "py312"),
        (">=3.6", "py37"),
        ("==3.8", "py38"),
        (">=3.99", "py315"),
        (">=2.7, !=3.0.*", None),
        ("<4", None),
        ("not a version", None),
        ("", None),
    ],
)
def test_the_lowest_declared_python_is_the_target_version(declared: str, version: str | None) -> None:
    config = loaded(pyproject__toml=PROJECT.format(declared))
    assert config.options == ((f'target-version = "{version}"',) if version else ASSUMED)
    assert config.modern is (version is not None)


@pytest.mark.parametrize(
    "files",
    [
        {"setup__cfg": "[options]\npython_requires = >= 3.8\n"},
        {"setup__py": "setup(\n    name='x',\n    python_requires='>=3.8',\n)\n"},
        {"pyproject__toml": "[tool.poetry.dependencies]\npython = '^3.8'\n"},
        {"setup__py": "setup(name='x', python_requires='>=3.8', py_modules=['m'])\n"},
        {"setup__py": "LOW = '>=3.8'\nsetup(python_requires=LOW, license=(), classifiers=[*more])\n"},
        {"setup__py": f"setup(classifiers=['{CLASSIFIER.format(3)}', '{CLASSIFIER.format(3.8)}'])"},
        {"setup__cfg": f"[metadata]\nclassifiers =\n  {CLASSIFIER.format(3.8)}\n"},
        {"pyproject__toml": f"project.classifiers = ['{CLASSIFIER.format(3.8)}']"},
        {"pyproject__toml": "tool.black.target-version = ['py39', 'py38']"},
        {"pyproject__toml": "tool.mypy.python_version = 3.8"},
        {"pyproject__toml": "[tool.poetry.dependencies]\npython = '~3.8 || ^3.9'\n"},
        {"pyproject__toml": "[tool.poetry.dependencies]\npython = '>=3.8 <4'\n"},
        {"pyproject__toml": "[tool.poetry.dependencies]\npython = '3.8'\n"},
        {"pyproject__toml": PROJECT.format(">=3.8"), "setup__cfg": "python_requires = >=3.9"},
        {"pyproject__toml": PROJECT.format(">=3.9") + "[tool.ruff]\ntarget-version = 'py38'"},
    ],
)
def test_the_version_is_found_wherever_a_project_declares_it(files: dict[str, str]) -> None:
    assert loaded(**files).options == ('target-version = "py38"',)


@pytest.mark.parametrize(
    "files",
    [
        {"setup__py": "setup(python_requires=read('python'))"},
        {"setup__py": "setup(python_requires="},
        {"setup__cfg": "python_requires = >=3.8"},
        {"pyproject__toml": "tool.black.target-version = ['py27', 'py38']"},
        {"pyproject__toml": f"project.classifiers = ['{CLASSIFIER.format(2)}', '{CLASSIFIER.format(3.8)}']"},
        {"pyproject__toml": "[tool.poetry.dependencies]\npython = '~2.7 || ^3.8'\n"},
        {"pyproject__toml": "[tool.poetry.dependencies]\npython = '*'\n"},
    ],
)
def test_where_the_oldest_python_is_not_known_it_is_the_oldest_that_ruff_knows(files: dict[str, str]) -> None:
    config = loaded(**files)
    assert (config.options, config.modern) == (ASSUMED, False)
