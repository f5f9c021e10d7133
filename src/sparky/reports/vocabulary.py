"""The words by which a sentence says what it speaks of, and what it finds of it, in English and German.

Matched in lower case. A word belongs here if it says the same in any report; none is here for one report.
"""

import re


def _any(*words: str) -> re.Pattern[str]:
    return re.compile("|".join(words))


TEST = _any(
    r"\b\w*tests?\b(?! (?:database|server|environment|system|bed|machine|run|stage|job))",
    r"\btest_\w|\btest[A-Z_]|\b(?:test)?(?:suite|cases?|qa|assert(?:ion|s)?|expectations?|fixtures?|mocks?"
    r"|stubs?)\b",
    r"\b(?:specs?|snapshot|golden file|test ?scripts?|script (?:was|is|to be)|testfall|testfälle"
    r"|erwartungs?\w*|testdaten)\b",
    r"\b(?:page objects?|conftest|e2e|testsuite|testfalls|testfällen|prüffälle?)\b",
    r"\b(?:test ?plan|scenarios?|prüfung|sample in)\b",
)
CODE = _any(
    r"\b(?:implementation|code|function|method|class|endpoint|handler|server|api|query|product(?:ion)?"
    r"|feature|app|application|module|component|logic|loop|parser|service|implementierung|anwendung"
    r"|funktion|methode|produkt)\b",
    r"\w\(\)",
    r"\b(?:umsetzung|programm|logik|klasse|modul|behaviou?r|verhalten)\b",
)
ENV = _any(
    r"\b(?:runners?|agents?|nodes?|grid|network|connection|databases?|registry|mirror|proxy|dns|docker"
    r"|container|image|cluster|vms?|hosts?|disk|quota|infra\w*|hosted|workflow|artifact store"
    r"|load balancers?|backends|device farm|devices|demo server|internet|platform|storage|drivers?"
    r"|build-?server|box|plattform|plattenplatz|ci|jenkins|linux-\w+|staging|sandbox|testdatenbank"
    r"|datenbank|netz\w*|verbindung|festplatte|rechner|umgebung|testumgebung|selenium|emulator"
    r"|licen[cs]e server)\b",
    r"\b(?:build[- ]agents?|pods?|kubernetes|k8s|vpn|artifactory|artefakt-?\w*|package index|certificates?"
    r"|service containers?|provider|(?:build|ci|test|db|staging)[- ]?servers?|testsystem\w*|zertifikat\w*"
    r"|laufwerk)\b",
    r"\b(?:vercel|netlify|aws|azure|test ?phones?|testserver|build failed|jobs?|deployments?"
    r"|test ?ger\u00e4te?)\b",
)
TROUBLE = _any(
    r"\b(?:died|dies|down|offline|unreachable|unavailable|lost|disconnect\w*|refused|terminated|aborted"
    r"|evicted|expired|exhausted|degraded|maintenance|gateway error|doesn'?t come up|no internet"
    r"|0 available|problems?|no longer matches|50[234]|keinen|full|hangs?|hung|queues?|starv\w+|no free"
    r"|time-?outs?|timed out|never started|never got|crashed|cannot contact|can't reach"
    r"|could not (?:be )?(?:reach|start|connect|pull)\w*|not (?:reachable|available|executed|started)"
    r"|went away|out of (?:memory|space|disk)|encountered an error|throttled|abgewiesen|abgebrochen|voll"
    r"|weg|nicht (?:erreichbar|verfügbar|gestartet)|ausgefallen|hängt)\b",
    r"\b(?:outage|ran out|went down|killed|no space|unresponsive|rate.?limit\w*|never became healthy"
    r"|not come up|errored out|verloren|unterbrochen|überlastet|störung|abgelaufen|kein platz"
    r"|nicht (?:mehr )?(?:ran|hochgefahren)|streikt)\b",
    r"\b(?:has an incident|incident|in repair|hiccup|spending limit|unknownhost\w*|doesn'?t answer"
    r"|has been down|n't start|not started|komm(?:e|t)? nicht (?:auf|an|rein))\b",
)
NOT_CODE = _any(
    r"\bnot (?:your|the|our|this) (?:pr|code|change|branch|diff|fault)\b|\bnothing (?:in|to do with"
    r"|wrong with) (?:this|the|your)|\b(?:am|im) code liegt es nicht\b"
    r"|\bdon'?t (?:bother )?chang\w+ anything\b|\bre-?run\b|\bno code change\b|\b(?:application|code"
    r"|branch) unchanged\b|\bnobody'?s code\b|\b(?:build|code|change|branch) is not involved\b"
    r"|\bnicht schuld\b|\bunrelated\b",
    r"\bam (?:code|branch|merge request) liegt'?(?:s| es| das)? nicht\b|\bliegt nicht (?:am|an)\b",
    r"\bhat (?:\w+ ){0,4}nichts? (?:\w+ ){0,4}zu tun\b|\bnothing in (?:the|this) \w+(?: \w+)? is at fault\b"
    r"|\bnot a (?:product |code )?(?:defect|bug)\b",
)
PERSON = _any(
    r"\b(?:legal|lawyers?|admins?|administrator|management|product owner|somebody|someone|maintainers?"
    r"|owner|human|manually|by hand|permissions?|(?:write|admin) (?:access|rights)|rights|licen[cs]e|budget"
    r"|sign-?off|stakeholders?|head of \w+|director|managers?|authors|geschäftsführ\w+|jemand|von hand"
    r"|rechte|berechtigung|geschäftsleitung|vorgesetzte\w*)\b"
)
NEED = _any(
    r"\b(?:has to|have to|must|needs?|needed|required?|should|decides?|decision|grant\w*|approv\w+"
    r"|sort this|choose|whether|may we|which (?:one|intention|side)|muss|müssen|entscheid\w+|klären|braucht"
    r"|erteilen)\b"
)
CONFLICT = _any(
    r"\b(?:both (?:sides|branches)|(?:changed|edited|rewritten) (?:in|on) both|conflict\w*|diverged"
    r"|konflikt\w*)\b"
)
AWAITED = _any(
    r"\bwait(?:s|ing)? for (?:an? |the )?(?:signature|approval|answer|decision|consent|confirmation|reply)\b",
    r"\b(?:waiting|waits?) (?:for|on) (?:\w+ ){1,4}to (?:ask|answer|decide|confirm|say|approve|sign)\b",
    r"\b(?:product|business|architectural|policy) decision\b|\bfachliche (?:entscheidung|frage)\b",
    r"\bcan(?:'?t|not) be (?:decided|answered) without\b|\bnot (?:mine|ours|for (?:me|us)) to (?:decide"
    r"|make|say)\b",
    r"\bmuss (?:\S+ ){1,8}(?:sagen|entscheiden|klären|freigeben|unterschreiben)\b",
    r"\bonly (?:an? |the )(?:\w+ ){1,3}(?:can|may)\b|\bnur (?:\w+ ){1,4}(?:kann|darf)\b|\bhelp (?:from"
    r"|of) an? (?:human|person)\b",
    r"\b(?:make the call|blocked on (?:design|product|legal|management)|has to say yes"
    r"|is for (?:\S+ ){1,3}to (?:say|decide))\b",
    r"\b(?:chef|vorgesetzten?|fachbereich|kunden?|datenschutz\w*) (?:\S+ ){0,6}(?:reden|fragen|klären"
    r"|entscheid\w*|freigeben|steht noch aus)\b",
    r"\b(?:mit|vom) (?:dem |der )?(?:chef|vorgesetzten|fachbereich|kunden)\b|\b(?:freigabe|genehmigung"
    r"|unterschrift) (?:\S+ ){0,3}(?:steht (?:noch )?aus|fehlt noch)\b",
    r"\bsome(?:one|body) with (?:an? |the )?(?:budget|authority|access|rights)\b|\bwhich (?:one|of (?:them"
    r"|the two)) do you want\b",
)
JOINED = _any(r"\b(?:rebas\w+|merg\w+|cherry-pick\w*|branch\w*|joined|zusammenführ\w+)\b")
ISSUE = _any(
    r"\b(?:ticket|issue|criteri\w+|requirements?|specification|story|brief|anforderung\w*|vorgabe\w*)\b",
    r"\b(?:acceptance|abnahmekriteri\w+)\b",
)
CONTRARY = _any(
    r"\b(?:contradict\w*|can'?t both|both can'?t|inconsistent|ambiguous|opposite|exclude each other"
    r"|conflicting|impossible|make up (?:their|your) minds?|widers\w+|mehrdeutig"
    r"|what do you (?:actually )?want|which is it|does(?:n't| not) say (?:which|what|how|whether))\b",
    r"\b(?:asks? for|says?|wants?|demands?) [^.;\n]{3,60}, (?:the |its |but )?[^.;\n]{0,40}(?:shows?|says?"
    r"|asks?|wants?)\b",
)
BEFORE = _any(
    r"\b(?:same (?:way|error|failure)|already|as well|too|also|identical\w*|long before|since (?:release"
    r"|version|last|the)|known|for weeks|auch ohne|schon (?:vorher|lange)|seit)\b",
    r"\b(?:genauso|ebenso|auch auf|schon auf|the same)\b",
    r"\b(?:every change|these two|same two|last touched in (?:19|20)\d\d)\b|\bcame with\b",
)
ELSEWHERE = _any(
    r"\b(?:on|in|at|auf) `?(?:main|master|develop|base|trunk)\b|\bdefault branch\b|\bwithout (?:this|the|my"
    r"|your) (?:branch|change|diff|pr|patch)|\bohne (?:diese|die) \w+|\btracked elsewhere\b"
    r"|\bbefore (?:this|the) (?:branch|change|pr)\b",
    r"\b(?:base|parent|previous) (?:commit|release|version)\b|\bvor (?:diesem|dem) (?:branch|merge)\b",
    r"\bgit stash\b|\bnot (?:with|from) this (?:branch|change|pr)\b|\bwith the repository\b",
)
AGAIN = _any(
    r"\b(?:another|second|fresh|final|new) (?:look|pass|review|round)\b|\bre-?review\b|\bready for review\b"
    r"|\bback to you\b|\bplease (?:review|have a look|take a look)\b|\berneut (?:prüfen|ansehen)\b"
    r"|\bnoch einmal (?:ansehen|prüfen|draufschauen)\b",
    r"\b(?:redo|repeat) the review\b|\breview (?:\w+ )?again\b|\blooked at by the reviewer yet\b",
    r"\b(?:finding|remark|objection|review comment)s? (?:[\w-]+ ){0,6}(?:was|were|is|are) (?:wrong|invalid"
    r"|mistaken|unfounded|not valid)\b",
    r"\bnone of (?:them|these|the (?:findings|issues|remarks)) (?:is|are|was|were) (?:valid|correct|true"
    r"|right)\b",
    r"\bnothing else is open on my side\b|\bcheck them off\b|\btake it from here\b",
)
DOCS = _any(
    r"\b(?:docs?|documentation|readme|changelog|docstrings?|guide|manual|tutorial|release notes"
    r"|dokumentation|handbuch|anleitung)\b",
    r"\b(?:chapter|help page|screenshots?|kapitel|hilfetexte?|benutzerhandbuch)\b",
)
STALE = _any(
    r"\b(?:still \w+|outdated|stale|missing|lacks?|update\w*|out of date|wrong|not mentioned|undocumented"
    r"|out of step|up to date|veraltet|fehlt|ergänz\w+|aktualisier\w+|describe)\b",
    r"\b(?:gone since|describes?|old|no longer|rewritten|tells? people|beschreib\w*|alten?|neu geschrieben"
    r"|nachzieh\w*|nachgezogen)\b",
)
TEST_FAULT = _any(
    r"\b(?:wrong|racy|flaky|sleeps?|waits?|outdated|stale|obsolete|expired|ran out|(?:never|can'?t|cannot"
    r"|can never) fail|itself|tautolog\w+|hard-?cod\w+|old|seeds?|tolerance|wrong reason|rework\w*"
    r"|prepared from|rewrite|rewritten|renew\w*|in line with|relies|depends on|order|brittle|too (?:strict"
    r"|loose|narrow)|old behaviou?r|adjust\w*|adapt\w*|regenerate\w*|refresh\w*|patch(?:es|ing)? the wrong"
    r"|wall[- ]clock|coordinates|threshold|loosened|typo|written when|real clock|time ?zone|falsch\w*"
    r"|veraltet\w*|wartet|verlässt|baue|umbau\w*|anpass\w*|angepasst|überarbeit\w+|liegt bei mir)\b",
    r"\b(?:sleep(?:ing)?|(?:today'?s|current) date|heutigen? datum|monatsende|wackel\w*|instabil|mocks"
    r"|every (?:second|other|third) time|intermittent\w*|sporadi\w*|manchmal|jedes zweite mal|not adapted"
    r"|invalidates|shares? (?:its |their )?(?:state|data)|depends|hängt (?:am|vom|an)|noch (?:mit "
    r"|an )?(?:de[mnr]|die|das) alt\w+|still (?:expects?|logs?|uses?|checks?|asserts?|looks?|assumes?"
    r"|calls?))\b",
    r"\b(?:never fail|can'?t ever fail|lost its|leaves (?:\w+ ){0,3}behind|random order|really waits"
    r"|has to wait|dropped on purpose|missing isolation|sucht noch|mein fehler|my (?:own )?(?:mistake"
    r"|fault)|spreadsheet|before the \w+ (?:have|has) (?:loaded|finished)|still describes)\b",
)
IN_TEST = _any(r"\bin the (?:unit |e2e )?tests?\b(?! (?:environment|system|database))", r"\bim test\b")
NO_TESTS = _any(
    r"\b(?:write|add|need|wants?|lacks?|missing|without|more|no|extend|cover\w*|schreib\w+|ergänz\w+"
    r"|fehl\w+|keine)\b[^.\n]{0,40}\b(?:tests?|test cases?|assertions?|testfälle?)\b",
    r"\b(?:untested|uncovered|not (?:tested|covered)|tests? (?:are |is )?(?:missing|lacking)"
    r"|coverage (?:\w+ ){0,3}(?:drop\w*|fell|low))\b",
    r"\b[0-7]?\d(?:\.\d+)?\s?% coverage\b",
    r"\b(?:not a single|no) (?:check|test|case|proof)s? for\b",
    r"\bonly the happy path is (?:tested|covered)\b|\bwants? a test\b|\b(?:never|not) (?:executed|exercised"
    r"|hit|reached) by (?:any|a|the) tests?\b",
    r"\bextend the suite\b|\bno test (?:fails|catches|notices|would)\b",
    r"\b(?:like|want|love) to see (?:an? |some )?(?:\w+ )?tests?\b|\btests? that (?:are"
    r"|is) (?:still )?missing\b",
)
FINE = _any(
    r"\b(?:correct\w*|right|fine|ok|okay|good|in order|works?|as (?:specified|intended|they are|expected"
    r"|the issue)|innocent|sound|like|don'?t touch|behaves as|leave it|does (?:exactly )?what|pass(?:es"
    r"|ed)?|green|in ordnung|richtig|korrekt|macht genau|grün|raises no issues|unaffected)\b"
)
FAULT = _any(
    r"\b(?:bugs?|wrong\w*|swallow\w*|leak\w*|mutates?|los(?:es|ing)|drops?|skips|ignores?|forgets?|forgot"
    r"|never|twice|crash\w*|raises?|throws?|breaks?|broken?|overflow\w*|deadlock\w*|race|injection"
    r"|traversal|unescaped|unvalidated|without (?:holding|checking|locking|escaping|closing)|missing|lacks?"
    r"|incomplete|problem|regression|defects?|faulty|truncat\w*|shouldn'?t|panics?|escapes|(?:is|are|was"
    r"|were) (?:not|never) \w+ed|any (?:\w+[ -]){1,3}(?:user|caller)|high-severity|vulnerability|anyway"
    r"|although|even though|slower|undefined|locks the|severe|gets through|explod\w*|hides?|hidden|freed"
    r"|jumps?|worthless|slow\w*|per row|result: failed|not handled|unhandled|former|removed|past the end"
    r"|duplicat\w+|still|instead of|only once|vulnerab\w+|(?:answers|returns|antwortet"
    r"|liefert) (?:with )?[45]\d\d|geht nicht|nicht geht|nirgends|obwohl|auch dann|stürzt|doppelt\w*"
    r"|fehler\w*|fehlt|falsch\w*|vergisst|does(?:n't| not) (?!touch|change|affect|matter|mean|need|seem)\w+"
    r"|off by one|allows?|stale|unbounded|blocks?)\b|\b\w+(?:error|exception)\b",
    r"\b(?:segfaults?|dereferenc\w+|leftover|unused|blows? up|hard-?coded|infinite|corrupts?|freezes?"
    r"|silently|too (?:slow|many|late|early)|strips?|lets? (?:\w+ ){0,5}through"
    r"|accepts? (?:\w+ ){0,3}(?:any|anything|invalid|negative|empty)|knallt|kracht|kaputt|verliert"
    r"|verschluckt|ignoriert|übersieht|fälschlich\w*|stürzt ab|bricht ab|pro zeile|langsam|unvollständig"
    r"|statt (?:de[rsmn]|eine[rsmn]?)|nicht (?:abgefangen|geprüft|behandelt|berücksichtigt|gespeichert"
    r"|live)|lücke|sicherheitslücke|geht verloren|fliegt|erheblich|lässt (?:\w+ ){0,4}durch|steht das)\b",
    r"\b(?:stuck|while (?:holding|calling)|mutex|for good|leere (?:liste|seite)|stimmt (?:\w+ ){0,3}nicht"
    r"|da stimmt was|\d ?x an|404|exposes|swallowed|symptom|empties|first line'?s)\b",
)
WISH = _any(
    r"\b(?:should|must|has to|have to|needs?|consider|suggest\w*|recommend\w*|please|pls|could you|can you"
    r"|maybe|better|let'?s|i'?d|prefer|fix|move|use|wrap|clamp|replace|rename|avoid|handle|sanitize|catch"
    r"|ensure|make sure|bitte|nachbesser\w*|sollte|muss|umbenennen|reject|resolve\w*|add)\b",
    r"\b(?:müsste\w*|müssen|sollten|solltest|gehört|lieber|besser|berichtig\w*|korrigier\w*|änder\w*"
    r"|ersetz\w*|entfern\w*|beheb\w*|umstell\w*)\b",
    r"^\W*(?:\w+ ){0,2}(?:remove|pass|drop|return|check|guard|close|await|lock|iterate|persist|store"
    r"|validate|escape)\b|\bdo not proceed\b",
)
CONTENT = _any(
    r"\b(?:no|not a single|without (?:a single|any)|keine?|nothing|none)\b[^.\n]{0,40}?\b(?:bugs?|issues"
    r"|problems|errors?|vulnerabilit\w+|findings?|failures?|conflicts?|failed|defects?|complaints?|splats?"
    r"|restpunkte|breaking|deviations?|found)\b",
    r"^\W*(?:\w{1,4}[.:] )?(?:ok|okay|go|fine|good|done|passed|passt|bestanden|approved)\W*$"
    r"|\bresult: (?:passed|ok)\b|\b[1-9]\d* passed\b(?!.*\bfailed\b)",
    r"\b(?:reviewed|acked|tested)-by:|\bfreigabe erteilt\b|(?<!not )\bconforms?\b|\bover to (?:main"
    r"|master)\b|\bblessing\b|\bapproving\b|\bcleared for\b|(?:not|n't) (?:find|see) any\b"
    r"|\bkeine auffälligkeiten\b|\ball gates are green\b|\bcovered by tests\b|\bgo for it\b|\bi'?m good\b"
    r"|\beinwandfrei\b|\bbeanstanden\b|\bdoes (?:all |exactly )?what (?:it|i)(?:'d)? (?:should|expect)"
    r"|\bnothing (?:left |is )?(?:open|slower|worse|missing)\b|\b(?:deviations?|findings?|observations?"
    r"|issues?|defects?|open points?): (?:none|0|keine)\b|\b(\d+) of \1 (?:\w+ )?(?:successful|passed|green"
    r"|jobs)\b|\bbeautiful\b|\byou can go on\b",
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
    r"\bkeine (?:einwände|beanstandungen|mängel|anmerkungen|fehler|probleme)\b|\balles (?:gut|in ordnung"
    r"|bestens)\b|\bkann so (?:rein|bleiben)\b",
    r"\bmerge (?:it|away|when\w*)\b|\bperfect\b|\bpasst so\b|\bin good shape\b|\bcarry on\b",
    r"\ball (?:of )?(?:the |my |\d+ )?(?:\w+ )?(?:tests|jobs|checks|steps) (?:have |are |were )?(?:pass\w*"
    r"|succeeded|successful|green)\b",
    r"\b(?:passed|tests):? (\d+) (?:of|/|out of) \1\b|\bsafe to (?:proceed|merge|release|deploy|ship)\b"
    r"|\bno (?:further|more|other) (?:steps?|actions?|work)\b",
    r"\bworks as designed\b|\ball (?:my |the )?(?:comments|points|remarks"
    r"|questions) (?:\w+ ){0,4}(?:addressed|resolved|answered)\b",
    r"\bcan go (?:ahead|in|out|live)\b|\bready from my side\b|\bnice (?:cleanup|work|job)\b"
    r"|\bapproved these changes\b|\bnothing else is needed\b",
    r"\bsieht gut aus\b|\brein damit\b|\bvon mir aus\b|\bbefund: (?:keiner?|ohne)\b|\bohne befund\b"
    r"|\bfreigabe: (?:ja|erteilt)\b|\bmaßnahmen?: keine\b",
    r"\balles (?:gut|grün|bestens|sauber|prima|in ordnung)\b|\bkann (?:so )?(?:live|raus|rein)\b"
    r"|\bpasst (?:alles|für mich)\b|\bnichts (?:auszusetzen|zu meckern)\b",
    r"\b(?:don'?t|can'?t|couldn'?t|cannot) (?:see|find) anything\b|\bl\u00e4uft (?:super|gut|prima|jetzt"
    r"|rund|wieder)\b|\blive schalten\b|\bmoving to done\b|\bclosing it\b",
    r"\bready for merge\b|\bgood to merge\b|\b(?:is|are) gone\b|\bverified on \w+|\bwell done\b"
    r"|\bcode-review ?\+[12]\b",
)
LEFT = _any(
    r"\b(?:but|except|other than|however|apart from|until|before (?:merg|i )|aber|außer|bis auf|still"
    r"|unless)\b",
    r"\b(?:just this|only (?:this|one|thing)|(?<!nothing )(?<!anything )else|otherwise|the rest|rest passt"
    r"|sonst|nur|lediglich|allerdings|jedoch|itself|selbst)\b",
)
QUOTED = re.compile(r"(?:if|falls|wenn|in case)\b|on .{1,80}\bwrote:$|am .{1,80}\bschrieb\b.*:$")
BUT = _any(
    r"\b(?:but|only|however|except|aber|nur|allerdings|jedoch|bis auf)\b",
    r"\bbefore (?:we|you|i|it|this) (?:is |gets )?merged?\b|\bvor dem merge\b",
)
OPTIONAL = _any(
    r"\b(?:nits?|nitpicks?|optional|(?:in an? |our |the )follow-?up\b(?!:)|nice to have|non-?blocking"
    r"|not blocking|no blockers?|up to you|bei gelegenheit|kleinigkeit\w*|kein muss)\b"
)
NOT_RUN = _any(
    r"\b(?:no|not a single|none of the|kein\w*) (?:\w+ ){0,2}?(?:tests?|assertions?"
    r"|checks?) (?:\w+ ){0,3}?(?:run|ran|executed|started|evaluated|ausgeführt|gestartet|gelaufen)\b",
    r"\bkonnten? nicht (?:durchgeführt|ausgeführt|gestartet) werden\b|\bcould not be (?:run|executed"
    r"|carried out)\b",
)
AT_A_LOSS = _any(
    r"\b(?:rest|it|all) is unclear\b|\bboth (?:are )?wrong\b",
    r"\b(?:either side|no idea|not found out|can'?t (?:say|tell) (?:who|which (?:of|one|side)|why|whether)"
    r"|don'?t know (?:why|who|whether)|(?:unclear|not clear) (?:to me )?(?:who|why|whether|which)"
    r"|could be (?:either|both|the test or)|could not determine|cause (?:is )?(?:unknown|unclear|not known)"
    r"|noch unklar|weiß nicht|ursache (?:unklar|unbekannt))\b",
    r"\b(?:no clue|beats me|no way to (?:tell|know)|hard to (?:say|tell)|(?:can't|cannot"
    r"|can not) be (?:said|told|determined)|not sure (?:who|which|whether|if|why)|(?:two|several"
    r"|three) (?:hypotheses|theories|possible (?:causes|explanations))|keine ahnung|schwer zu sagen|ratlos"
    r"|lässt sich nicht (?:sagen|klären|feststellen)|kann (?:ich )?nicht (?:sagen|beurteilen)"
    r"|unklar,? (?:ob|wer|warum|woran)|weiß (?:ich )?(?:auch )?nicht)\b",
    r"\b(?:could not reproduce|couldn'?t reproduce|cannot reproduce|might as well be"
    r"|versteh(?:e)? ich nicht\b|no logs, no|conclusion open)\b",
)
