namespace Millrace.Transfer.Server;

/// <summary>In which coding a file is sent, and from where.</summary>
/// <param name="Coding">The coding.</param>
/// <param name="Stored">A file that has the bytes in that coding already; null when they have to be compressed.</param>
internal readonly record struct CodedSource(ContentCoding Coding, StoredFileReader? Stored) : IAsyncDisposable
{
    /// <summary>The bytes as they are.</summary>
    public static readonly CodedSource None = new(ContentCoding.Identity, null);

    public ValueTask DisposeAsync() => Stored?.DisposeAsync() ?? default;
}
