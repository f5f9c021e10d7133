"""The words by which a sentence says what it speaks of, and what it finds of it, in English and German.

Matched in lower case. A word belongs here if it says the same in any report; none is here for one report.
"""

import re


def _any(*words: str) -> re.Pattern[str]:
    return re.compile("|".join(words))


TEST = _any(
    r"\b\w*tests?\b(?! (?:database|server|environment|system|bed|machine|run|stage|job))",
    r"\btest_\w|\btest[A-Z_]|\b(?:test)?(?:suite|cases?|qa|assert(?:ion|s)?|expectations?|fixtures?"
    r"|mocks?|stubs?)\b",
    r"\b(?:specs?|snapshot|golden file|test ?scripts?|script (?:was|is|to be)|testfall|testfälle"
    r"|erwartungs?\w*|testdaten)\b",
)
CODE = _any(
    r"\b(?:implementation|code|function|method|class|endpoint|handler|server|api|query|product(?:ion)?"
    r"|feature|app"
    r"|application|module|component|logic|loop|parser|service|implementierung|anwendung|funktion"
    r"|methode|produkt)\b",
    r"\w\(\)",
)
ENV = _any(
    r"\b(?:runners?|agents?|nodes?|grid|network|connection|databases?|registry|mirror|proxy|dns|docker"
    r"|container|image"
    r"|cluster|vms?|hosts?|disk|quota|infra\w*|hosted|workflow|artifact store|load balancers?|backends"
    r"|device farm|devices|demo server|internet|platform|storage|drivers?|build-?server|box|plattform"
    r"|plattenplatz|ci|jenkins|linux-\w+|staging|sandbox"
    r"|testdatenbank|datenbank|netz\w*|verbindung|festplatte|rechner|umgebung|testumgebung|selenium"
    r"|emulator|licen[cs]e server)\b"
)
TROUBLE = _any(
    r"\b(?:died|dies|down|offline|unreachable|unavailable|lost|disconnect\w*|refused|terminated|aborted"
    r"|evicted|expired"
    r"|exhausted|degraded|maintenance|gateway error|doesn'?t come up|no internet|0 available|problems?"
    r"|no longer matches|50[234]|keinen|full|hangs?|hung|queues?|starv\w+|no free|time-?outs?|timed out"
    r"|never started|never got|crashed"
    r"|cannot contact|can't reach|could not (?:be )?(?:reach|start|connect|pull)\w*|not (?:reachable"
    r"|available|executed|started)"
    r"|went away|out of (?:memory|space|disk)|encountered an error|throttled|abgewiesen|abgebrochen"
    r"|voll|weg"
    r"|nicht (?:erreichbar|verfügbar|gestartet)|ausgefallen|hängt)\b"
)
NOT_CODE = _any(
    r"\bnot (?:your|the|our|this) (?:pr|code|change|branch|diff|fault)\b|\bnothing (?:in|to do with"
    r"|wrong with) (?:this|the|your)"
    r"|\b(?:am|im) code liegt es nicht\b|\bdon'?t (?:bother )?chang\w+ anything\b|\bre-?run\b"
    r"|\bno code change\b|\b(?:application|code|branch) unchanged\b|\bnobody'?s code\b|\b(?:build|code"
    r"|change|branch) is not involved\b|\bnicht schuld\b|\bunrelated\b"
)
PERSON = _any(
    r"\b(?:legal|lawyers?|admins?|administrator|management|product owner|somebody|someone|maintainers?"
    r"|owner|human|manually"
    r"|by hand|permissions?|(?:write|admin) (?:access|rights)|rights|licen[cs]e|budget|sign-?off"
    r"|stakeholders?|head of \w+|director|managers?|authors|geschäftsführ\w+|jemand"
    r"|von hand|rechte|berechtigung|geschäftsleitung|vorgesetzte\w*)\b"
)
NEED = _any(
    r"\b(?:has to|have to|must|needs?|needed|required?|should|decides?|decision|grant\w*|approv\w+"
    r"|sort this|choose|whether|may we"
    r"|which (?:one|intention|side)|muss|müssen|entscheid\w+|klären|braucht|erteilen)\b"
)
CONFLICT = _any(r"\b(?:both (?:sides|branches)|conflict\w*|diverged|konflikt\w*)\b")
AWAITED = _any(
    r"\bwait(?:s|ing)? for (?:an? |the )?(?:signature|approval|answer|decision|consent|confirmation"
    r"|reply)\b"
)
JOINED = _any(r"\b(?:rebas\w+|merg\w+|cherry-pick\w*|branch\w*|zusammenführ\w+)\b")
ISSUE = _any(
    r"\b(?:ticket|issue|criteri\w+|requirements?|specification|story|brief|anforderung\w*|vorgabe\w*)\b"
)
CONTRARY = _any(
    r"\b(?:contradict\w*|can'?t both|both can'?t|inconsistent|ambiguous|opposite|exclude each other"
    r"|conflicting|impossible|make up (?:their|your) minds?"
    r"|widers\w+|mehrdeutig|what do you (?:actually )?want|which is it|does(?:n't| not) say (?:which"
    r"|what|how|whether))\b"
)
BEFORE = _any(
    r"\b(?:same (?:way|error|failure)|already|as well|too|also|identical\w*|long before"
    r"|since (?:release|version|last|the)|known|for weeks|"
    r"auch ohne|schon (?:vorher|lange)|seit)\b"
)
ELSEWHERE = _any(
    r"\b(?:on|in|at|auf) `?(?:main|master|develop|base|trunk)\b|\bdefault branch\b|\bwithout (?:this"
    r"|the|my|your) (?:branch|change|diff|pr|patch)"
    r"|\bohne (?:diese|die) \w+|\btracked elsewhere\b|\bbefore (?:this|the) (?:branch|change|pr)\b"
)
AGAIN = _any(
    r"\b(?:another|second|fresh|final|new) (?:look|pass|review|round)\b|\bre-?review\b"
    r"|\bready for review\b|\bback to you\b"
    r"|\bplease (?:review|have a look|take a look)\b|\berneut (?:prüfen|ansehen)\b"
    r"|\bnoch einmal (?:ansehen|prüfen|draufschauen)\b"
)
DOCS = _any(
    r"\b(?:docs?|documentation|readme|changelog|docstrings?|guide|manual|tutorial|release notes"
    r"|dokumentation|handbuch|anleitung)\b"
)
STALE = _any(
    r"\b(?:still \w+|outdated|stale|missing|lacks?|update\w*|out of date|wrong|not mentioned|"
    r"undocumented|out of step|up to date|veraltet|fehlt|ergänz\w+|aktualisier\w+|describe)\b"
)
TEST_FAULT = _any(
    r"\b(?:wrong|racy|flaky|sleeps?|waits?|outdated|stale|obsolete|expired|ran out|(?:never|can'?t"
    r"|cannot|can never) fail|itself"
    r"|tautolog\w+|hard-?cod\w+|old|seeds?|tolerance|wrong reason|rework\w*|prepared from|rewrite"
    r"|rewritten|renew\w*|in line with|relies|depends on|order|brittle|too (?:strict|loose|narrow)"
    r"|old behaviou?r|adjust\w*|adapt\w*|regenerate\w*|refresh\w*|patch(?:es|ing)? the wrong"
    r"|wall[- ]clock|coordinates|threshold|loosened|typo|written when|real clock|time ?zone"
    r"|falsch\w*|veraltet\w*|wartet|verlässt|baue|umbau\w*|anpass\w*|angepasst|überarbeit\w+"
    r"|liegt bei mir)\b"
)
IN_TEST = _any(r"\bin the (?:unit |e2e )?tests?\b(?! (?:environment|system|database))", r"\bim test\b")
NO_TESTS = _any(
    r"\b(?:write|add|need|wants?|lacks?|missing|without|more|no|extend|cover\w*|schreib\w+|ergänz\w+"
    r"|fehl\w+|keine)\b[^.\n]{0,40}"
    r"\b(?:tests?|test cases?|assertions?|testfälle?)\b",
    r"\b(?:untested|uncovered|not (?:tested|covered)|tests? (?:are |is )?(?:missing|lacking)"
    r"|coverage (?:\w+ ){0,3}(?:drop\w*|fell|low))\b",
    r"\b[0-7]?\d(?:\.\d+)?\s?% coverage\b",
    r"\b(?:not a single|no) (?:check|test|case|proof)s? for\b",
)
FINE = _any(
    r"\b(?:correct\w*|right|fine|ok|okay|good|in order|works?|as (?:specified|intended|they are"
    r"|expected|the issue)|innocent|sound|like|don'?t touch|behaves as|leave it"
    r"|does (?:exactly )?what|pass(?:es|ed)?|green|in ordnung|richtig|korrekt|macht genau|grün"
    r"|raises no issues|unaffected)\b"
)
FAULT = _any(
    r"\b(?:bugs?|wrong\w*|swallow\w*|leak\w*|mutates?|los(?:es|ing)|drops?|skips|ignores?|forgets?"
    r"|forgot|never|twice|crash\w*|raises?"
    r"|throws?|breaks?|broken?|overflow\w*|deadlock\w*|race|injection|traversal|unescaped|unvalidated"
    r"|without (?:holding|checking|locking"
    r"|escaping|closing)|missing|lacks?|incomplete|problem|regression|defects?|faulty|truncat\w*"
    r"|shouldn'?t|panics?|escapes|(?:is|are|was|were) (?:not|never) \w+ed|any (?:\w+[ -]){1,3}(?:user"
    r"|caller)|high-severity|vulnerability|anyway|although|even though|slower|undefined|locks the"
    r"|severe|gets through|explod\w*|hides?|hidden|freed|jumps?|worthless|slow\w*|per row"
    r"|result: failed|not handled|unhandled|former|removed|past the end|duplicat\w+|still|instead of"
    r"|only once"
    r"|vulnerab\w+|(?:answers|returns|antwortet|liefert) (?:with )?[45]\d\d|geht nicht|nicht geht"
    r"|nirgends|obwohl|auch dann|stürzt|doppelt\w*|fehler\w*|fehlt|falsch\w*|vergisst"
    r"|does(?:n't| not) \w+|off by one|hammered|allows?|stale|unbounded|blocks?)\b|\b\w+(?:error"
    r"|exception)\b"
)
WISH = _any(
    r"\b(?:should|must|has to|have to|needs?|consider|suggest\w*|recommend\w*|please|pls|could you"
    r"|can you|maybe|better|let'?s|i'?d"
    r"|prefer|fix|move|use|wrap|clamp|replace|rename|avoid|handle|sanitize|catch|ensure|make sure|bitte"
    r"|nachbesser\w*|sollte|muss|umbenennen|reject|resolve\w*|add)\b"
)
CONTENT = _any(
    r"\b(?:no|not a single|without (?:a single|any)|keine?|nothing|none)\b[^.\n]{0,40}?\b(?:bugs?"
    r"|issues|problems|errors?"
    r"|vulnerabilit\w+|findings?|failures?|conflicts?|failed|defects?|complaints?|splats?|restpunkte|breaking"
    r"|deviations?|found)\b",
    r"^\W*(?:\w{1,4}[.:] )?(?:ok|okay|go|fine|good|done|passed|passt|bestanden|approved)\W*$"
    r"|\bresult: (?:passed|ok)\b|\b[1-9]\d* passed\b(?!.*\bfailed\b)",
    r"\b(?:reviewed|acked|tested)-by:|\bfreigabe erteilt\b|(?<!not )\bconforms?\b|\bover to (?:main"
    r"|master)\b|\bblessing\b|\bapproving\b|\bcleared for\b|(?:not|n't) (?:find|see) any\b"
    r"|\bkeine auffälligkeiten\b|\ball gates are green\b|\bcovered by tests\b|\bgo for it\b"
    r"|\bi'?m good\b|\beinwandfrei\b|\bbeanstanden\b"
    r"|\bdoes (?:all |exactly )?what (?:it|i)(?:'d)? (?:should|expect)|\bnothing (?:left |is )?(?:open"
    r"|slower|worse|missing)\b"
    r"|\b(?:deviations?|findings?|observations?|issues?|defects?|open points?): (?:none|0|keine)\b"
    r"|\b(\d+) of \1 (?:\w+ )?(?:successful|passed|green|jobs)\b|\bbeautiful\b|\byou can go on\b",
    r"\b(?:checks|steps|criteria|tests|kriterien) (?:have |were |are )?(?:all )?(?:passed|confirmed"
    r"|bestätigt|met|vorgeführt)\b",
    r"\bno (?:further |other |new |more )?(?:comments?|feedback|issues?|problems?|objections?|remarks?"
    r"|concerns?|findings?|complaints?|questions)\b",
    r"\bnothing (?:was |to )?(?:found|add|object|report|criticise|complain)\b|\b0 new issues\b"
    r"|\bmay proceed\b|(?<!may )(?<!can )(?<!to )\bship it\b|\bgo ahead\b",
    r"\bback to normal\b|\bgate passed\b|\bfinished: success\b|\bbuild success\w*\b|\bvery nice\b"
    r"|\bhappy (?:to merge|with (?:this|it))\b",
    r"\b(?:everything|all (?:\w+ ){0,2}?(?:steps|points|checks)) (?:worked|works|pass\w*|is fine"
    r"|looks? good)\b|\blooks? (?:good|great)\b",
    r"\bkeine (?:einwände|beanstandungen|mängel|anmerkungen|fehler|probleme)\b|\balles (?:gut"
    r"|in ordnung|bestens)\b|\bkann so (?:rein|bleiben)\b",
    r"\bmerge (?:it|away|when\w*)\b|\bperfect\b|\bpasst so\b|\bin good shape\b|\bcarry on\b",
)
LEFT = _any(
    r"\b(?:but|except|other than|however|apart from|until|before (?:merg|i )|aber|außer|bis auf|still"
    r"|unless)\b"
)
QUOTED = re.compile(r"(?:if|falls|wenn|in case)\b|on .{1,80}\bwrote:$|am .{1,80}\bschrieb\b.*:$")
AT_A_LOSS = _any(
    r"\b(?:rest|it|all) is unclear\b|\bboth (?:are )?wrong\b",
    r"\b(?:either side|no idea|not found out|can'?t (?:say|tell) (?:who|which (?:of|one|side)|why"
    r"|whether)|don'?t know (?:why|who|whether)|(?:unclear|not clear) (?:to me )?(?:who|why|whether"
    r"|which)"
    r"|could be (?:either|both|the test or)|could not determine|cause (?:is )?(?:unknown|unclear"
    r"|not known)|noch unklar|weiß nicht|ursache (?:unklar|unbekannt))\b",
)
