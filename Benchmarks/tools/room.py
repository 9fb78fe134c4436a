"""What a live room costs: real processes on loopback, with real UDP, ICE, DTLS, SRTP, VP8 and Opus."""
import json
import os
import signal
import statistics
import subprocess
import tempfile

from .players import PROGRAM
from .pseudo_terminal import run

RUNS = int(os.environ.get("RUNS", "3"))
SECONDS = 8
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}


def token(room, identity):
    return subprocess.check_output([PROGRAM, "token", "--room", room, "--identity", identity], text=True).strip()


def server_url(process):
    """The address that a server tells on its first line."""
    return next(word.rstrip(",") for word in process.stderr.readline().split() if word.startswith("ws://"))


class Server:
    """A room server on free ports."""

    def __enter__(self):
        self.process = subprocess.Popen([PROGRAM, "serve", "--port", "0", "--udp-port", "0"],
                                        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.url = server_url(self.process)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def on_terminal(arguments, columns=120, rows=40):
    """Runs the program on a terminal until it ends by itself; gives what --stats wrote."""
    with tempfile.TemporaryDirectory() as folder:
        figures = os.path.join(folder, "figures.json")
        command = [PROGRAM, *arguments, "--seconds", str(SECONDS), "--stats", figures]
        outcome = run(command, columns, rows, limit=60)
        if outcome.status:
            raise SystemExit(f"exit status {outcome.status}: " + " ".join(arguments))
        with open(figures) as file:
            return json.load(file)


def first_frame():
    """Milliseconds from the start of joining to the first decoded picture, key-frame wait included."""
    with Server() as server:
        publisher = subprocess.Popen([PROGRAM, "publish", server.url, "--token", token("bench", "ada")], **QUIET)
        try:
            times = []
            for number in range(RUNS):
                out = subprocess.run(
                    [PROGRAM, "join", server.url, "--token", token("bench", f"viewer{number}"), "--headless",
                     "--seconds", "3"], capture_output=True, text=True).stdout
                lines = [json.loads(line) for line in out.splitlines()]
                times += [line["since_join_ms"] for line in lines if line["type"] == "first_frame"][:1]
            return statistics.median(times)
        finally:
            publisher.terminate()
            publisher.wait()


def viewer_of_nine():
    """Figures of a viewer of its own of nine people at 15 pictures a second, each the median of the runs."""
    company = subprocess.Popen([PROGRAM, "demo", "--headless", "--participants", "9", "--steady"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        url = server_url(company)
        runs = [on_terminal(["join", url, "--token", token("demo", f"bench{number}"), "--audio-device", "null"])
                for number in range(RUNS)]
        names = set.intersection(*(set(figures) for figures in runs))
        return {name: statistics.median(figures[name] for figures in runs) for name in names
                if isinstance(runs[0][name], (int, float))}
    finally:
        company.send_signal(signal.SIGINT)
        company.wait()


def whole_demo():
    """The demo with nine people, their server and the viewer in one process: least pictures a second of any tile; None if
    no run told it."""
    runs = [on_terminal(["demo", "--participants", "9", "--steady", "--audio-device", "null"]) for _ in range(RUNS)]
    rates = [figures["tile_fps_least"] for figures in runs if "tile_fps_least" in figures]
    return statistics.median(rates) if rates else None
