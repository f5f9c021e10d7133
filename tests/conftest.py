"""What every test runs under: examples are not timed, since the machine that they run on is shared.

A shell that starts the tests in the background has told them to ignore ^C, and so what they start would.
"""

import signal

from hypothesis import settings

settings.register_profile("sparky", deadline=None)
settings.load_profile("sparky")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
