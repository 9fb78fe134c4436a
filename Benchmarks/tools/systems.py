"""What rooms of different systems cost: the same people in a room of ours, in one of Janus, and spread over both."""
import contextlib
import json
import os
import subprocess
import tempfile
import time

from .players import CLIPS, PROGRAM, ROOT
from .room import QUIET, server_url, token

PEERS = os.path.join(ROOT, "Tests/EndToEndTests/Peers")
JANUS = "janus://192.0.2.2:8188/?room=1234"
PEOPLE = 6
SECONDS = 12
# Joining and the first key frames are another figure.
SETTLED = 3
TURNS = 5


def is_possible():
    """A network of one's own takes the rights of the superuser, and Janus has to be there."""
    return os.geteuid() == 0 and subprocess.run(["which", "janus"], capture_output=True).returncode == 0


class Lab:
    """A network with our server and Janus in it."""

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        self.folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        network = self.start([os.path.join(PEERS, "network.sh")], stdout=subprocess.PIPE, text=True)
        self.inside = network.stdout.readline().split()[1]
        server = self.run("serve", "--port", "0", "--udp-port", "0", stderr=subprocess.PIPE,
                          stdout=subprocess.DEVNULL, text=True)
        self.url = server_url(server)
        self.start(self.enter([os.path.join(PEERS, "janus_server.sh"), self.folder]), **QUIET)
        probe = "import socket; socket.create_connection(('192.0.2.2', 8188), 1)"
        deadline = time.monotonic() + 20
        while subprocess.run(self.enter(["python3", "-c", probe]), capture_output=True).returncode:
            if time.monotonic() > deadline:
                raise SystemExit("Janus does not listen.")
        return self

    def __exit__(self, *_):
        self.stack.close()

    def enter(self, command):
        return ["nsenter", "--target", self.inside, "--net", *command]

    def start(self, command, **options):
        process = subprocess.Popen(command, **options)

        def end():
            # unshare(1), which holds the network, ignores whatever can be ignored.
            process.kill()
            process.wait()
        self.stack.callback(end)
        return process

    def run(self, *arguments, **options):
        return self.start(self.enter([PROGRAM, *arguments]), **(options or QUIET))

    def address(self, system, identity):
        """The words that name a room, and who goes there."""
        if system == "janus":
            return [JANUS, "--name", identity]
        return [self.url, "--token", token("bench", identity)]

    def publish(self, system, count):
        clip = os.path.join(CLIPS, "person_180.y4m")
        for number in range(count):
            self.run("publish", *self.address(system, f"{system}{number}"), "--video", clip, "--single", "--loop",
                     "--audio", "none")

    def watch(self, *systems):
        """(processor milliseconds for each decoded frame, longest time to a first frame) of a viewer of these rooms."""
        words = [word for system in systems for word in self.address(system, "watcher")]
        command = self.enter([PROGRAM, "join", *words, "--headless", "--seconds", str(SECONDS), "--layer", "high"])
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
            time.sleep(SETTLED)
            before = processor_time(process.pid)
            time.sleep(SECONDS - SETTLED - 2)
            after = processor_time(process.pid)
            process.wait()
            output.seek(0)
            lines = [json.loads(line) for line in output]
        statistics = [line for line in lines if line["type"] == "stats"]
        frames = [sum(track["frames_decoded"] for track in line["tracks"]) for line in statistics
                  if SETTLED <= line["t"] <= SECONDS - 2]
        seconds = [line["t"] for line in statistics if SETTLED <= line["t"] <= SECONDS - 2]
        rate = (frames[-1] - frames[0]) / (seconds[-1] - seconds[0])
        firsts = [line["since_join_ms"] for line in lines if line["type"] == "first_frame"]
        if len(firsts) < PEOPLE:
            raise SystemExit(f"Only {len(firsts)} of {PEOPLE} were seen.")
        return 1000 * (after - before) / (SECONDS - SETTLED - 2) / rate, max(firsts)


def processor_time(pid):
    """Seconds that a process has used so far, to the nanosecond: /proc tells hundredths, a twentieth of what is measured.
    The clock's number is made as clock_getcpuclockid(3) does it on Linux."""
    return time.clock_gettime(~pid << 3 | 2)


def middle(values):
    return sorted(values)[len(values) // 2]


def compare():
    """Of one room of ours, one of Janus with as many, and half of them in each: milliseconds a frame, and the longest time to
    a first frame. Runs alternate, and each figure is the middle one, as the machine is never quite the same."""
    rooms = {"livekit": ("livekit",), "janus": ("janus",), "both": ("livekit", "janus")}
    results = {name: [] for name in rooms}
    for _ in range(TURNS):
        for name, systems in rooms.items():
            with Lab() as lab:
                for system in systems:
                    lab.publish(system, PEOPLE // len(systems))
                time.sleep(SETTLED)
                results[name].append(lab.watch(*systems))
    return {name: (middle([cost for cost, _ in runs]), middle([first for _, first in runs]))
            for name, runs in results.items()}
