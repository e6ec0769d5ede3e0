import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import grpcWeb from "grpc-web";
import { FileTransfer } from "../../../../artifacts/grpc/web/generated/millrace/v1/file_transfer_pb.js";

/** protoc-gen-grpc-web makes descriptors like these of the service; its messages come from another library here. */
function descriptorOf(name) {
  const method = FileTransfer.methods.find((one) => one.name === name);
  const kind = method.methodKind === "unary" ? grpcWeb.MethodType.UNARY : grpcWeb.MethodType.SERVER_STREAMING;
  return {
    path: `/${FileTransfer.typeName}/${name}`,
    message: (request) => create(method.input, request),
    descriptor: new grpcWeb.MethodDescriptor(
      `/${FileTransfer.typeName}/${name}`, kind, Object, Object,
      (message) => toBinary(method.input, message), (bytes) => fromBinary(method.output, bytes)),
  };
}

const nameOf = (code) => Object.entries(grpcWeb.StatusCode).find(([, value]) => value === code)?.[0] ?? String(code);

const named = (error) => Object.assign(new Error(error.message), {
  code: nameOf(error.code), transferError: error.metadata?.["millrace-error"],
});

export function grpcWebClient(server, format) {
  const client = new grpcWeb.GrpcWebClientBase({ format });

  const unary = (name, request, { timeoutMs } = {}) => new Promise((resolve, reject) => {
    const { path, message, descriptor } = descriptorOf(name);
    const metadata = timeoutMs === undefined ? {} : { deadline: String(Date.now() + timeoutMs) };
    client.rpcCall(server + path, message(request), metadata, descriptor, (error, answer) =>
      error ? reject(named(error)) : resolve(answer));
  });

  async function* streamed(name, request) {
    const { path, message, descriptor } = descriptorOf(name);
    const came = [];
    let over = false;
    let failure;
    let wake = () => {};
    const stream = client.serverStreaming(server + path, message(request), {}, descriptor);
    stream.on("data", (answer) => { came.push(answer); wake(); });
    stream.on("error", (error) => { failure = error; over = true; wake(); });
    stream.on("end", () => { over = true; wake(); });
    while (!over || came.length > 0) {
      if (came.length > 0) yield came.shift();
      else await new Promise((resolve) => { wake = resolve; });
    }
    if (failure) throw named(failure);
  }

  return {
    unary,
    download: (request) => streamed("Download", request),
    list: (request) => streamed("List", request),
  };
}
