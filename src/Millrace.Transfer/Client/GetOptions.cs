namespace Millrace.Transfer;

/// <summary>How a file is downloaded.</summary>
public readonly record struct GetOptions
{
    /// <summary>Whether to fail if the local file already exists.</summary>
    public bool CreateNew { get; init; }

    /// <summary>Whether to continue an earlier process' download of the same version.</summary>
    public bool Resume { get; init; }

    /// <summary>
    /// Whether to compare a file that is here with the server's, block by block, whatever their dates, lengths and the speed of the link: one that is the
    /// same stays as it is, and only what differs is fetched.
    /// </summary>
    public bool Repair { get; init; }

    /// <summary>The part of the file that is wanted; null for all of it. Its digest cannot be verified then.</summary>
    public ByteRange? Range { get; init; }

    /// <summary>
    /// Length in bytes, as the file was listed, 0 or more; null when unknown. Small files of known length can come together. A file that has another length by now is
    /// downloaded as well.
    /// </summary>
    public long? Length { get; init; }

    /// <summary>
    /// Maximum bytes to receive, 0 or more; null without a limit. More of them end the download with <see cref="TransferError.TooLarge"/>, before
    /// the first one if the server declares more. A file of unknown length is received until only 1 % of
    /// the path's disk is free.
    /// </summary>
    public long? MaxBytes { get; init; }

    /// <summary>
    /// Whether the file here gets the executable bit of the server's, or loses it: who may read it may run it then. Not on Windows.
    /// </summary>
    public bool Permissions { get; init; }

    /// <summary>Whether the file here gets the time of its arrival, and not that of the server's last change.</summary>
    public bool NoTimes { get; init; }
}

/// <summary>How a file is uploaded.</summary>
public readonly record struct PutOptions
{
    /// <summary>The condition on the name.</summary>
    public WritePrecondition Precondition { get; init; }

    /// <summary>
    /// Length in bytes, where the source does not have it (a pipe, a sequence); null when unknown.
    /// </summary>
    public long? Length { get; init; }

    /// <summary>
    /// Whether the upload of a file that an earlier process began is continued. Where it was begun is kept in a small file
    /// of the user's own: see docs/transfer-client.md.
    /// </summary>
    public bool Resume { get; init; }

    /// <summary>When the content was last changed; null for the time of the file that is uploaded, if it is one.</summary>
    public FileTime? Modified { get; init; }

    /// <summary>Whether the owner of the file may run it; null to leave that to the server.</summary>
    public bool? IsExecutable { get; init; }

    /// <summary>Whether <see cref="IsExecutable"/> is that of the file here that is uploaded. Not on Windows.</summary>
    public bool Permissions { get; init; }

    /// <summary>Whether to omit the time of the file's last change: the server then uses the time of its publication.</summary>
    public bool NoTimes { get; init; }
}
