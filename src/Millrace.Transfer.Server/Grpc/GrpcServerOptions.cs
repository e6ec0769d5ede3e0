namespace Millrace.Transfer.Server;

/// <summary>How gRPC and gRPC-Web are spoken.</summary>
public sealed class GrpcServerOptions
{
    /// <summary>Bytes of a message that is accepted, 64 KiB or more; a longer one is answered RESOURCE_EXHAUSTED.</summary>
    /// <remarks>
    /// A part of an upload by gRPC-Web is one message, and each costs a round trip. No message is held, however long.
    /// </remarks>
    public int MaxMessageBytes
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 64 * 1024);
            field = value;
        }
    } = 16 * 1024 * 1024;

    /// <summary>
    /// Whether messages are compressed for a caller that compresses its own (<c>grpc-encoding: gzip</c>) and accepts it. True by
    /// default. Compressed messages are accepted in any case.
    /// </summary>
    public bool Compress { get; set; } = true;
}
