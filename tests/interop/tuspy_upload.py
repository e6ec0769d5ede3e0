# Uploads a file with tuspy, as told by the JSON in the first argument:
# { "endpoint", "file", "name", "chunkSize"?, "checksum"?, "stopAt"?, "killAt"?, "url"? }
# stopAt: bytes after which it stops and a new uploader goes on; killAt: bytes after which this process ends by SIGKILL;
# url: where another process had begun. Prints one line of JSON.
import json
import os
import signal
import sys

from tusclient import client

told = json.loads(sys.argv[1])
tus = client.TusClient(told["endpoint"])
options = {
    "file_path": told["file"],
    "metadata": {"filename": told["name"]},
    "upload_checksum": told.get("checksum", False),
    "retries": 3,
    "retry_delay": 1,
}
if "chunkSize" in told:
    options["chunk_size"] = told["chunkSize"]

uploader = tus.uploader(url=told.get("url"), **options)
if "killAt" in told:
    uploader.upload(stop_at=told["killAt"])
    print(json.dumps({"url": uploader.url}), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
if "stopAt" in told:
    uploader.upload(stop_at=told["stopAt"])
    uploader = tus.uploader(url=uploader.url, **options)
resumed = uploader.offset
uploader.upload()
print(json.dumps({"url": uploader.url, "resumed": resumed}))
