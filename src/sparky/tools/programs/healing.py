"""Annotations are healed: those that a new error depends on give way, until there is none."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from sparky.tools.programs.blame import Blame, Slot
from sparky.tools.programs.checking import Error
from sparky.tools.programs.chosen import Files, bare, changed, singles, size, with_declared, without, words
from sparky.tools.programs.culprits import culprit, suspects
from sparky.tools.programs.inferred import Names
from sparky.tools.programs.proposals import halves, inherited
from sparky.tools.programs.signatures import open_slots
from sparky.tools.programs.workshop import Workshop

Identity = tuple[str, str, str]
_NO_WORD = frozenset({"no-any-return", "var-annotated"})
"""What no other word would mend: what a function calls, or puts into a variable, has no type, or not yet."""
ROUNDS = 40
SEARCHED = 30
"""After how many rounds a file with an error that nothing explains loses its annotations."""


class Healing:
    """The search in a workshop for annotations that bring no new error."""

    def __init__(self, shop: Workshop) -> None:
        self.shop = shop
        self.names = Names(shop.files)
        self.tried: dict[Slot, set[str]] = {}

    def healed(self, found: Files, safe: Files) -> Files:
        """The annotations after which there is no new error; `safe`, known to be so, where none are found."""
        sure = words(safe)
        seen: set[Identity] = set()
        stuck: set[Identity] = set()
        for number in range(ROUNDS):
            found, trees = self.shop.write(halves(found, self.shop.calls))
            errors = self.shop.new()
            if not errors:
                return max(found, safe, key=size)
            # What pyrefly says often goes with what mypy says of the same: it is heeded where it stays.
            heeded = [error for error in errors if not error.reviewed or error.identity in seen] or errors
            seen = {error.identity for error in errors}
            blame = Blame(found, trees)
            doubted = {slot for slot, word in words(found).items() if sure.get(slot) != word}
            # On second trial a part of a function, which ends no finding, is the first to give way.
            parts = {error: _part(blame, error) & doubted if sure else set() for error in heeded}
            faults = {error: blame.of(error, doubted) for error in heeded if not parts[error]}
            made = self.yielded(found, [some for error, some in faults.items() if error.code not in _NO_WORD])
            later = [some for error, some in faults.items() if error.code in _NO_WORD]
            made = without(made, {slot for slots in (*parts.values(), *later) for slot in slots})
            unexplained = [error for error, slots in faults.items() if not slots]
            pressing = [error for error in unexplained if error.identity in stuck or made is found]
            stuck = {error.identity for error in unexplained}
            wide = {error: blame.wide(error) & doubted for error in pressing}
            made = without(made, {slot for slots in wide.values() for slot in slots})
            searched = next((error for error, slots in wide.items() if not slots), None)
            if searched is not None and number < SEARCHED:
                place = culprit(self.shop, found, searched, suspects(blame, searched, doubted))
                made = self.withdrawn(made, {slot for slot in doubted if slot[:2] == place})
            if made is found:
                files = {error.file for error in errors}
                made = without(found, {slot for slot in doubted if slot[0] in files})
            if made is found:
                break
            found = made
        return safe

    def withdrawn(self, found: Files, slots: Iterable[Slot]) -> Files:
        """The annotations without those of these slots, for good."""
        for path, key, name in slots:
            some = found[path].slots.get(key, {}).get(name, ())
            self.tried.setdefault((path, key, name), set()).update(some)
            found = changed(found, (path, key, name), ())
        return found

    def declared(self, wanted: Files) -> Files:
        """The files with those of their variables and exports after which there is no new error."""
        found = bare(wanted)
        for some in [wanted, *singles(wanted)] if wanted != found else []:
            trial = with_declared(found, some)
            self.shop.write(trial)
            if not self.shop.new():
                found = trial
            if found is trial and some is wanted:
                break
        return found

    def agreed(self, found: Files) -> Files:
        """The annotations but for those of methods that what overrides them does not bear."""
        filled, gaps = found, [*inherited(found)]
        for _, (path, key), slot, word in gaps:
            filled = changed(filled, (path, key, slot), (word,))
        if filled is found:
            return found
        filled, trees = self.shop.write(filled)
        blame = Blame(filled, trees)
        errors = self.shop.new()
        given = {(path, key, slot) for _, (path, key), slot, _ in gaps}
        worse = {place for error in errors for place in blame.around(error)[:1]}
        worse |= {(path, key) for error in errors for path, key, _ in blame.of(error, given)}
        doubted = {(*where, slot) for family, place, slot, _ in gaps if place in worse for where in family}
        if not doubted:
            return found
        fewer, _ = self.shop.write(halves(without(found, doubted), self.shop.calls))
        return found if self.shop.new() else fewer

    def untried(self, found: Files, proposed: Files) -> Files:
        """The annotations with those words that were withdrawn beside others, and never by themselves."""
        for path, one in proposed.items():
            for key, slots in one.slots.items():
                for slot, some in slots.items():
                    left = tuple(word for word in some if word not in self.tried.get((path, key, slot), ()))
                    if slot not in found[path].slots.get(key, {}) and left:
                        found = changed(found, (path, key, slot), left)
        return found

    def yielded(self, found: Files, faults: Iterable[Mapping[Slot, str]]) -> Files:
        """The annotations, where those that errors depend on give way to wider ones, the next, or none."""
        made = found
        lacking: dict[Slot, list[str]] = defaultdict(list)
        for slot, more in (pair for some in faults for pair in some.items()):
            lacking[slot].append(more)
        for slot, lacks in lacking.items():
            path, key, name = slot
            tried = self.tried.setdefault(slot, set())
            current, *rest = found[path].slots[key][name]
            tried.add(current)
            wider = current
            for more in dict.fromkeys(lacks):
                wider = (self.names.word(more, wider) if more else "") or wider
            options = [word for word in (wider, *rest) if word not in tried]
            able = tuple(word for word in options if found[path].can_say(word))
            made = changed(made, slot, able)
        return made


def _part(blame: Blame, error: Error) -> set[Slot]:
    """The annotated slots of the function around an error, if others of it are open."""
    found: set[Slot] = set()
    for path, key in blame.around(error)[:1]:
        one = blame.files[path]
        slots = one.slots.get(key, {})
        if open_slots(one.functions[key]) - {*slots}:
            found = {(path, key, name) for name in slots}
    return found
