"""Runs a program on a pty that behaves like a true-colour xterm, at full speed or as slow as a link."""
import collections
import dataclasses
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

CELL_WIDTH, CELL_HEIGHT = 8, 16
# What a terminal is asked, as one pattern, so that output is searched once.
QUESTIONS = re.compile(
    rb"\x1b\[(?P<control>[>=?]?[0-9]*(?:;[0-9]+)*(?:c|n|q|t|\$p))"
    rb"|\x1b\](?P<color>1[01]);\?(?:\x07|\x1b\\)"
    rb"|\x1bP\$q(?P<status>[^\x1b]*)\x1b\\"
    rb"|\x1b_G(?P<kitty>[^\x1b;]*a=q)[^\x1b]*\x1b\\"
    rb"|\x1bP\+q(?P<capability>[^\x1b]*)\x1b\\"
    rb"|\x1b\[(?P<style>[0-9;:]+)m")
LONGEST_QUESTION = 64


class Answers:
    """What a true-colour xterm with synchronised updates answers; with graphics, a terminal that knows Kitty's and sixels."""

    def __init__(self, columns, rows, graphics=False):
        name = b"\x1bP>|%s\x1b\\" % (b"WezTerm 20240203" if graphics else b"XTerm(379)")
        attributes = b"\x1b[?62;4;22c" if graphics else b"\x1b[?62;22c"
        self.graphics = graphics
        self.fixed = {
            b"c": attributes, b"0c": attributes, b">c": b"\x1b[>41;379;0c", b">0c": b"\x1b[>41;379;0c",
            b"=c": b"\x1bP!|00000000\x1b\\", b"5n": b"\x1b[0n", b"6n": b"\x1b[1;1R",
            b">q": name, b">0q": name, b"?2026$p": b"\x1b[?2026;2$y",
            b"14t": b"\x1b[4;%d;%dt" % (rows * CELL_HEIGHT, columns * CELL_WIDTH),
            b"16t": b"\x1b[6;%d;%dt" % (CELL_HEIGHT, CELL_WIDTH), b"18t": b"\x1b[8;%d;%dt" % (rows, columns),
        }
        self.style = b"0"
        self.tail = b""

    def to(self, data):
        """The answers to the questions in output that goes on where the last call ended."""
        text = self.tail + data
        answers = []
        for match in QUESTIONS.finditer(text):
            # Reported already if it ended within what was kept of the last call.
            if match.end() <= len(self.tail):
                continue
            kind = match.lastgroup
            if kind == "style":
                self.style = match["style"]
            elif kind == "color":
                answers.append(b"\x1b]%s;rgb:%s\x1b\\" % (
                    match["color"], b"cccc/cccc/cccc" if match["color"] == b"10" else b"0000/0000/0000"))
            elif kind == "status":
                answers.append(b"\x1bP1$r0;%sm\x1b\\" % self.style if match["status"] == b"m" else b"\x1bP0$r\x1b\\")
            elif kind == "kitty" and self.graphics:
                answers.append(b"\x1b_Gi=31;OK\x1b\\")
            elif kind == "capability":
                answers.append(b"\x1bP0+r%s\x1b\\" % match["capability"])
            elif match["control"] in self.fixed:
                answers.append(self.fixed[match["control"]])
        # From the last escape on, a question may be cut in half.
        cut = text.rfind(b"\x1b", max(0, len(text) - LONGEST_QUESTION))
        self.tail = text[cut:] if cut >= 0 else b""
        return b"".join(answers)


@dataclasses.dataclass
class Outcome:
    """What a run cost."""
    status: int
    bytes: int
    cpu_s: float
    memory_mb: float
    started: float
    wall_s: float


def run(command, columns, rows, *, rate=None, held=0, seconds=None, limit=90, environment=None, arrived=None, keys=None,
        graphics=False):
    """Runs `command` until it ends, or for `seconds`, and reads all that it writes.

    rate     bytes a second that the link carries; as much as is read otherwise
    held     bytes that a network would take off the pty before they are carried, as ssh and TCP do
    arrived  called with (bytes, time) for what came out at the far end
    graphics the terminal shows pictures in its own pixels
    keys     called with the time before each wait; gives bytes to type, or None
    """
    process, terminal = pty.fork()
    window = struct.pack("HHHH", rows, columns, columns * CELL_WIDTH, rows * CELL_HEIGHT)
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, window)
        for name in ("TMUX", "STY", "TERM_PROGRAM", "NO_COLOR", "COLUMNS", "LINES", "SSH_CONNECTION", "SSH_TTY"):
            os.environ.pop(name, None)
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", LC_ALL="C.UTF-8", **(environment or {}))
        try:
            os.execvp(command[0], command)
        finally:
            os._exit(127)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, window)
    link = Link(terminal, rate, held, Answers(columns, rows, graphics), arrived)
    started = time.monotonic()
    stopping = None
    while True:
        now = time.monotonic()
        if stopping is None and seconds is not None and now - started >= seconds:
            stopping = now
            os.kill(process, signal.SIGINT)
            link.rate = None
        if now - started > limit or (stopping and now - stopping > 3):
            os.kill(process, signal.SIGKILL)
        typed = keys(now) if keys and stopping is None else None
        if typed:
            os.write(terminal, typed)
        if not link.turn(now):
            break
    wall = time.monotonic() - started
    _, status, usage = os.wait4(process, 0)
    os.close(terminal)
    return Outcome(os.waitstatus_to_exitcode(status), link.carried, usage.ru_utime + usage.ru_stime,
                   usage.ru_maxrss / 1024, started, wall)


class Link:
    """Takes bytes off the pty and brings them to the far end, no faster than its rate."""

    def __init__(self, terminal, rate, held, answers, arrived):
        self.terminal, self.rate, self.held = terminal, rate, held
        self.answers, self.arrived = answers, arrived
        self.waiting = collections.deque()
        self.waiting_bytes = 0
        self.carried = 0
        self.free_at = time.monotonic()

    def turn(self, now):
        """Waits a little for what can be done next and does it; False when the program has closed the terminal."""
        # Without a buffer of its own the link takes only what it carries at once: a hundredth of a second's worth.
        piece = 65536 if self.rate is None else max(256, self.rate // 100)
        room = max(piece, self.held) - self.waiting_bytes if self.rate is not None else piece
        wait = 0.05
        if self.waiting:
            wait = min(wait, max(0, self.free_at - now))
        readable, _, _ = select.select([self.terminal] if room > 0 else [], [], [], wait)
        if readable:
            try:
                data = os.read(self.terminal, min(65536, room))
            except OSError:
                return False
            if not data:
                return False
            if self.rate is None and not self.waiting:
                self.deliver(data, time.monotonic())
                return True
            if not self.waiting:
                self.free_at = max(self.free_at, time.monotonic())
            self.waiting.append(data)
            self.waiting_bytes += len(data)
        while self.waiting and (self.rate is None or self.free_at <= time.monotonic()):
            data = self.waiting.popleft()
            if self.rate is not None and len(data) > piece:
                self.waiting.appendleft(data[piece:])
                data = data[:piece]
            self.waiting_bytes -= len(data)
            if self.rate is not None:
                self.free_at += len(data) / self.rate
            self.deliver(data, max(self.free_at, time.monotonic()) if self.rate is not None else time.monotonic())
        return True

    def deliver(self, data, at):
        self.carried += len(data)
        answer = self.answers.to(data)
        if answer:
            os.write(self.terminal, answer)
        if self.arrived:
            self.arrived(data, at)
