"""The words that speak for a kind, as regular expressions for whole words, with their weights.

3: says so by itself; 2: only in a title, or beside others; 4: even beside another kind's word. A title counts
three times a body. A tie goes to the kind that stands first: "Support ruff 0.17" is a feature.
"""

from sparky.domain.issue import Kind

WORDS: dict[Kind, tuple[tuple[int, str], ...]] = {
    Kind.GENERAL: (
        (2, r"^(?:add|allow|build|create|enable|implement|introduce|make|provide|support)"),
        (4, r"crash(?:es|ed|ing)?|hangs|wrong results?|data loss"),
        (2, r"feature|endpoint|bug|regression"),
    ),
    Kind.FORMATTING: (
        (3, r"imports (?:are|is) (?:not |un)sorted|newline at end of file"),
        (
            3,
            (
                r"re-?format(?:ted|ting)?|unformatted|(?:run|apply) (?:black|isort|ruff)|code style|"
                r"pep ?8"
            ),
        ),
        (3, r"trailing whitespace|lines? (?:is |are )?too long|line length"),
        (3, r"import order|(?:un)?sort(?:ed|ing)? imports"),
        (3, r"format (?:the |all |our )?(?:code|source|files?)"),
        (2, r"formatting|indentation|whitespace|isort|ruff|lint(?:ing)?"),
        (3, r"tabs and spaces|wrap (?:the )?long lines|long lines|blank lines"),
    ),
    Kind.IMPORT_ERROR: (
        (
            3,
            (
                r"(?:redundant|superfluous) imports?|cannot be imported|"
                r"sys\.path(?:\.\w+)?(?: \w+){0,2} imports"
            ),
        ),
        (2, r"imports?(?= of| pattern)|of the imports"),
        (
            3,
            (
                r"(?:unused|circular|cyclic|missing|broken|star|wildcard|duplicate) imports?|"
                r"import errors?"
            ),
        ),
        (3, r"importerror|modulenotfounderror|undefined names?|cannot import|no module named"),
        (3, r"imports that (?:nothing|nobody|no one) uses?|nameerror: name"),
    ),
    Kind.TYPE_ERROR: (
        (
            3,
            (
                r"(?:missing|wrong) (?:return|argument|parameter) types?|"
                r"incompatible (?:return )?types?(?: value)?"
            ),
        ),
        (3, r"untyped|py\.typed|union-attr|arg-type|no-untyped-def|type stubs?"),
        (3, r"type errors?|type (?:hints?|annotations?)|mypy|pyright|type check(?:s|er|ing)?"),
        (3, r"annotate|return types?(?: of)?|type(?:d)?dict|generics?"),
    ),
    Kind.SECURITY: (
        (
            3,
            (
                r"yaml\.load|shell=true|pickle(?:s|d)?|"
                r"certificates? (?:is|are) not (?:verified|checked)|insecure|untrusted"
            ),
        ),
        (
            3,
            (
                r"(?:secrets?|passwords?|tokens?|credentials?) (?:is|are) "
                r"(?:\w+ )?(?:logged|leaked|written|exposed|printed|stored)|"
                r"auth(?:entication|orization)? bypass"
            ),
        ),
        (3, r"vulnerabilit(?:y|ies)|cve-\d+-\d+|sql injection|path traversal|xss|csrf|bandit"),
        (3, r"security|hard-?coded (?:passwords?|secrets?|credentials?|keys?)"),
        (
            3,
            (
                r"safe loader|plain text|encrypt\w*|privilege escalation|denial of service|ssrf|"
                r"open redirect"
            ),
        ),
    ),
    Kind.TEST_FAILURE: (
        (
            3,
            (
                r"test_\w+ (?:fails?|failing|failed|is (?:flaky|broken|red))|"
                r"(?:test )?suite is (?:red|broken)|assertionerror in test_\w+"
            ),
        ),
        (3, r"\d+ failed|fixture '?\w+'? not found|tests? (?:\w+ ){0,3}(?:times? out|hangs?)"),
        (3, r"(?:failing|broken|red|flaky) (?:\w+ )?tests?|test failures?"),
        (3, r"tests? (?:\w+ ){0,2}(?:fails?|failing|failed|broken)"),
        (3, r"(?:intermittent |random )?failures? of test_\w+|tests? (?:\w+ ){0,4}fails?"),
    ),
    Kind.COMPLEXITY: (
        (
            3,
            (
                r"(?:deeply )?nested (?:ifs?|loops?|conditions?|branches|blocks)|"
                r"(?:superfluous|needless) else|broken up|guard clauses?"
            ),
        ),
        (3, r"\d+ lines long"),
        (3, r"(?:cyclomatic|cognitive|code) complexity|too complex|too many (?:branches|arguments)"),
        (2, r"complexity|split (?:up )?(?:the )?(?:large|long|huge)|god (?:class|object)"),
        (
            3,
            (
                r"break up|too many (?:return statements|returns|statements|lines|responsibilities)|"
                r"has a complexity"
            ),
        ),
        (3, r"(?:huge|giant|monster|monolithic) (?:\w+ )?(?:functions?|methods?|class(?:es)?|modules?)"),
    ),
    Kind.DEAD_CODE: (
        (
            3,
            (
                r"commented-out code|(?:is|are) not used(?: anywhere)?(?! by)|"
                r"(?:obsolete|leftover) (?:\w+ )?(?:functions?|helpers?|code|files?)"
            ),
        ),
        (3, r"(?:useless|needless) (?:pass|statements?|assignments?)"),
        (3, r"(?:dead|unreachable|unused) (?:local )?(?:code|variables?|functions?|class(?:es)?|methods?)"),
        (2, r"unused(?! (?:imports?|dependenc))"),
        (
            3,
            (
                r"dead (?:branch(?:es)?|paths?|modules?|files?)|"
                r"(?:nobody|nothing|no one) (?:calls|uses|imports|needs)"
            ),
        ),
    ),
    Kind.DEPENDENCY: (
        (
            4,
            (
                r"^(?:bump|pin|upgrade|update) (?!the (?:docs|documentation|readme))"
                r"(?:the version of )?[\w-]+(?: to)? (?:v?\d[\w.]*)|"
                r"^pin (?:the )?(?:version|\w+)"
            ),
        ),
        (
            3,
            (
                r"deptry|version conflicts?|requirements\.txt lists|"
                r"unmaintained (?:package|librar(?:y|ies))|\w+\.lock|lock ?file"
            ),
        ),
        (
            3,
            (
                r"(?:packages?|librar(?:y|ies)) (?:that )?(?:we |"
                r"nobody )?(?:don't|doesn't|do not|no longer) uses?"
            ),
        ),
        (3, r"(?:outdated|vulnerable|missing|unused|upgrade|update|bump|pin) (?:\w+ )?dependenc(?:y|ies)"),
        (2, r"dependenc(?:y|ies)"),
        (4, r"^(?:bump|upgrade|update|downgrade) [\w-]+ (?:from|to|v?\d)"),
        (3, r"(?:dependency|dependencies) on \w+"),
    ),
    Kind.DRY_VIOLATION: (
        (
            3,
            (
                r"(?:same|identical|duplicated?|redundant|repeated) "
                r"(?:functions?|logic|constants?|bod(?:y|ies)|cop(?:y|ies)|helpers?|quer(?:y|ies))"
            ),
        ),
        (
            3,
            (
                r"r0801|similar lines|(?:exists?|defined|implemented) (?:twice|three times)|"
                r"copies of (?:the )?\w+|same body"
            ),
        ),
        (3, r"duplicated? code|code duplication|copy[- ]pasted?|dry violations?|repeated code"),
        (
            3,
            (
                r"duplicated? (?:\w+ ){0,2}(?:handling|logic|checks?|validation|in)|"
                r"(?:merge|unify) (?:the )?(?:two|three|identical)"
            ),
        ),
    ),
    Kind.PERFORMANCE: (
        (
            3,
            (
                r"takes (?:\w+ )?\d+ (?:seconds|minutes|s|min)|cpu usage|memory usage|"
                r"cache the (?:results?|response|lookup)|(?:list|dict|set) comprehensions?"
            ),
        ),
        (
            3,
            (
                r"speed up|too slow|n\+1 quer(?:y|ies)|memory leak|"
                r"performance (?:problem|issue|regression)s?"
            ),
        ),
        (2, r"performance|slow(?:er|ness)?|latency|optimi[sz]e"),
        (
            3,
            (
                r"too many (?:\w+ )?(?:queries|requests|calls|allocations)|"
                r"memory (?:consumption|footprint)"
            ),
        ),
    ),
    Kind.DOCUMENTATION: (
        (
            3,
            (
                r"(?:installation|setup|build) instructions|contributing guide|spelling|"
                r"misspel(?:t|led|lings?)|api reference|in the (?:manual|guide|tutorial)"
            ),
        ),
        (3, r"changelog|broken links?|explain (?:the|how|what|why)"),
        (3, r"docstrings?"),
        (2, r"documentation|document|docs|readme|typos?"),
    ),
    Kind.TEST_ORGANIZATION: (
        (
            3,
            (
                r"(?:reorgani[sz]e|restructure|regroup|move|split|separate) "
                r"(?:the |our )?(?:\w+ )?tests?(?!\w)|"
                r"split test_\w+"
            ),
        ),
        (4, r"conftest|fixtures? should|parametri[sz]e|(?:from|and) slow tests"),
        (3, r"(?:reorgani[sz]e|restructure|regroup|rename|move) (?:the |our )?tests?"),
        (3, r"test (?:organi[sz]ation|layout|structure)"),
        (3, r"group (?:the |our )?tests?|tests? by (?:package|module|feature)"),
    ),
    Kind.TEST_CREATION: (
        (3, r"need (?:\w+ )?tests?|cover (?:\w+ ){1,4}(?:with|by) tests?"),
        (3, r"(?:add|write|create|missing|more) (?:\w+ ){0,2}tests?|test coverage|untested"),
        (3, r"regression tests?(?= for)"),
        (3, r"no (?:\w+ )?tests?(?: for)?"),
    ),
    Kind.REVIEW: (
        (3, r"^review|review (?:the|this|our|these) (?:code|changes?|diff|branch|pull request)"),
        (3, r"^(?:please )?review|^code review|review (?:of )?(?:the |our )?pull request"),
    ),
}
