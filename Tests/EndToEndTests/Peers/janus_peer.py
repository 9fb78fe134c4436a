"""People in a Janus VideoRoom, made with libwebrtc (PyPI's wrtc): each publishes a moving picture and a tone.

Prints one JSON line an event, and takes commands, one a line, from the pipe that --commands names:
    join NAME | leave NAME | rename NAME NEW | send NAME on|off | moderate NAME on|off | kick NAME | destroy | quit
"""
import argparse, asyncio, json, math, os, struct, time

# Layers below 320x180 are left out otherwise.
os.environ.setdefault("WRTC_FIELD_TRIALS", "WebRTC-LegacySimulcastLayerLimit/Disabled/")

import aiohttp, numpy as np, webrtc

START = time.monotonic()


def report(event, **fields):
    print(json.dumps({"type": event, "t": round(time.monotonic() - START, 3), **fields}), flush=True)


class Janus:
    """One session over a WebSocket."""

    def __init__(self, socket):
        self.socket, self.waiting, self.handles, self.count = socket, {}, {}, 0

    async def read(self):
        async for frame in self.socket:
            message = json.loads(frame.data)
            future, ends_with_ack = self.waiting.get(message.get("transaction"), (None, False))
            if future and not future.done() and (message["janus"] != "ack" or ends_with_ack):
                future.set_result(message)
            elif message.get("sender") in self.handles:
                await self.handles[message["sender"]].noticed(message)

    async def request(self, verb, **fields):
        self.count += 1
        transaction = f"p{self.count}"
        future = asyncio.get_running_loop().create_future()
        self.waiting[transaction] = (future, verb in ("keepalive", "trickle"))
        await self.socket.send_str(json.dumps({"janus": verb, "transaction": transaction, **fields}))
        answer = await asyncio.wait_for(future, 10)
        if answer["janus"] == "error":
            raise RuntimeError(answer["error"])
        return answer

    async def start(self):
        self.session = (await self.request("create"))["data"]["id"]

    async def attach(self, owner):
        answer = await self.request("attach", session_id=self.session, plugin="janus.plugin.videoroom")
        self.handles[answer["data"]["id"]] = owner
        return answer["data"]["id"]

    async def ask(self, handle, body, jsep=None):
        more = {"jsep": jsep} if jsep else {}
        answer = await self.request("message", session_id=self.session, handle_id=handle, body=body, **more)
        data = answer["plugindata"]["data"]
        if "error_code" in data:
            raise RuntimeError(data)
        return data, answer.get("jsep")


class Person:
    def __init__(self, janus, name, options):
        self.janus, self.name, self.options = janus, name, options
        # Candidates that came before the description that they belong to.
        self.early, self.is_answered = [], False

    async def join(self):
        options = self.options
        self.handle = await self.janus.attach(self)
        body = {"request": "join", "ptype": "publisher", "room": options.room, "display": self.name}
        if options.pin:
            body["pin"] = options.pin
        data, _ = await self.janus.ask(self.handle, body)
        self.id = data["id"]
        self.video = webrtc.VideoTrackGenerator()
        self.pictures = self.video.writable.get_writer()
        self.audio = webrtc.MediaStreamTrackGenerator("audio")
        self.sound = self.audio.writable.get_writer()
        self.connection = webrtc.RTCPeerConnection()
        self.connection.on("icecandidate", lambda event: asyncio.ensure_future(self.trickle(event.candidate)))
        layers = [("h", 1, 400_000), ("m", 2, 150_000), ("l", 4, 60_000)]
        encodings = [
            webrtc.RTCRtpEncodingParameters(rid=rid, scale_resolution_down_by=scale, max_bitrate=rate)
            for rid, scale, rate in (layers if options.simulcast else [])]
        self.connection.add_transceiver(self.audio, webrtc.RTCRtpTransceiverInit(direction="sendonly"))
        self.connection.add_transceiver(
            self.video.track, webrtc.RTCRtpTransceiverInit(direction="sendonly", send_encodings=encodings))
        await self.connection.set_local_description(await self.connection.create_offer())
        offer = self.connection.local_description
        data, answer = await self.janus.ask(
            self.handle, {"request": "publish"}, {"type": "offer", "sdp": offer.sdp})
        await self.connection.set_remote_description(
            webrtc.RTCSessionDescription(webrtc.RTCSessionDescriptionInit(type="answer", sdp=answer["sdp"])))
        self.is_answered = True
        for candidate in self.early:
            await self.connection.add_ice_candidate(candidate)
        report("publishing", name=self.name, id=self.id)

    async def trickle(self, candidate):
        value = {"completed": True}
        if candidate and candidate.candidate:
            value = {"sdpMid": candidate.sdp_mid, "sdpMLineIndex": candidate.sdp_m_line_index,
                     "candidate": candidate.candidate}
        try:
            await self.janus.request(
                "trickle", session_id=self.janus.session, handle_id=self.handle, candidate=value)
        except (RuntimeError, asyncio.TimeoutError):
            pass

    async def noticed(self, message):
        if message["janus"] == "trickle":
            candidate = message["candidate"]
            if "completed" in candidate:
                return
            parsed = webrtc.RTCIceCandidateInit(
                candidate=candidate["candidate"], sdp_mid=candidate["sdpMid"],
                sdp_m_line_index=candidate["sdpMLineIndex"])
            if self.is_answered:
                await self.connection.add_ice_candidate(parsed)
            else:
                self.early.append(parsed)
        elif message["janus"] == "webrtcup":
            report("up", name=self.name)
        elif message["janus"] == "event":
            data = message["plugindata"]["data"]
            for key in ("leaving", "joining", "moderation", "unpublished", "kicked"):
                if key in data:
                    report("event", name=self.name, data=data)
                    break

    async def leave(self):
        await self.janus.ask(self.handle, {"request": "leave"})
        self.connection.close()
        await self.janus.request("detach", session_id=self.janus.session, handle_id=self.handle)


class Room:
    def __init__(self, janus, options):
        self.janus, self.options, self.people = janus, options, {}

    async def join(self, name):
        person = Person(self.janus, name, self.options)
        await person.join()
        self.people[name] = person

    async def leave(self, name):
        await self.people.pop(name).leave()

    async def admin(self, body):
        any_handle = next(iter(self.people.values())).handle
        return await self.janus.ask(any_handle, {"room": self.options.room, "secret": "moderator", **body})

    async def command(self, words):
        name = words[1] if len(words) > 1 else ""
        if words[0] == "join":
            await self.join(name)
        elif words[0] == "leave":
            await self.leave(name)
        elif words[0] == "rename":
            await self.janus.ask(self.people[name].handle, {"request": "configure", "display": words[2]})
        elif words[0] == "send":
            streams = [{"mid": mid, "send": words[2] == "on"} for mid in ("0", "1")]
            await self.janus.ask(self.people[name].handle, {"request": "configure", "streams": streams})
        elif words[0] == "moderate":
            await self.admin({"request": "moderate", "id": self.people[name].id, "mid": "1", "mute": words[2] == "on"})
        elif words[0] == "kick":
            # The first word after the name may be an id of somebody else's.
            await self.admin({"request": "kick", "id": self.people[name].id if name in self.people else int(name)})
        elif words[0] == "destroy":
            await self.admin({"request": "destroy"})
        report("done", command=" ".join(words))


async def draw(room, options):
    """The same pictures and sound for everybody."""
    width, height = (int(side) for side in options.size.split("x"))
    rows, columns = np.mgrid[0:height, 0:width]
    grey = np.full(width * height // 2, 128, dtype=np.uint8).tobytes()
    number, interval = 0, 1 / options.fps
    next_at = time.monotonic()
    samples = 48000 // options.fps
    while True:
        luma = ((rows + columns + number * 4) % 220 + 16).astype(np.uint8).tobytes()
        stamp = int(number * 1_000_000 / options.fps)
        tone = (np.sin(np.arange(number * samples, (number + 1) * samples) * 2 * math.pi * 440 / 48000) * 12000)
        sound = tone.astype(np.int16).tobytes()
        for person in list(room.people.values()):
            frame = webrtc.VideoFrame(luma + grey, webrtc.VideoFrameBufferInit(
                format="I420", coded_width=width, coded_height=height, timestamp=stamp))
            await person.pictures.write(frame)
            if options.audio:
                await person.sound.write(webrtc.AudioData(webrtc.AudioDataInit(
                    format="s16", sample_rate=48000, number_of_frames=samples, number_of_channels=1,
                    timestamp=stamp, data=sound)))
        number += 1
        next_at = max(next_at + interval, time.monotonic())
        await asyncio.sleep(next_at - time.monotonic())


async def commands(room, path):
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    # Open for writing too, so that it has no end when one writer goes.
    pipe = os.fdopen(os.open(path, os.O_RDWR | os.O_NONBLOCK), "rb", buffering=0)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    while True:
        words = (await reader.readline()).decode().split()
        if words == ["quit"]:
            return
        if words:
            try:
                await room.command(words)
            except (RuntimeError, KeyError, asyncio.TimeoutError) as error:
                report("failed", command=" ".join(words), error=str(error))


async def keep_alive(janus):
    while True:
        await asyncio.sleep(20)
        await janus.request("keepalive", session_id=janus.session)


async def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="ws://192.0.2.2:8188")
    parser.add_argument("--room", type=int, default=1234)
    parser.add_argument("--pin")
    parser.add_argument("--people", nargs="*", default=["ada"])
    parser.add_argument("--size", default="320x180")
    parser.add_argument("--fps", type=int, default=10)
    parser.add_argument("--simulcast", action="store_true")
    parser.add_argument("--audio", action="store_true")
    parser.add_argument("--commands")
    options = parser.parse_args()
    async with aiohttp.ClientSession() as client:
        async with client.ws_connect(options.url, protocols=["janus-protocol"]) as socket:
            janus = Janus(socket)
            tasks = [asyncio.create_task(janus.read())]
            await janus.start()
            room = Room(janus, options)
            tasks += [asyncio.create_task(draw(room, options)), asyncio.create_task(keep_alive(janus))]
            for name in options.people:
                await room.join(name)
            report("ready")
            if options.commands:
                tasks.append(asyncio.create_task(commands(room, options.commands)))
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if task.exception():
                    report("broken", error=repr(task.exception()))
            os._exit(0)


asyncio.run(main())
