namespace Millrace.Transfer;

/// <summary>How a file is downloaded.</summary>
public readonly record struct GetOptions
{
    /// <summary>Whether a file of that name may not be there yet.</summary>
    public bool CreateNew { get; init; }

    /// <summary>Whether what an earlier process downloaded of the same version is continued.</summary>
    public bool Continue { get; init; }

    /// <summary>The part of the file that is wanted; null for all of it. Its digest cannot be verified then.</summary>
    public ByteRange? Range { get; init; }
}
