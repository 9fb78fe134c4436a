"""A WHIP publisher or WHEP player from outside: aiortc, or Chrome's engine (wrtc), over aiohttp; or ffmpeg's own WHIP.

Publishes a moving picture and a tone, or counts what it receives. Prints one JSON line an event. --help lists the options.
"""
import argparse, asyncio, fractions, json, os, time

os.environ.setdefault("WRTC_ALLOW_LOOPBACK", "1")
import aiohttp
import numpy as np

START = time.monotonic()


def report(event, **fields):
    print(json.dumps({"type": event, "t": round(time.monotonic() - START, 3), **fields}), flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("role", choices=["publish", "play"])
    parser.add_argument("url")
    parser.add_argument("--token", default="")
    parser.add_argument("--engine", choices=["aiortc", "chrome", "ffmpeg"], default="aiortc")
    parser.add_argument("--codec", default="VP8")
    parser.add_argument("--size", default="640x360")
    parser.add_argument("--fps", type=int, default=15)
    parser.add_argument("--simulcast", action="store_true", help="three layers, with Chrome's engine")
    parser.add_argument("--videos", type=int, default=1, help="sections of video to play")
    parser.add_argument("--restart-after", type=float, help="restart ICE after so many seconds, with Chrome's engine")
    parser.add_argument("--seconds", type=float, default=30)
    return parser.parse_args()


class Counter:
    def __init__(self):
        self.frames = {}

    def video(self, index, width, height):
        self.add(("video", index), width=width, height=height)

    def audio(self, index, samples):
        samples = samples.astype(float)
        self.add(("audio", index), rms=round(float(np.sqrt((samples * samples).mean())), 1))

    def add(self, key, **fields):
        count = self.frames[key] = self.frames.get(key, 0) + 1
        if count in (1, 30) or (count > 30 and count % 100 == 0):
            report("frames", kind=key[0], index=key[1], frames=count, **fields)


class AiortcPeer:
    def __init__(self, options):
        import aioice.ice
        from aiortc import RTCConfiguration, RTCPeerConnection

        # It leaves loopback out, and the servers of the tests are nowhere else.
        aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]
        self.options, self.counter, self.tasks = options, Counter(), []
        self.connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self.connection.on("connectionstatechange", lambda: report("state", state=self.connection.connectionState))

    async def offer(self):
        from aiortc import RTCRtpReceiver, RTCRtpSender

        def prefer(transceiver, kind):
            capabilities = (RTCRtpSender if kind == "publish" else RTCRtpReceiver).getCapabilities("video")
            wanted = f"video/{self.options.codec}".lower()
            transceiver.setCodecPreferences([c for c in capabilities.codecs if c.mimeType.lower() == wanted])

        if self.options.role == "publish":
            video, audio = self.make_tracks()
            prefer(self.connection.addTransceiver(video, direction="sendonly"), "publish")
            self.connection.addTransceiver(audio, direction="sendonly")
        else:
            self.connection.on("track", self.track)
            self.indices = {"video": 0, "audio": 0}
            for _ in range(self.options.videos):
                prefer(self.connection.addTransceiver("video", direction="recvonly"), "play")
            self.connection.addTransceiver("audio", direction="recvonly")
        await self.connection.setLocalDescription(await self.connection.createOffer())
        return self.connection.localDescription.sdp

    async def answer(self, sdp):
        from aiortc import RTCSessionDescription

        await self.connection.setRemoteDescription(RTCSessionDescription(sdp, "answer"))

    def track(self, track):
        index = self.indices[track.kind]
        self.indices[track.kind] += 1

        async def count():
            while True:
                frame = await track.recv()
                if track.kind == "video":
                    self.counter.video(index, frame.width, frame.height)
                else:
                    self.counter.audio(index, frame.to_ndarray())

        self.tasks.append(asyncio.create_task(count()))

    def make_tracks(self):
        from aiortc import AudioStreamTrack, VideoStreamTrack
        from av import AudioFrame, VideoFrame

        width, height = map(int, self.options.size.split("x"))
        fps = self.options.fps
        # From the first picture or sound on, which a server makes long after its own start.
        begun = {}

        class Video(VideoStreamTrack):
            count = 0

            async def recv(self):
                start = begun.setdefault("media", time.monotonic())
                await asyncio.sleep(max(0, start + self.count / fps - time.monotonic()))
                picture = np.full((height, width, 3), (40, 90, 160), np.uint8)
                x = (self.count * 8) % (width - width // 8)
                picture[height // 3:2 * height // 3, x:x + width // 8] = 255
                frame = VideoFrame.from_ndarray(picture, format="rgb24")
                frame.pts, frame.time_base = self.count * (90000 // fps), fractions.Fraction(1, 90000)
                self.count += 1
                return frame

        class Audio(AudioStreamTrack):
            count = 0

            async def recv(self):
                start = begun.setdefault("media", time.monotonic())
                await asyncio.sleep(max(0, start + self.count / 50 - time.monotonic()))
                times = (np.arange(960) + self.count * 960) / 48000
                samples = (np.sin(2 * np.pi * 440 * times) * 8000).astype(np.int16)
                frame = AudioFrame.from_ndarray(samples.reshape(1, -1), format="s16", layout="mono")
                frame.sample_rate, frame.pts, frame.time_base = 48000, self.count * 960, fractions.Fraction(1, 48000)
                self.count += 1
                return frame

        return Video(), Audio()

    async def close(self):
        for task in self.tasks:
            task.cancel()
        await self.connection.close()


class ChromePeer:
    def __init__(self, options):
        import webrtc

        self.options, self.counter, self.tasks, self.webrtc = options, Counter(), [], webrtc
        self.connection = webrtc.RTCPeerConnection()
        self.connection.on("connectionstatechange",
                           lambda *_: report("state", state=str(self.connection.connection_state)))

    async def offer(self):
        webrtc, connection = self.webrtc, self.connection
        if self.options.role == "publish":
            width, height = map(int, self.options.size.split("x"))
            stream = await webrtc.media_devices.get_user_media(webrtc.MediaStreamConstraints(
                audio=True, video=webrtc.MediaTrackConstraints(width=width, height=height, frame_rate=self.options.fps)))
            self.stream = stream
            encodings = [webrtc.RTCRtpEncodingParameters(rid=rid, scale_resolution_down_by=scale)
                         for rid, scale in (("q", 4.0), ("h", 2.0), ("f", 1.0))] if self.options.simulcast else []
            for track in stream.get_tracks():
                init = webrtc.RTCRtpTransceiverInit(direction="sendonly")
                if track.kind == "video" and encodings:
                    init = webrtc.RTCRtpTransceiverInit(direction="sendonly", send_encodings=encodings)
                connection.add_transceiver(track, init)
        else:
            connection.on("track", self.track)
            self.indices = {"video": 0, "audio": 0}
            for kind in ["video"] * self.options.videos + ["audio"]:
                connection.add_transceiver(kind, webrtc.RTCRtpTransceiverInit(direction="recvonly"))
        await connection.set_local_description(await connection.create_offer())
        while str(connection.ice_gathering_state) != "complete":
            await asyncio.sleep(0.02)
        return connection.local_description.sdp

    async def answer(self, sdp):
        await self.connection.set_remote_description(self.webrtc.RTCSessionDescriptionInit("answer", sdp))

    def track(self, event):
        kind = str(event.track.kind)
        index = self.indices[kind]
        self.indices[kind] += 1

        async def count():
            processor = self.webrtc.MediaStreamTrackProcessor(
                self.webrtc.MediaStreamTrackProcessorInit(track=event.track))
            reader = processor.readable.get_reader()
            while True:
                result = await reader.read()
                if result.done:
                    return
                frame = result.value
                if kind == "video":
                    self.counter.video(index, frame.display_width, frame.display_height)
                else:
                    self.counter.add((kind, index))
                frame.close()

        self.tasks.append(asyncio.create_task(count()))

    async def restart(self, session, url, headers):
        """New credentials by PATCH; their answer goes into the description that is known (RFC 9725 §4.3.3)."""
        self.connection.restart_ice()
        offer = await self.connection.create_offer()
        await self.connection.set_local_description(offer)
        old = {line.split(":", 1)[0]: line for line in self.connection.current_remote_description.sdp.splitlines()
               if line.startswith(("a=ice-ufrag", "a=ice-pwd"))}
        own = [line for line in offer.sdp.splitlines() if line.startswith(("a=ice-ufrag", "a=ice-pwd"))][:2]
        fragment = "\r\n".join(["m=audio 9 UDP/TLS/RTP/SAVPF 0", "a=mid:0"] + own) + "\r\n"
        async with session.patch(url, data=fragment, headers={
                **headers, "Content-Type": "application/trickle-ice-sdpfrag", "If-Match": "*"}) as response:
            text = await response.text()
            report("restarted", status=response.status, etag=response.headers.get("ETag"))
            new = {line.split(":", 1)[0]: line for line in text.splitlines()
                   if line.startswith(("a=ice-ufrag", "a=ice-pwd"))}
            answer = self.connection.current_remote_description.sdp
            for name, line in old.items():
                answer = answer.replace(line, new[name])
            await self.answer(answer)

    async def close(self):
        for task in self.tasks:
            task.cancel()
        self.connection.close()


def publish_with_ffmpeg(options):
    """ffmpeg's WHIP muxer, which sends H.264 and Opus alone, by way of PyAV; with the codec `none` it sends sound only."""
    import av

    if "whip" not in av.formats_available:
        report("unavailable")
        return 0
    av.logging.set_level(av.logging.ERROR)
    try:
        output = av.open(options.url, "w", format="whip", options={"authorization": options.token})
        sound = output.add_stream("libopus", rate=48000)
        sound.layout = "stereo"
        if options.codec != "none":
            picture = output.add_stream("libx264", rate=options.fps)
            picture.width, picture.height = map(int, options.size.split("x"))
            picture.pix_fmt, picture.options = "yuv420p", {"profile": "baseline", "tune": "zerolatency"}
        for count in range(int(options.seconds * 50)):
            times = (np.arange(960) + count * 960) / 48000
            samples = (np.sin(2 * np.pi * 440 * times) * 8000).astype(np.int16)
            frame = av.AudioFrame.from_ndarray(np.repeat(samples, 2).reshape(1, -1), format="s16", layout="stereo")
            frame.sample_rate, frame.pts = 48000, count * 960
            for packet in sound.encode(frame):
                output.mux(packet)
            if count == 0:
                report("state", state="connected")
            time.sleep(max(0, START + count / 50 - time.monotonic()))
        output.close()
    except av.FFmpegError as error:
        report("refused", detail=str(error))
        return 1
    return 0


async def main():
    options = arguments()
    if options.engine == "ffmpeg":
        return await asyncio.to_thread(publish_with_ffmpeg, options)
    peer = (AiortcPeer if options.engine == "aiortc" else ChromePeer)(options)
    headers = {"Authorization": f"Bearer {options.token}"} if options.token else {}
    async with aiohttp.ClientSession() as session:
        offer = await peer.offer()
        async with session.post(options.url, data=offer, headers={**headers, "Content-Type": "application/sdp"}) as response:
            body = await response.text()
            if response.status != 201:
                detail = json.loads(body).get("detail") if "json" in response.headers.get("Content-Type", "") else body
                report("refused", status=response.status, detail=detail)
                await peer.close()
                return 1
            location = str(response.url.join(aiohttp.client.URL(response.headers["Location"])))
            report("created", etag=response.headers.get("ETag"), link=response.headers.getall("Link", []))
        await peer.answer(body)
        if options.restart_after:
            await asyncio.sleep(options.restart_after)
            await peer.restart(session, location, headers)
        try:
            await asyncio.sleep(options.seconds)
        finally:
            async with session.delete(location, headers=headers) as response:
                report("deleted", status=response.status)
            await peer.close()
    return 0


if __name__ == "__main__":
    import signal

    async def guarded():
        task = asyncio.ensure_future(main())
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, task.cancel)
        try:
            return await task
        except asyncio.CancelledError:
            return 130

    code = asyncio.run(guarded())
    os._exit(code)
