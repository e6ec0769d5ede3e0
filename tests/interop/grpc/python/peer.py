"""The file transfers of proto/millrace/v1/file_transfer.proto with grpcio, as client and as server.

Every command prints lines of JSON: `serve` first {"port": N}, then its calls until standard input ends; the others how each call
ended. `serve --gzip` compresses all answers, as grpcio does not show an application how a request was compressed.
"""
import argparse

import client
import server


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["serve", *client.COMMANDS])
    parser.add_argument("--server")
    parser.add_argument("--name", default="")
    parser.add_argument("--file")
    parser.add_argument("--folder")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--chunk", type=int)
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--count", type=int)
    parser.add_argument("--recursive", action="store_true")
    parser.add_argument("--must-not-exist", action="store_true")
    parser.add_argument("--gzip", action="store_true")
    parser.add_argument("--token")
    parser.add_argument("--deadline", type=int, help="milliseconds")
    parser.add_argument("--cancel-after", type=int, help="bytes")
    parser.add_argument("--end-after", type=int, help="bytes")
    parser.add_argument("--break", dest="breaks", choices=["cancel", "end"], default="cancel")
    parser.add_argument("--stall", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    told = options()
    if told.command == "serve":
        server.serve(told)
    else:
        client.COMMANDS[told.command](told)
