namespace Millrace.Transfer;

/// <summary>How a file's bytes are coded on their way.</summary>
public enum TransferCompression
{
    /// <summary>As they are.</summary>
    None,

    /// <summary>gzip at its fastest; over gRPC each message by itself.</summary>
    Gzip,
}
