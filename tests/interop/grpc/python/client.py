"""The client: one call or one upload a command, and a line of JSON for each call."""
import hashlib
import os
import threading

import grpc
from common import CHANNEL, chunk_of, hash_of, health, messages, say

SERVICE = "/millrace.v1.FileTransfer/"


def _channel(told):
    return grpc.insecure_channel(
        told.server, options=CHANNEL, compression=grpc.Compression.Gzip if told.gzip else grpc.Compression.NoCompression)


def _arguments(told):
    return {
        "timeout": told.deadline / 1000 if told.deadline is not None else None,
        "metadata": [("authorization", f"Bearer {told.token}")] if told.token else None,
    }


def _method(channel, kind, name, answer):
    make = {"unary": channel.unary_unary, "download": channel.unary_stream, "upload": channel.stream_unary}[kind]
    return make(SERVICE + name, lambda message: message.SerializeToString(), answer.FromString)


def _said(call):
    return {
        "status": call.code().name,
        "code": call.code().value[0],
        "message": call.details() or "",
        "trailers": {item.key: item.value for item in call.trailing_metadata() or () if not item.key.endswith("-bin")},
    }


def _told(info):
    fields = {
        "name": info.name, "length": info.length, "tag": info.tag, "offset": info.offset, "count": info.count,
        "modified": info.modified.seconds,
    }
    if info.HasField("sha256"):
        fields["sha256"] = info.sha256.hex()
    return fields


def _ask(method, request, told, nothing):
    """One message each way: the answer, an empty one after an error, and how the call ended."""
    try:
        answer, call = method.with_call(request, **_arguments(told))
        return answer, _said(call)
    except grpc.RpcError as error:
        return nothing, _said(error)


def check_health(told):
    with _channel(told) as channel:
        method = channel.unary_unary(
            "/grpc.health.v1.Health/Check", health.HealthCheckRequest.SerializeToString, health.HealthCheckResponse.FromString)
        answer, said = _ask(method, health.HealthCheckRequest(service=told.name), told, health.HealthCheckResponse())
        say(**said, health=health.HealthCheckResponse.ServingStatus.Name(answer.status))


def stat(told):
    with _channel(told) as channel:
        method = _method(channel, "unary", "Stat", messages.FileVersion)
        answer, said = _ask(method, messages.StatRequest(name=told.name, want_sha256=True), told, messages.FileVersion())
        say(**said, file=_told(answer))


def delete(told):
    with _channel(told) as channel:
        method = _method(channel, "unary", "Delete", messages.DeleteResponse)
        answer, said = _ask(method, messages.DeleteRequest(name=told.name), told, messages.DeleteResponse())
        say(**said, deleted=answer.deleted)


def list_folder(told):
    with _channel(told) as channel:
        request = messages.ListRequest(folder=told.name, recursive=told.recursive)
        call = _method(channel, "download", "List", messages.ListEntry)(request, **_arguments(told))
        entries = []
        try:
            for entry in call:
                entries.append({"name": entry.name, "folder": entry.is_folder, "length": entry.file.length})
        except grpc.RpcError:
            pass
        say(**_said(call), entries=entries)


def download(told):
    request = messages.DownloadRequest(
        name=told.name, offset=told.offset, count=told.count, want_sha256=True, chunk_bytes=told.chunk or 0)
    info, end, ended, count, received = messages.FileVersion(), messages.End(), False, 0, 0
    with _channel(told) as channel, open(told.file, "wb") as file:
        call = _method(channel, "download", "Download", messages.Chunk)(request, **_arguments(told))
        try:
            for chunk in call:
                count += 1
                kind = chunk.WhichOneof("content")
                if kind == "file":
                    info = chunk.file
                elif kind == "end":
                    end, ended = chunk.end, True
                else:
                    file.write(chunk.data)
                    received += len(chunk.data)
                    if told.cancel_after is not None and received >= told.cancel_after:
                        call.cancel()
        except grpc.RpcError:
            pass
        said = _said(call)
    say(**said, file=_told(info), bytes=received, messages=count, ended=ended, endLength=end.length,
        sha256=hash_of(told.file).hex(), toldSha256=(end.sha256 or info.sha256).hex())


class _Sending:
    """The messages of an upload; whoever sends it may cancel the call in the middle."""

    def __init__(self, told, head, cancel_after=None, end_after=None, with_digest=True):
        self.told, self.head, self.with_digest = told, head, with_digest
        self.cancel_after, self.end_after = cancel_after, end_after
        self.sent = 0
        self.over = threading.Event()
        self.reached = threading.Event()

    def __iter__(self):
        yield messages.Chunk(upload=self.head)
        if self.told.stall:
            self.over.wait(60)
            return
        digest = hashlib.sha256()
        with open(self.told.file, "rb") as file:
            file.seek(self.head.offset)
            while data := file.read(chunk_of(self.told.chunk)):
                digest.update(data)
                yield messages.Chunk(data=data)
                self.sent += len(data)
                if self.end_after is not None and self.sent >= self.end_after:
                    return
                if self.cancel_after is not None and self.sent >= self.cancel_after:
                    self.reached.set()
                    self.over.wait(60)
                    return
        end = messages.End(length=self.sent)
        if self.with_digest:
            end.sha256 = digest.digest()
        yield messages.Chunk(end=end)


def _send(channel, told, sending):
    call = _method(channel, "upload", "Upload", messages.UploadStatus).future(iter(sending), **_arguments(told))
    call.add_done_callback(lambda _: (sending.over.set(), sending.reached.set()))
    if sending.cancel_after is not None:
        sending.reached.wait(60)
        call.cancel()
    try:
        answer = call.result()
    except (grpc.RpcError, grpc.FutureCancelledError):
        answer = messages.UploadStatus()
    return answer, _said(call)


def upload(told):
    head = messages.UploadHead(name=told.name)
    if told.must_not_exist:
        head.precondition.must_not_exist = True
    with _channel(told) as channel:
        sending = _Sending(told, head, told.cancel_after, told.end_after)
        answer, said = _send(channel, told, sending)
        say(**said, bytes=sending.sent, sha256=hash_of(told.file).hex(), offset=answer.offset, file=_told(answer.file))


def session(told, in_parts=False):
    """Begins an upload, breaks it in the middle, asks how far it came, and goes on; or sends it message by message."""
    length = os.path.getsize(told.file)
    with _channel(told) as channel:

        def ask(name, request):
            status, said = _ask(_method(channel, "unary", name, messages.UploadStatus), request, told, messages.UploadStatus())
            fields = {"file": _told(status.file), "sha256": hash_of(told.file).hex()} if name == "CommitUpload" else {}
            say(**said, call=name, offset=status.offset, **fields)
            return status

        status = ask("StartUpload", messages.StartUploadRequest(name=told.name, length=length))
        name = status.upload
        if not name:
            return
        if in_parts:
            with open(told.file, "rb") as file:
                while data := file.read(chunk_of(told.chunk)):
                    part = messages.UploadPartRequest(
                        upload=name, offset=status.offset, data=data, sha256=hashlib.sha256(data).digest())
                    status = ask("UploadPart", part)
        else:
            for breaks in (True, False):
                half = length // 2 if breaks else None
                sending = _Sending(
                    told, messages.UploadHead(upload=name, offset=status.offset), with_digest=False,
                    cancel_after=half if told.breaks == "cancel" else None, end_after=half if told.breaks == "end" else None)
                answer, said = _send(channel, told, sending)
                say(**said, call="Upload", bytes=sending.sent, offset=answer.offset)
                status = ask("QueryUpload", messages.QueryUploadRequest(upload=name))
        ask("CommitUpload", messages.CommitUploadRequest(upload=name, sha256=hash_of(told.file)))


COMMANDS = {
    "health": check_health, "stat": stat, "list": list_folder, "delete": delete, "download": download, "upload": upload,
    "session": session, "parts": lambda told: session(told, in_parts=True),
}
