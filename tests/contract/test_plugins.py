"""The pytest of an environment is one that its plugins can be loaded by."""

from pathlib import Path

from tests.contract.conftest import Target


def test_where_a_plugin_refuses_the_newest_pytest_an_older_one_is_taken(target: Target) -> None:
    environment = target.environments.get(target.commit({"requirements-dev.txt": "old-plugin\n"}))
    assert environment.replaced == ("pytest<9 instead of pytest, for its plugins",)
    (site,) = Path(environment.path).glob("lib/python*/site-packages")
    assert [path.name for path in site.glob("pytest-*.dist-info")] == ["pytest-8.0.dist-info"]
    assert (site / "old_plugin.py").exists()


def test_plugins_that_no_pytest_suits_are_told(target: Target) -> None:
    environment = target.environments.get(target.commit({"requirements-dev.txt": "lost-plugin\n"}))
    assert environment.replaced == ("an older pytest, which its plugins refuse, too",)
