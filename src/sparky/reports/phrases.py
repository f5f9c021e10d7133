"""How people and agents name a cause, in English and German; matched in lower case, one pattern to a line."""

import re

from sparky.domain.attempt import Responsibility

_STATED: tuple[tuple[Responsibility, float, tuple[str, ...]], ...] = (
    (
        Responsibility.ISSUE,
        0.85,
        (
            r"\b(?:issue|requirements?|criteri(?:on|a))\b[^.]{0,60}?\bcontradicts? (?:it|each|the)",
            r"\b(?:issue|requirements?|criteria|specification)\b[^.]{0,60}?\b(?:contradictory|ambiguous)\b",
            r"\banforderung(?:en)?\b[^.]{0,60}?\b(?:widersprechen|widersprüchlich)",
            r"\bcontradict each other\b",
            r"\bcriteria contradict\b",
            r"\b(?:until|bis) (?:the|das) (?:issue|ticket) (?:is|has been|ist) (?:correct|clari|geklärt)",
        ),
    ),
    (
        Responsibility.PERSON,
        0.85,
        (
            r"\bmerge[ -]?(?:conflicts?|konflikte?)\b",
            r"\bconflicts? with (?:the )?(?:target|main|master)\b",
        ),
    ),
    (
        Responsibility.PERSON,
        0.88,
        (
            r"\b(?:only|nobody but) (?:an? |the |our )(?:\w+ ){1,3}(?:can|may|is allowed to)\b",
            r"\bnur (?:\w+ ){1,4}(?:kann|darf)\b",
        ),
    ),
    (
        Responsibility.PERSON,
        0.75,
        (
            r"\b(?:human|person|maintainer|some(?:body|one)) (?:\w+ ){0,2}?(?:to|must|should) decide\b",
            r"\b(?:mensch|jemand)\b[^.]{0,30}?\bentscheiden\b",
            r"\b(?:two|both) agents (?:\w+ )?disagree\b|\bagenten (?:\w+ ){0,2}?uneinig\b",
            r"\b(?:owner|maintainers?|lead|human|person) (?:has to|have to|must) (?:choose|say|approve)\b",
            r"\b(?:needs?|waits? for|waiting for) (?:a |the )?(?:human|person|decision|maintainer)\b",
            r"\bescalat(?:ion|ed?)\b",
            r"\b(?:manual|human) (?:intervention|decision)\b",
            r"\b(?:rebase|merge)(?:\s+\S+){0,3} failed\b",
        ),
    ),
    (
        Responsibility.PRE_EXISTING,
        0.85,
        (
            r"\bpre-?existing\b",
            r"\bfails? (?:\w+ ){0,4}?(?:on|at|in) (?:the )?(?:main|master|base|target)\b",
            r"\bauch auf (?:main|master)\b",
            r"\b(?:red|fail(?:s|ed)?|rot) (?:\w+ ){0,2}?(?:before|without|vor|ohne) (?:th|its|de|di)",
            r"\balready (?:red|failing|broken|failed) (?:on|in|at|before)\b",
            r"\b(?:red|failing|broken) on (?:main|master|base|develop)\b",
            r"\bon (?:main|master|base|develop) (?:as well|too)\b",
        ),
    ),
    (
        Responsibility.PRE_EXISTING,
        0.75,
        (r"\b(?:nothing to do with|unrelated to) (?:this|the) (?:change|branch|issue|merge|mr|pr)\b",),
    ),
    (
        Responsibility.REVIEWER,
        0.8,
        (
            r"\b(?:finding|review|comment)\b[^.]{0,40}?\b(?:is|was) (?:\w+ )?(?:mistaken|wrong|incorrect)\b",
            r"\bre-?review (?:this|it|again|needed|requested)\b",
            r"\b(?:another|a new|a second) (?:look|review)\b[^.]{0,20}?\breview",
            r"\b(?:finding|review|comment)\b[^.]{0,40}?\b(?:invalid|not valid|false positive|unfounded)\b",
        ),
    ),
    (
        Responsibility.CODER,
        0.85,
        (
            r"\bimplementation(?: itself)? (?:has|contains) (?:\w+ ){0,3}?(?:bugs?|faults?|errors?)\b",
            r"\bimplementation(?: itself)? (?:is|was) (?:\w+ ){0,2}?(?:wrong|incorrect|faulty|broken)\b",
            r"\bbugs? in (?:the )?(?:implementation|code|production code)\b",
            r"\bimplementation (?:bug|error)\b",
            r"\b(?:a|the) (?:real|genuine) bug\b",
            r"\bit(?:'s| is) the code\b",
            r"\bcode (?:itself )?is (?:wrong|broken|at fault)\b",
            r"\bimplementierung (?:ist|hat|enthält) (?:\w+ )?(?:fehlerhaft|falsch|einen fehler|fehler)\b",
            r"\bfehler in der implementierung\b",
        ),
    ),
    (
        Responsibility.CODER,
        0.8,
        (
            r"\bcompilation (?:failed|error)",
            r"\bcompile error\b",
            r"\b(?:does not compile|kompiliert nicht)\b",
            r"\bsyntax ?error\b",
            r"\bcannot find symbol\b",
            r"\bcode (?:quality|smell|duplication)\b",
            r"\bduplicated? (?:code|validation|logic)\b",
            r"\b(?:sql injection|timing attack|race condition|memory leak|off[- ]by[- ]one|null ?pointer)\b",
            r"\b(?:code|implementation) (?:must|has to|needs to|muss) (?:\w+ ){0,2}?(?:chang|fix|ada|angep)",
        ),
    ),
    (
        Responsibility.TESTER,
        0.85,
        (
            r"\btests?(?: itself)? (?:is|are|was|were) (?:\w+ )?(?:wrong|incorrect|outdated|faulty|broken)\b",
            r"\btests? \S{0,40} ?(?:expects?|asserts?|compares?) (?:\w+ ){0,3}?(?:old|wrong|outdated)\b",
            r"\bfixture \S{1,60} not found\b",
            r"\btest (?:ist|war) (?:falsch|veraltet|fehlerhaft)\b",
            r"\bbugs? in the tests?\b",
            r"\btests? (?:must|ha(?:s|ve) to|needs? to|muss) (?:be )?(?:\w+ )?(?:chang|fix|ad|upd|ang)",
            r"\b(?:prüft|erwartet|vergleicht) (?:\w+ ){0,3}?(?:alten?|altes|falsche[sn]?)\b",
            r"\b(?:tests? (?:is|are) (?:missing|flaky)|missing tests?|no tests for|flaky test)\b",
            r"\bcoverage\b[^.]{0,40}?\b(?:too low|below|instead of|under)\b",
        ),
    ),
    (
        Responsibility.DOCUMENTER,
        0.75,
        (r"\b(?:docs|documentation|readme|changelog)\b[^.]{0,40}?\b(?:missing|outdated|stale|incomplete)\b",),
    ),
    (
        Responsibility.ENVIRONMENT,
        0.85,
        (
            r"\brunner system failure\b",
            r"\bcould not resolve host",
            r"\bname resolution\b",
            r"\bno space left\b",
            r"\bdisk (?:\w+ ){0,3}?(?:is )?full\b",
            r"\bout of memory\b",
            r"\boom[- ]?kill",
            r"\bno runner\b",
            r"\brunners? (?:is |are |was |were )?(?:lost|gone|back|missing)\b",
            r"\bjobs? (?:\S+ )?(?:is |was |got )?stuck\b",
            r"\bstuck job\b",
            r"\b(?:runner|image|network|infrastructure)\b[^.]{0,60}?\b(?:time-?out|timed out)\b",
            r"\b(?:time-?out|timed out|zeitüberschreitung)\b[^.]{0,60}?\b(?:runners?|image|network)\b",
            r"\bnetwork (?:error|failure|problem|(?:is )?unreachable)",
            r"\bnetzwerk(?:fehler|problem)|\bverbindung (?:zurückgesetzt|abgebrochen|verweigert)",
            r"\bconnection (?:was )?(?:reset|refused|timed out)\b",
            r"\b(?:could not|cannot|can't|unable to) (?:connect to|reach|download|resolve) (?:the )?\w+",
            r"\bdownload (?:failed|aborted)\b",
            r"\b(?:disk space|quota exceeded|out of disk)\b",
            r"\b(?:ci|runners?|server|registry|mirror) (?:is |are |was |were )?(?:down|offline|unavail)",
            r"\binfrastru[ck]tur(?:e)?\b",
            r"\bservice unavailable\b",
            r"\b50[234] (?:bad gateway|service|gateway)",
            r"\b(?:runner|image|container|umgebung|environment)\b[^.]{0,60}?\b(?:missing|lacks|down|fehlt)\b",
            r"\b(?:missing|lacks|fehlt|not installed)\b[^.]{0,40}?\b(?:runner|image|umgebung|environment)\b",
            r"\b(?:token|certificate|credentials?)\b[^.]{0,40}?\bexpired\b",
            r"\btoo ?many ?requests\b",
            r"\bpull rate limit\b",
            r"\bregistry\b[^.]{0,40}?\b(?:down|unavailable|unreachable|limit|timed out)\b",
            r"\bcommand not found\b",
            r"\bdocker daemon\b",
            r"\bexit code 137\b",
            r"\bpull(?:ing)? (?:\w+ ){0,2}?image\b[^.]{0,30}?\bfail",
        ),
    ),
)

STATED = tuple((who, sure, re.compile("|".join(words))) for who, sure, words in _STATED)
"""Whose turn it is, how sure that is, and the words that say so."""

TEST_RIGHT = re.compile(
    r"\btests? (?:is|are|was|were|itself is|looks?) (?:\w+ ){0,2}?(?:correct|right|fine|ok|okay|valid|good)\b"
    r"|\btests? (?:is|are) in order\b|\btests follow the issue"
    r"|\btests? (?:ist|sind) (?:\w+ )?(?:korrekt|richtig|in ordnung)"
)
"""The tests are said to be right."""

CODE_RIGHT = re.compile(
    r"\b(?:implementation|code)(?: itself)?:? ?(?:is|was|works|looks|follows)? ?(?:\w+ )?"
    r"?(?:correct|right|fine|ok|okay|good|the issue|as specified|in order)\b"
    r"|\b(?:am|im|in the) code (?:ist|is)? ?(?:nichts|nothing)\b|\bcode macht (?:\w+ ){0,2}?genau\b"
    r"|\b(?:implementierung|code) (?:ist|war) (?:\w+ )?(?:korrekt|richtig|in ordnung)"
)
"""The implementation is said to be right."""

RED = re.compile(r"\bfail(?:s|ed|ing|ure)?\b|\bred\b|\bbugs?\b|schlägt fehl|fehlgeschlagen|\berrors?\b")
"""Something is said to fail."""

FAULT = re.compile(
    r"\b(?:fail(?:s|ed|ing|ures?)?|red|bugs?|wrong|skips|loses|drops|swallows|regression|broke"
    r"|bisect(?:ed)?|missing|forg[eo]ts?|forgot(?:ten)?|broken?|breaks|crash(?:es|ed)?"
    r"|leaks?|raises|errors?|defects?|flaky|still|never|ignores|cause|does not|fehlt|ursache|fehler|falsch)\b"
)
"""Fault is found with something."""

DENIED = re.compile(
    r"\b(?:no|not|not an?|without(?: any)?|kein\w{0,2}|ohne|isn't|never|nor|neither|if(?: there is)?(?: an?)?"
    r"|falls|in case of(?: an?)?|wenn)\s+(?:\w{1,20}\s)?$"
)
"""What stands before is denied, or only supposed."""
