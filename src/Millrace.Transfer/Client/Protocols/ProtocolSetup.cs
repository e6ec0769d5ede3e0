namespace Millrace.Transfer;

/// <summary>What a protocol needs to know.</summary>
internal sealed record ProtocolSetup
{
    public required TransferProtocol Kind { get; init; }

    public required HttpClient Client { get; init; }

    public required TransferClientOptions Options { get; init; }

    public required TimeProvider Clock { get; init; }

    /// <summary>Where the files are on this wire; ends with a slash.</summary>
    public required Uri Files { get; init; }

    /// <summary>Where uploads are begun; null when there are none that can be continued.</summary>
    public Uri? Uploads { get; init; }
}
