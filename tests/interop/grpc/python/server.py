"""The server: a folder, with sessions in memory. Names that begin with status-, slow-, flaky-, cut- and wrong- fail."""
import hashlib
import os
import sys
import threading
import time
from concurrent import futures

import grpc
from common import CHANNEL, chunk_of, hash_of, health, messages, say

ODD_MESSAGE = "Zugriff verweigert: 100 % Größe, 世界"
STATUSES = {code.value[0]: code for code in grpc.StatusCode}


class _Session:
    def __init__(self, name, path):
        self.name, self.path = name, path
        self.offset, self.length, self.sha256 = 0, None, b""
        self.broken_before = False
        self.appending = threading.Lock()
        open(path, "wb").close()


class FileTransfer:
    def __init__(self, told):
        self.folder, self.chunk, self.token = told.folder, told.chunk, told.token
        self.sessions, self.begun, self.lock = {}, 0, threading.Lock()

    # pylint: disable=invalid-name
    def Stat(self, request, context):
        self._begin(context, "Stat", request.name)
        return self._describe(context, request.name, request.want_sha256)

    def List(self, request, context):
        self._begin(context, "List", request.folder)
        found = []
        for here, folders, files in os.walk(os.path.join(self.folder, request.folder)):
            names = [(name, False) for name in files] + ([] if request.recursive else [(name, True) for name in folders])
            for name, is_folder in names:
                if not name.startswith("."):
                    found.append((os.path.relpath(os.path.join(here, name), self.folder), is_folder))
            if not request.recursive:
                break
        found = sorted(entry for entry in found if entry[0] > request.after)
        for name, is_folder in found[:request.limit or None]:
            entry = messages.ListEntry(name=name, is_folder=is_folder)
            if not is_folder:
                entry.file.CopyFrom(self._describe(context, name, False))
            yield entry

    def Download(self, request, context):
        self._begin(context, "Download", request.name)
        # A call that is cancelled ends this function at its next yield.
        ended = threading.Event()
        context.add_callback(lambda: None if ended.is_set() else say(cancelled="Download"))
        info = self._describe(context, request.name, request.want_sha256 and request.offset > 0)
        offset = 0 if request.HasField("if_tag") and request.if_tag != info.tag else request.offset
        if offset > info.length:
            context.abort(grpc.StatusCode.OUT_OF_RANGE, f"The file has {info.length} bytes.")
        count = min(request.count if request.HasField("count") else info.length, info.length - offset)
        info.offset, info.count = offset, count
        yield messages.Chunk(file=info)

        last = os.path.basename(request.name)
        if last.startswith("slow-"):
            self._wait_for_cancelling(context)
            return
        flaky = last.startswith("flaky-") and offset == 0
        left = count // 2 if flaky or last.startswith("cut-") else count
        digest = hashlib.sha256()
        with open(os.path.join(self.folder, request.name), "rb") as file:
            file.seek(offset)
            while left and (data := file.read(min(left, chunk_of(request.chunk_bytes or self.chunk)))):
                left -= len(data)
                digest.update(data)
                yield messages.Chunk(data=data)
        ended.set()
        if flaky:
            context.abort(grpc.StatusCode.UNAVAILABLE, "It breaks here once.")
        if not last.startswith("cut-"):
            end = messages.End(length=count)
            if request.want_sha256 and count == info.length:
                end.sha256 = b"x" * 32 if last.startswith("wrong-") else digest.digest()
            yield messages.Chunk(end=end)

    def Upload(self, requests, context):
        head = next(requests, messages.Chunk())
        if not head.HasField("upload"):
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "The first message says what is uploaded.")
        head = head.upload
        session = self._find(context, head.upload) if head.upload else self._new(head.name)
        self._begin(context, "Upload", session.name)
        self._check(context, session.name, head.precondition)
        if head.HasField("sha256"):
            session.sha256 = head.sha256
        last = os.path.basename(session.name)
        if last.startswith("slow-"):
            self._wait_for_cancelling(context)
            say(cancelled="Upload")
            return messages.UploadStatus()
        # How the iterator ends when the call is cancelled depends on timing: it raises, or it looks complete.
        ended = threading.Event()
        if not context.add_callback(lambda: None if ended.is_set() else say(cancelled="Upload")):
            say(cancelled="Upload")
        with session.appending:
            self._check_offset(context, session, head.offset)
            begins_at, end = session.offset, None
            breaks = last.startswith("flaky-") and not session.broken_before
            with open(session.path, "r+b") as file:
                file.seek(begins_at)
                for chunk in requests:
                    if chunk.HasField("end"):
                        end = chunk.end
                        ended.set()
                        break
                    file.write(chunk.data)
                    session.offset += len(chunk.data)
                    if breaks and session.offset > 100000:
                        ended.set()
                        break
            if breaks and end is None:
                session.broken_before = True
                context.abort(grpc.StatusCode.UNAVAILABLE, "It breaks here once.")
            if end is None:
                if not head.upload:
                    os.unlink(session.path)
                context.abort(grpc.StatusCode.INVALID_ARGUMENT, "The upload was cut.")
            if session.offset - begins_at != end.length:
                context.abort(grpc.StatusCode.DATA_LOSS, "Another length than was said.")
            if end.HasField("sha256"):
                session.sha256 = end.sha256
            if not head.upload or head.commit:
                return self._publish(context, head.upload, session)
            return self._status(head.upload, session)

    def Delete(self, request, context):
        self._begin(context, "Delete", request.name)
        self._check(context, request.name, request.precondition)
        path = os.path.join(self.folder, request.name)
        exists = os.path.isfile(path)
        if exists:
            os.unlink(path)
        return messages.DeleteResponse(deleted=exists)

    def StartUpload(self, request, context):
        self._begin(context, "StartUpload", request.name)
        self._check(context, request.name, request.precondition)
        session = self._new(request.name)
        session.length = request.length if request.HasField("length") else None
        session.sha256 = request.sha256
        with self.lock:
            name = f"upload-{len(self.sessions) + self.begun}"
            self.sessions[name] = session
        return self._status(name, session)

    def UploadPart(self, request, context):
        session = self._find(context, request.upload)
        self._begin(context, "UploadPart", session.name)
        with session.appending:
            self._check_offset(context, session, request.offset)
            if request.HasField("sha256") and hashlib.sha256(request.data).digest() != request.sha256:
                context.abort(grpc.StatusCode.DATA_LOSS, "The part has another SHA-256.")
            with open(session.path, "ab") as file:
                file.write(request.data)
            session.offset += len(request.data)
            return self._status(request.upload, session)

    def QueryUpload(self, request, context):
        session = self._find(context, request.upload)
        self._begin(context, "QueryUpload", session.name)
        # Whoever still appends was cut and ends soon.
        with session.appending:
            return self._status(request.upload, session)

    def CommitUpload(self, request, context):
        session = self._find(context, request.upload)
        self._begin(context, "CommitUpload", session.name)
        with session.appending:
            if request.HasField("length"):
                session.length = request.length
            if request.HasField("sha256"):
                session.sha256 = request.sha256
            return self._publish(context, request.upload, session)

    def AbortUpload(self, request, context):
        del context
        session = self.sessions.pop(request.upload, None)
        if session:
            os.unlink(session.path)
        return messages.AbortUploadResponse(aborted=session is not None)

    def _begin(self, context, method, name):
        say(method=method, name=name)
        if self.token and ("authorization", f"Bearer {self.token}") not in context.invocation_metadata():
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "A token is needed.")
        last = os.path.basename(name)
        if last.startswith("status-"):
            context.abort(STATUSES[int(last[7:])], ODD_MESSAGE)
        if name.startswith("/") or ".." in name.split("/"):
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "A name is relative to the folder.")

    @staticmethod
    def _wait_for_cancelling(context):
        cancelled = threading.Event()
        if context.add_callback(cancelled.set):
            cancelled.wait(60)

    def _describe(self, context, name, with_digest):
        path = os.path.join(self.folder, name)
        if not os.path.isfile(path):
            context.abort(grpc.StatusCode.NOT_FOUND, f"There is no file {name}.")
        found = os.stat(path)
        info = messages.FileVersion(
            name=name, length=found.st_size, count=found.st_size, tag=f"{found.st_ino}-{found.st_mtime_ns}-{found.st_size}")
        info.modified.FromNanoseconds(found.st_mtime_ns)
        if with_digest:
            info.sha256 = hash_of(path)
        return info

    def _check(self, context, name, precondition):
        exists = os.path.isfile(os.path.join(self.folder, name))
        if precondition.must_not_exist and exists:
            context.abort(grpc.StatusCode.ALREADY_EXISTS, f"There is already {name}.")
        fits = exists and (not precondition.tags or self._describe(context, name, False).tag in precondition.tags)
        if (precondition.must_exist or precondition.tags) and not fits:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, f"Another version of {name} is there.")

    @staticmethod
    def _check_offset(context, session, offset):
        if offset != session.offset:
            context.set_trailing_metadata([("millrace-error", "OffsetMismatch"), ("millrace-offset", str(session.offset))])
            context.abort(grpc.StatusCode.ABORTED, f"The upload has {session.offset} bytes.")

    def _new(self, name):
        with self.lock:
            self.begun += 1
            return _Session(name, os.path.join(self.folder, f".part-{self.begun}"))

    def _find(self, context, name):
        session = self.sessions.get(name)
        if session is None:
            context.abort(grpc.StatusCode.NOT_FOUND, f"There is no upload {name}.")
        return session

    @staticmethod
    def _status(name, session):
        status = messages.UploadStatus(upload=name, offset=session.offset, length=session.length)
        status.expires.FromSeconds(int(time.time()) + 3600)
        return status

    def _publish(self, context, name, session):
        if session.length is not None and session.length != session.offset:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, f"Only {session.offset} bytes have come.")
        self.sessions.pop(name, None)
        if session.sha256 and hash_of(session.path) != session.sha256:
            os.unlink(session.path)
            context.abort(grpc.StatusCode.DATA_LOSS, "The file has another SHA-256.")
        target = os.path.join(self.folder, session.name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.rename(session.path, target)
        status = self._status(name, session)
        status.file.CopyFrom(self._describe(context, session.name, bool(session.sha256)))
        return status


def _check_health(request, context):
    if request.service not in ("", "millrace.v1.FileTransfer"):
        context.abort(grpc.StatusCode.NOT_FOUND, f"There is no service {request.service}.")
    return health.HealthCheckResponse(status=health.HealthCheckResponse.SERVING)


def _handlers(files):
    kinds = {
        "Stat": (grpc.unary_unary_rpc_method_handler, messages.StatRequest),
        "List": (grpc.unary_stream_rpc_method_handler, messages.ListRequest),
        "Download": (grpc.unary_stream_rpc_method_handler, messages.DownloadRequest),
        "Upload": (grpc.stream_unary_rpc_method_handler, messages.Chunk),
        "Delete": (grpc.unary_unary_rpc_method_handler, messages.DeleteRequest),
        "StartUpload": (grpc.unary_unary_rpc_method_handler, messages.StartUploadRequest),
        "UploadPart": (grpc.unary_unary_rpc_method_handler, messages.UploadPartRequest),
        "QueryUpload": (grpc.unary_unary_rpc_method_handler, messages.QueryUploadRequest),
        "CommitUpload": (grpc.unary_unary_rpc_method_handler, messages.CommitUploadRequest),
        "AbortUpload": (grpc.unary_unary_rpc_method_handler, messages.AbortUploadRequest),
    }

    def write(message):
        return message.SerializeToString()

    transfer = {name: make(getattr(files, name), request.FromString, write) for name, (make, request) in kinds.items()}
    check = grpc.unary_unary_rpc_method_handler(_check_health, health.HealthCheckRequest.FromString, write)
    return (
        grpc.method_handlers_generic_handler("millrace.v1.FileTransfer", transfer),
        grpc.method_handlers_generic_handler("grpc.health.v1.Health", {"Check": check}),
    )


def serve(told):
    server = grpc.server(
        futures.ThreadPoolExecutor(max_workers=16), options=CHANNEL,
        compression=grpc.Compression.Gzip if told.gzip else None)
    server.add_generic_rpc_handlers(_handlers(FileTransfer(told)))
    port = server.add_insecure_port(f"127.0.0.1:{told.port}")
    server.start()
    say(port=port)
    sys.stdin.read()
    server.stop(None).wait(5)
