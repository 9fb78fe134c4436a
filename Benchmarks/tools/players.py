"""The programs that are measured, and how each is told to play a clip on the whole terminal."""
import os
import re
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("CONFAB_BINARY", os.path.join(ROOT, ".build/release/confab"))
CLIPS = os.environ.get("CONFAB_CLIPS", os.path.join(ROOT, ".lab/clips"))
TRUE_COLOR, PALETTE_256 = "24bit", "256"


def clip(name):
    return os.path.join(CLIPS, name + ".ivf")


def make_clips():
    """Makes what is missing; False when ffmpeg is."""
    if shutil.which("ffmpeg") is None:
        return False
    subprocess.run([os.path.join(ROOT, "Benchmarks/clips"), CLIPS], check=True)
    return True


def confab(*clips, colors=TRUE_COLOR, more=()):
    return [PROGRAM, "play", *map(clip, clips), "--colors", colors, *more]


def mpv(name, colors=TRUE_COLOR, paced=False):
    """Half blocks. Unpaced it draws every frame as fast as it can; paced it drops what is late."""
    command = ["mpv", "--no-config", "--no-audio", "--really-quiet", "--vo=tct"]
    if not paced:
        command += ["--untimed", "--framedrop=no"]
    if colors == PALETTE_256:
        command.append("--vo-tct-256=yes")
    return command + [clip(name)]


def timg(name, columns, rows, colors=TRUE_COLOR):
    """Half blocks, at the clip's pace."""
    command = ["timg", "-V", "-ph", f"-g{columns}x{rows}"]
    if colors == PALETTE_256:
        command.append("--color8")
    return command + [clip(name)]


def chafa(stills, columns, rows, colors=TRUE_COLOR):
    """Half blocks of pictures that lie ready, on one thread; it does not play VP8."""
    return ["chafa", "--symbols", "half", "--colors", "full" if colors == TRUE_COLOR else "240", "--threads", "1",
            "--format", "symbols", "--size", f"{columns}x{rows}", *stills]


def stills(count):
    """The first pictures of the call as XWD, which costs next to nothing to read."""
    folder = os.path.join(CLIPS, "stills")
    names = [os.path.join(folder, f"{number:03}.xwd") for number in range(1, count + 1)]
    if not all(os.path.exists(name) for name in names):
        os.makedirs(folder, exist_ok=True)
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", clip("call_360"), "-frames:v", str(count),
                        "-pix_fmt", "bgra", os.path.join(folder, "%03d.xwd")], check=True)
    return names


def has(name):
    return shutil.which(name) is not None


def version(name):
    """As the program calls itself, short."""
    if not has(name):
        return "missing"
    told = subprocess.run([name, "--version"], capture_output=True, text=True)
    found = re.search(r"[0-9]+(\.[0-9]+)+", told.stdout + told.stderr)
    return found[0] if found else "?"
