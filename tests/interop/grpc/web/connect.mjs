import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { FileTransfer } from "../../../../artifacts/grpc/web/generated/millrace/v1/file_transfer_pb.js";

/** NotFound as NOT_FOUND, the name that gRPC has for it. */
const nameOf = (code) => Code[code].replace(/(?<=.)[A-Z]/g, "_$&").toUpperCase();

const named = (error) => {
  const said = ConnectError.from(error);
  return Object.assign(new Error(said.rawMessage), {
    code: nameOf(said.code), rawMessage: said.rawMessage, transferError: said.metadata.get("millrace-error"),
  });
};

async function* streamed(messages) {
  try {
    yield* messages;
  } catch (error) {
    throw named(error);
  }
}

export function connectClient(server) {
  const client = createClient(FileTransfer, createGrpcWebTransport({ baseUrl: server }));
  return {
    unary: (method, request, options) =>
      client[method[0].toLowerCase() + method.slice(1)](request, options).catch((error) => Promise.reject(named(error))),
    download: (request) => streamed(client.download(request)),
    list: (request) => streamed(client.list(request)),
  };
}
