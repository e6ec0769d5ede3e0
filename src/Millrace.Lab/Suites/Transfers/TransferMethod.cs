using Millrace.Lab.GrpcCore;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>A row of the suite.</summary>
/// <param name="Name">Its name in results, and in <see cref="FileTransfers"/>.</param>
/// <param name="Protocol">What carries the bytes; null for what is written without Millrace's client.</param>
/// <param name="Array">The arrays of its messages, at both ends; none for what Millrace does.</param>
/// <param name="HasDigest">Whether both ends compute a digest and compare.</param>
/// <param name="Core">Which ends are the program of gRPC's C++ core.</param>
internal sealed record TransferMethod(
    string Name,
    TransferProtocol? Protocol = null,
    MessageArray Array = MessageArray.None,
    bool HasDigest = false,
    CoreEnds Core = CoreEnds.None)
{
    /// <summary>What is written without a library.</summary>
    public bool IsPlain => Protocol is null;

    /// <summary>Whether it is gRPC or gRPC-Web: the buffer is the length of chunks then, and files can be coded.</summary>
    public bool IsGrpc => Protocol is TransferProtocol.Grpc or TransferProtocol.GrpcWeb or TransferProtocol.GrpcWebText;

    /// <summary>Whether files can be sent with gzip.</summary>
    public bool HasCompression => !HasDigest && (IsPlain || IsGrpc);

    /// <summary>Whether it moves files in a direction.</summary>
    /// <remarks>tus only takes files: what the client downloads over it is a download over HTTP/1.1.</remarks>
    public bool Moves(TransferDirection direction) => direction == TransferDirection.Upload || Protocol != TransferProtocol.Tus;
}
