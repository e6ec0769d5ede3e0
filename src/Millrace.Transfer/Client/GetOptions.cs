namespace Millrace.Transfer;

/// <summary>How a file is downloaded.</summary>
public readonly record struct GetOptions
{
    /// <summary>Whether a file of that name may not be there yet.</summary>
    public bool CreateNew { get; init; }

    /// <summary>Whether what an earlier process downloaded of the same version is continued.</summary>
    public bool Resume { get; init; }

    /// <summary>The part of the file that is wanted; null for all of it. Its digest cannot be verified then.</summary>
    public ByteRange? Range { get; init; }

    /// <summary>
    /// Bytes that may come, 0 or more; null without a limit. More of them end the download with <see cref="TransferError.TooLarge"/>, before
    /// the first one if the server says how many there are. Of a file whose length nobody says, at most so much comes to a path that 1 % of
    /// the disk stays free.
    /// </summary>
    public long? MaxBytes { get; init; }
}

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
    public bool Resume { get; init; }
}
