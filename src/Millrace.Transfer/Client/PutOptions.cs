namespace Millrace.Transfer;

/// <summary>How a file is uploaded.</summary>
public readonly record struct PutOptions
{
    /// <summary>What must be under the name.</summary>
    public WritePrecondition Precondition { get; init; }

    /// <summary>
    /// Bytes of what is uploaded, where the source cannot say it itself (a pipe, a sequence); null when unknown.
    /// </summary>
    public long? Length { get; init; }

    /// <summary>
    /// Whether the upload of a file that an earlier process began is continued. Where it was begun is kept in a small file
    /// of the user's own: see docs/transfer-client.md.
    /// </summary>
    public bool Continue { get; init; }
}
