"""The launcher: confines a command, runs it, and ends all that it started. In processes of its own only.

`main` with the arguments `launch SPEC CONTROL STATUS`, three open file descriptors: SPEC holds `key NUL value
NUL` pairs (written by `sandbox.py`), CONTROL is a pipe whose end of file says "end everything" (so it also
tells of the death of the one who holds it), STATUS takes one line: `code N`, `missing WHY` or `refused WHY`.
What cannot be confined as asked is refused, never run.

The processes: the launcher, outside of every confinement, adopts orphans and ends them; with namespaces there
is an `init` below it, whose end ends the namespace; below that, the command.
"""
# It starts with every confined command, and the import of pathlib would double its time; it is what starts
# the processes, without a shell and no others than asked for:
# ruff: noqa: PTH103, PTH110, PTH112, PTH115, PTH120, PTH123, PTH208, PTH211, S606

import ctypes
import os
import select
import struct
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
SET_PDEATHSIG, CAPBSET_READ, CAPBSET_DROP, SET_SECCOMP, SUBREAPER, NO_NEW_PRIVS = 1, 23, 24, 22, 36, 38
NEWNS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR, CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 428, 429, 442, 444, 445, 446
CLONE_TREE, RECURSIVE, EMPTY_PATH, HERE, AMBIENT, CLEAR_AMBIENT = 1, 0x8000, 0x1000, -100, 47, 4
REC, PRIVATE, READ_ONLY = 0x4000, 0x40000, struct.pack("4Q", 1, 0, 0, 0)
SIGKILL, SIGPIPE, SIGCHLD, SIGXFSZ, SETMASK = 9, 13, 17, 25, 2

LIST, READ, MAKE_DEVICES, IOCTL = 0b1000, 0b1101, 1 << 6 | 1 << 11, 1 << 15
OF_FILES = 0b111 | 1 << 14 | IOCTL
PORTS, SCOPES, CONNECT = 4, 6, 2  # the versions of Landlock that brought them, and a right of the first
RIGHTS_BY_ABI = (0, (1 << 13) - 1, (1 << 14) - 1, (1 << 15) - 1, (1 << 15) - 1, (1 << 16) - 1)
# (architecture as seccomp names it, number of `socket`), by `uname -m`
SOCKET_CALL = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198), "riscv64": (0xC00000F3, 198)}
# What root keeps: files of any owner, other users, low ports. Not: mounts, modules, devices, tracing.
KEPT_CAPABILITIES = {0, 1, 3, 4, 5, 6, 7, 8, 10}

INHERITED = True
Spec = dict[str, list[str]]


def libc(name: str, *args: int | bytes | None) -> int:
    words = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    result = int(getattr(LIBC, name)(*words))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}({', '.join(map(str, args[:3]))}): {os.strerror(error)}")
    return result


def main() -> None:
    sys.excepthook = refuse
    part, descriptors = sys.argv[1], [int(text) for text in sys.argv[2:]]
    for descriptor in descriptors:
        os.set_inheritable(descriptor, not INHERITED)
    spec: Spec = {}
    words = iter(os.pread(descriptors[0], os.fstat(descriptors[0]).st_size, 0).split(b"\0"))
    for key, value in zip(words, words, strict=False):
        spec.setdefault(key.decode(), []).append(os.fsdecode(value))
    if part == "launch":
        launch(spec, *descriptors)
    else:
        init(spec, descriptors[-1])


def report(status: int, text: str) -> None:
    os.write(status, os.fsencode(text.replace("\n", " ")) + b"\n")


def refuse(kind: type[BaseException], error: BaseException, _trace: object) -> None:
    """What becomes of an unforeseen error on the way to the command, in whichever process: it is not run."""
    report(int(sys.argv[-1]), f"refused {kind.__name__}: {error}")
    os._exit(1)


def launch(spec: Spec, memory: int, control: int, status: int) -> None:
    if os.readlink("/proc/self") != str(os.getpid()):
        raise OSError(0, "/proc shows another PID namespace, so that descendants cannot be found")
    libc("prctl", SUBREAPER, 1, 0, 0, 0)
    mask = (1 << SIGCHLD - 1).to_bytes(128, "little")
    libc("sigprocmask", 0, mask, None)
    events = libc("signalfd", -1, mask, os.O_CLOEXEC | os.O_NONBLOCK)
    if "namespaces" in spec:
        enter_namespaces(spec)
    part = next((key for key in ("bubblewrap", "namespaces") if key in spec), "command")
    child = os.fork()
    if child == 0:
        if part == "bubblewrap":
            bubblewrap([*spec["bubblewrap"], str(memory), str(status)])
        (init if part == "namespaces" else command)(spec, status)
        os._exit(1)
    ended = attend(child, control, events)
    end_all()
    if ended is None:
        if "private" in spec:
            os.execvp("rm", ["rm", "-rf", "--", *spec["private"]])
    elif part == "command" or os.WIFSIGNALED(ended):
        report(status, f"code {os.waitstatus_to_exitcode(ended)}")
    else:
        report(status, f"refused {part} ended with {os.waitstatus_to_exitcode(ended)}")


def attend(child: int, control: int, events: int) -> int | None:
    """The wait status of the child; None if everything is to end before it. Reaps orphans meanwhile."""
    poll = select.poll()
    poll.register(control, 0)
    poll.register(events, select.POLLIN)
    while control not in dict(poll.poll()):
        os.read(events, 1024)
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == child:
                return ended[1]
    return None


def end_all() -> None:
    """Kill and reap whatever lives below, until nothing is left; orphans come up to this process."""
    try:
        while True:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                for pid in descendants():
                    LIBC.kill(pid, SIGKILL)
                os.waitpid(-1, 0)
    except ChildProcessError:
        return


def descendants() -> list[int]:
    parents: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                parents.setdefault(int(file.read().rpartition(b")")[2].split()[1]), []).append(int(name))
        except OSError:
            continue
    found = parents.get(os.getpid(), [])
    for pid in found:
        found += parents.get(pid, [])
    return found


def bubblewrap(argv: list[str]) -> None:
    for descriptor in argv[-2:]:
        os.set_inheritable(int(descriptor), INHERITED)
    libc("sigprocmask", SETMASK, bytes(128), None)
    os.execv(argv[0], argv)


def enter_namespaces(spec: Spec) -> None:
    user, group = os.geteuid(), os.getegid()
    flags = NEWPID | NEWIPC | (0 if {"network", "port"} & set(spec) else NEWNET)
    libc("unshare", flags | (NEWUSER if user else 0))
    if user:
        maps = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
        for name, text in maps.items():
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)


def init(spec: Spec, status: int) -> None:
    """The first process of its namespace: what it leaves behind the kernel ends."""
    libc("prctl", SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    if "namespaces" in spec:
        libc("unshare", NEWNS)
        arrange_files(spec)
        if "own_loopback" in spec and "network" not in spec:
            raise_loopback()
    child = os.fork()
    if child == 0:
        command(spec, status)
        os._exit(1)
    while (ended := os.waitpid(-1, 0))[0] != child:
        pass
    report(status, f"code {os.waitstatus_to_exitcode(ended[1])}")
    os._exit(0)


def raise_loopback() -> None:
    set_flags, up = 0x8914, 1
    libc("ioctl", libc("socket", 2, 1 | os.O_CLOEXEC, 0), set_flags, struct.pack("16sh22x", b"lo", up))


def arrange_files(spec: Spec) -> None:
    """All read-only, the hidden places empty, the shown ones back in their place."""
    libc("mount", None, b"/", None, REC | PRIVATE, None)
    trees = [(show[1:], tree(show[1:], writable=show[0] == "w")) for show in spec["show"]]
    temporary = [(place, tree(spec["tmp_source"][0], writable=True)) for place in spec.get("tmp", [])]
    libc("syscall", MOUNT_SETATTR, HERE, b"/", RECURSIVE, READ_ONLY, len(READ_ONLY))
    for place in spec.get("hide", []):
        libc("mount", b"tmpfs", os.fsencode(place), b"tmpfs", 0, b"mode=1777")
    for target, link in zip(spec.get("link_target", []), spec.get("link", []), strict=True):
        os.symlink(target, link)
    for place, descriptor in temporary + trees:
        attach(place, descriptor)
    libc("mount", b"proc", b"/proc", b"proc", 0b1110, None)


def tree(path: str, *, writable: bool) -> int:
    """A detached copy of the mounts at a path, with the flags that they have now."""
    clone = CLONE_TREE | RECURSIVE | os.O_CLOEXEC
    descriptor = libc("syscall", OPEN_TREE, HERE, os.fsencode(path), clone)
    if not writable:
        libc("syscall", MOUNT_SETATTR, descriptor, b"", RECURSIVE | EMPTY_PATH, READ_ONLY, len(READ_ONLY))
    return descriptor


def attach(place: str, descriptor: int) -> None:
    if not os.path.lexists(place):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        make = os.mkdir if os.path.isdir(f"/proc/self/fd/{descriptor}") else os.mknod
        make(place)
    libc("syscall", MOVE_MOUNT, descriptor, b"", HERE, os.fsencode(place), 4)
    os.close(descriptor)


def command(spec: Spec, status: int) -> None:
    os.setsid()
    if "namespaces" not in spec:
        libc("prctl", SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    if "confined" in spec:
        libc("prctl", NO_NEW_PRIVS, 1, 0, 0, 0)
        drop_capabilities()
        if "network" not in spec and "own_loopback" not in spec:
            deny_sockets(spec)
        if "landlock" in spec or "port" in spec:
            restrict(spec)
    libc("sigprocmask", SETMASK, bytes(128), None)
    for number in SIGPIPE, SIGXFSZ:
        libc("signal", number, 0)
    doing = f"work in {spec['cwd'][0]}"
    try:
        os.chdir(spec["cwd"][0])
        if "argv" not in spec:
            os._exit(0)
        doing = f"start {spec['argv'][0]}"
        os.execvpe(spec["argv"][0], spec["argv"], dict(pair.split("=", 1) for pair in spec["env"]))
    except OSError as error:
        report(status, f"missing cannot {doing}: {error.strerror}")


def drop_capabilities() -> None:
    """Of root all but the kept ones; who is not root keeps none over the start of a program."""
    libc("prctl", AMBIENT, CLEAR_AMBIENT, 0, 0, 0)
    for number in range(0 if os.geteuid() else 64):
        if number not in KEPT_CAPABILITIES and LIBC.prctl(CAPBSET_READ, number, 0, 0, 0) == 1:
            libc("prctl", CAPBSET_DROP, number, 0, 0, 0)


def restrict(spec: Spec) -> None:
    """Landlock: no path and no port but the named ones, no signal to the outside."""
    abi, ports = libc("syscall", CREATE_RULESET, None, 0, 1), spec.get("port", [])
    if ports and (abi < PORTS or "landlock" not in spec):
        raise OSError(0, "Landlock has no rules for ports here (they came with Linux 6.7)")
    rights = RIGHTS_BY_ABI[min(abi, len(RIGHTS_BY_ABI) - 1)]
    attributes = struct.pack("3Q", rights, CONNECT * bool(ports), 3 * (abi >= SCOPES))
    rules = libc("syscall", CREATE_RULESET, attributes, len(attributes), 0)
    write = rights & ~(MAKE_DEVICES | IOCTL)
    kinds = {"list": LIST, "read": READ, "write": write, "device": rights & (READ | OF_FILES)}
    for key, wanted in kinds.items():
        for path in (path for path in spec.get(key, []) if key == "write" or os.path.exists(path)):
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            allowed = wanted if os.path.isdir(path) else wanted & OF_FILES
            libc("syscall", ADD_RULE, rules, 1, struct.pack("=Qi", allowed, descriptor), 0)
            os.close(descriptor)
    for port in ports:
        libc("syscall", ADD_RULE, rules, 2, struct.pack("2Q", CONNECT, int(port)), 0)
    libc("syscall", RESTRICT_SELF, rules, 0)
    os.close(rules)


def deny_sockets(spec: Spec) -> None:
    """seccomp: no sockets but unix, netlink, and with ports TCP's, streams of families 2 and 10."""
    machine = os.uname().machine
    if machine not in SOCKET_CALL:
        raise OSError(0, f"no way to deny the network without namespaces on {machine}")
    architecture, socket_call = SOCKET_CALL[machine]
    load, equal, at_least, bits, give, allow, refuse = 0x20, 0x15, 0x35, 0x54, 0x06, 0x7FFF0000, 0x50000
    tcp = ((equal, 1, 0, 2), (equal, 0, 5, 10), (load, 0, 0, 24), (bits, 0, 0, 15), (equal, 0, 2, 1))
    away = len(tcp) if "port" in spec else 0
    program = (
        (load, 0, 0, 4),
        (equal, 0, 8 + away, architecture),
        (load, 0, 0, 0),
        (at_least, 6 + away, 0, 0x40000000),  # the x32 calls
        (equal, 5 + away, 0, 425),  # io_uring_setup
        (equal, 0, 3 + away, socket_call),
        (load, 0, 0, 16),
        (equal, 1 + away, 0, 1),
        (equal, away, 0 if away else 2, 16),
        *tcp[:away],
        (give, 0, 0, allow),
        (give, 0, 0, refuse | 38),  # ENOSYS
        (give, 0, 0, refuse | 13),  # EACCES
    )
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
    libc("prctl", SET_SECCOMP, 2, struct.pack("HP", len(program), ctypes.addressof(code)), 0, 0)
