"""A WHEP server that streams a moving picture and a tone with aiortc, and can be told to behave as servers do, or worse.

Prints one JSON line an event: its address, every request, what media it has connected. --help lists the options.
"""
import argparse, asyncio, json, os, sys, types

from aiohttp import web

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from webrtc_http_peer import AiortcPeer, report

SDP = "application/sdp"
LAYERS = {
    "current": {"0": [{"rid": "h", "bitrate": 900000, "width": 640, "height": 360},
                      {"rid": "l", "bitrate": 90000, "width": 320, "height": 180}]},
    "older": {"medias": {"0": {"active": [{"id": "1", "bitrate": 900000, "width": 640, "height": 360},
                                          {"id": "0", "bitrate": 90000, "width": 320, "height": 180}], "inactive": []}}},
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--token", help="refuse everybody without it")
    parser.add_argument("--not-live", type=int, default=0, metavar="N", help="answer N offers with 409")
    parser.add_argument("--redirect", action="store_true", help="send offers elsewhere first")
    parser.add_argument("--counter-offer", action="store_true", help="answer offers with 406 and an own offer")
    parser.add_argument("--codec", default="VP8", help="of an own offer")
    parser.add_argument("--status", type=int, help="answer offers with this status")
    parser.add_argument("--problem", help="say why in JSON")
    parser.add_argument("--no-location", action="store_true")
    parser.add_argument("--sections", choices=["missing", "extra"], help="answer with a section too few or too many")
    parser.add_argument("--silent", action="store_true", help="never answer")
    parser.add_argument("--deaf", action="store_true", help="answer, and let no media pass")
    parser.add_argument("--extensions", choices=list(LAYERS), help="have events and layers, in this spelling")
    return parser.parse_args()


class Server:
    def __init__(self, options):
        self.options, self.peer, self.posts, self.port = options, None, 0, 0

    def base(self):
        return f"http://127.0.0.1:{self.port}"

    async def handle(self, request):
        body = await request.text()
        report("request", method=request.method, path=request.path, body=body if len(body) < 300 else "",
               match=request.headers.get("If-Match"), authorized="Authorization" in request.headers)
        options = self.options
        if request.method == "OPTIONS":
            return web.Response(status=204)
        if options.silent:
            await asyncio.sleep(3600)
        if options.token and request.headers.get("Authorization") != f"Bearer {options.token}":
            return web.Response(status=401, text="unknown token")
        if request.path.startswith("/whep") and request.method == "POST":
            return await self.offer(request, body)
        if request.path == "/session" and request.method == "PATCH" and request.content_type == SDP:
            await self.accept(body)
            return web.Response(status=204)
        if request.path == "/session" and request.method == "PATCH":
            return web.Response(status=204)
        if request.path == "/session" and request.method == "DELETE":
            await self.end()
            return web.Response(status=200)
        if request.path == "/layer":
            return web.Response(status=200)
        if request.path == "/events" and request.method == "POST":
            return web.Response(status=201, headers={"Location": "/events"})
        if request.path == "/events" and request.method == "GET":
            return await self.events(request)
        if request.path == "/events":
            return web.Response(status=200)
        return web.Response(status=404)

    async def offer(self, request, sdp):
        options = self.options
        self.posts += 1
        if options.redirect and request.path == "/whep/cam":
            return web.Response(status=307, headers={"Location": "/whep/edge"})
        if self.posts <= options.not_live:
            return web.Response(status=409, headers={"Retry-After": "1"}, text="not live")
        if options.status:
            return web.json_response({"detail": options.problem}, status=options.status,
                                     content_type="application/problem+json") if options.problem else web.Response(
                                         status=options.status)
        self.peer = AiortcPeer(types.SimpleNamespace(role="publish", codec=options.codec, size="640x360", fps=15))
        headers = {"Content-Type": SDP, "ETag": "*"}
        if not options.no_location:
            headers["Location"] = "session" if request.path == "/whep" else "/session"
        if options.extensions:
            core = "urn:ietf:params:whep:ext:core"
            headers["Link"] = (f'<{self.base()}/events>; rel="{core}:server-sent-events" events="active,inactive,layers", '
                               f'<{self.base()}/layer>; rel="{core}:layer"')
        if options.counter_offer:
            return web.Response(status=406, headers=headers, body=(await self.peer.offer()).encode())
        answer = await self.answer(sdp)
        if options.sections == "missing":
            answer = answer[:answer.rindex("m=")]
        if options.sections == "extra":
            answer += answer[answer.rindex("m="):].replace("a=mid:1", "a=mid:2")
        if options.deaf:
            await self.peer.close()
            answer = "".join(line for line in answer.splitlines(True) if not line.startswith("a=candidate"))
        return web.Response(status=201, headers=headers, body=answer.encode())

    async def answer(self, sdp):
        from aiortc import RTCSessionDescription

        connection = self.peer.connection
        # Our side is on loopback, which the client's sockets of other interfaces do not reach: no check goes to those, and
        # the client finds us by its own. With no candidate at all aiortc would not begin.
        nowhere = "a=candidate:1 1 udp 1 127.0.0.1 9 typ host\r\n"
        sdp = "".join(line for line in sdp.splitlines(True) if not line.startswith("a=candidate"))
        sdp = sdp.replace("a=mid:0\r\n", "a=mid:0\r\n" + nowhere)
        await connection.setRemoteDescription(RTCSessionDescription(sdp, "offer"))
        for track in self.peer.make_tracks():
            connection.addTrack(track)
        await connection.setLocalDescription(await connection.createAnswer())
        return connection.localDescription.sdp

    async def accept(self, sdp):
        await self.peer.answer(sdp)

    async def events(self, request):
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        layers = json.dumps(LAYERS[self.options.extensions])
        await response.write(f"event: active\ndata: {{}}\n\nevent: layers\ndata: {layers}\n\n".encode())
        while True:
            await asyncio.sleep(1)
            await response.write(b": still here\n\n")

    async def end(self):
        if self.peer:
            await self.peer.close()
            self.peer = None


async def main():
    server = Server(arguments())
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", server.handle)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.port = site._server.sockets[0].getsockname()[1]
    report("listening", url=server.base())
    await asyncio.sleep(600)


if __name__ == "__main__":
    asyncio.run(main())
