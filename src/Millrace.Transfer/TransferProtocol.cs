namespace Millrace.Transfer;

/// <summary>A way for files between a client and a server.</summary>
public enum TransferProtocol
{
    /// <summary>The client chooses among the server's protocols.</summary>
    Auto,

    /// <summary>HTTP/1.1: ranges down, resumable uploads (the IETF draft) up.</summary>
    Http1,

    /// <summary>The same over HTTP/2: with TLS, or with prior knowledge on a separate port.</summary>
    Http2,

    /// <summary>tus 1.0 up; ranges over HTTP/1.1 down.</summary>
    Tus,

    /// <summary>gRPC over HTTP/2: with TLS, or with prior knowledge on a separate port.</summary>
    Grpc,

    /// <summary>gRPC-Web over HTTP/1.1, binary. Uploads are sent in parts of one message each.</summary>
    GrpcWeb,

    /// <summary>The same in base64, which takes a third more bytes: for what lets only text through.</summary>
    GrpcWebText,
}
