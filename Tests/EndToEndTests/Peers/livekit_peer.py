"""A participant made with the official LiveKit SDK: publishes a moving picture and a tone, counts what it receives.

Prints one JSON line an event. Run with --help for the options.
"""
import argparse, asyncio, json, time

import numpy as np
from livekit import api, rtc

START = time.monotonic()


def report(event, **fields):
    print(json.dumps({"type": event, "t": round(time.monotonic() - START, 3), **fields}), flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--room", default="lab")
    parser.add_argument("--identity", default="sdk")
    parser.add_argument("--key", default="devkey")
    parser.add_argument("--secret", default="secret")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--fps", type=int, default=15)
    parser.add_argument("--hertz", type=float, default=440)
    parser.add_argument("--publish", action="store_true")
    return parser.parse_args()


async def main():
    options = arguments()
    token = (api.AccessToken(options.key, options.secret).with_identity(options.identity).with_name(options.identity)
             .with_grants(api.VideoGrants(room_join=True, room=options.room)).to_jwt())
    room = rtc.Room()
    tasks, counts = [], {}

    async def count_video(track, identity):
        async for event in rtc.VideoStream(track):
            entry = counts.setdefault(identity + "/video", {"frames": 0})
            entry["frames"] += 1
            entry["width"], entry["height"] = event.frame.width, event.frame.height
            if entry["frames"] in (1, 30):
                report("frames", identity=identity, kind="video", **entry)

    async def count_audio(track, identity):
        async for event in rtc.AudioStream(track):
            entry = counts.setdefault(identity + "/audio", {"frames": 0, "rms": 0.0})
            entry["frames"] += 1
            samples = np.frombuffer(event.frame.data, dtype=np.int16).astype(float)
            entry["rms"] = max(entry["rms"], round(float(np.sqrt((samples * samples).mean())), 1))
            if entry["frames"] == 100:
                report("frames", identity=identity, kind="audio", **entry)

    def subscribed(track, publication, participant):
        is_video = track.kind == rtc.TrackKind.KIND_VIDEO
        report("subscribed", identity=participant.identity, kind="video" if is_video else "audio")
        tasks.append(asyncio.create_task((count_video if is_video else count_audio)(track, participant.identity)))

    room.on("track_subscribed", subscribed)
    room.on("participant_connected", lambda p: report("participant_connected", identity=p.identity))
    room.on("participant_disconnected", lambda p: report("participant_disconnected", identity=p.identity))
    room.on("active_speakers_changed", lambda s: report("speakers", identities=[p.identity for p in s]))
    room.on("track_muted", lambda p, q: report("track_muted", identity=p.identity))
    room.on("disconnected", lambda *reason: report("disconnected", reason=[str(r) for r in reason]))
    try:
        await asyncio.wait_for(room.connect(options.url, token), 30)
    except Exception as error:
        report("connect_failed", error=str(error))
        return 1
    report("connected", others=sorted(p.identity for p in room.remote_participants.values()))

    if options.publish:
        width, height = map(int, options.size.split("x"))
        video = rtc.VideoSource(width, height)
        audio = rtc.AudioSource(48000, 1)
        camera = rtc.LocalVideoTrack.create_video_track("camera", video)
        microphone = rtc.LocalAudioTrack.create_audio_track("microphone", audio)

        async def send_video():
            ground = np.zeros((height, width, 4), np.uint8)
            ground[...] = (40, 90, 160, 255)
            count, due = 0, time.monotonic()
            while True:
                picture = ground.copy()
                x = (count * 8) % (width - width // 8)
                picture[height // 3:2 * height // 3, x:x + width // 8] = 255
                video.capture_frame(rtc.VideoFrame(width, height, rtc.VideoBufferType.RGBA, picture.tobytes()))
                count += 1
                due += 1 / options.fps
                await asyncio.sleep(max(0, due - time.monotonic()))

        async def send_audio():
            position = 0
            while True:
                times = (np.arange(480) + position) / 48000
                position += 480
                samples = (np.sin(2 * np.pi * options.hertz * times) * 8000).astype(np.int16)
                await audio.capture_frame(rtc.AudioFrame(samples.tobytes(), 48000, 1, 480))

        tasks.append(asyncio.create_task(send_video()))
        tasks.append(asyncio.create_task(send_audio()))
        encoding = rtc.VideoEncoding(max_framerate=options.fps, max_bitrate=1_500_000)
        await room.local_participant.publish_track(camera, rtc.TrackPublishOptions(
            source=rtc.TrackSource.SOURCE_CAMERA, simulcast=True, video_codec=rtc.VideoCodec.VP8, video_encoding=encoding))
        await room.local_participant.publish_track(microphone, rtc.TrackPublishOptions(
            source=rtc.TrackSource.SOURCE_MICROPHONE))
        report("published")

    await asyncio.sleep(options.seconds)
    report("end", counts=counts)
    for task in tasks:
        task.cancel()
    await room.disconnect()
    return 0


raise SystemExit(asyncio.run(main()))
