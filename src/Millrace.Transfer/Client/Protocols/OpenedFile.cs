namespace Millrace.Transfer;

/// <summary>A file, or a part of one, on its way here.</summary>
internal sealed class OpenedFile : IDisposable
{
    /// <summary>Owns the connection; null for bytes that are in memory.</summary>
    public HttpResponseMessage? Response { get; init; }

    /// <summary>The bytes.</summary>
    public required Stream Body { get; init; }

    /// <summary>Where in the file the first one is.</summary>
    public required long Offset { get; init; }

    /// <summary>Bytes of this answer; null when only its end shows that.</summary>
    public long? Count { get; init; }

    /// <summary>Bytes of the whole file; null when only its end shows that.</summary>
    public long? Length { get; init; }

    public EntityTag? Tag { get; init; }

    public Sha256Digest? Sha256 { get; init; }

    public FileTime? Modified { get; init; }

    /// <summary>Whether its owner may run it.</summary>
    public bool IsExecutable { get; init; }

    /// <summary>Whether the file is sparse, and nothing else was sent.</summary>
    public bool HasHoles { get; init; }

    /// <summary>How long the answer took.</summary>
    public TimeSpan RoundTrip { get; init; }

    /// <summary>Checks what follows the last byte, once all bytes were read.</summary>
    /// <returns>The digest of the whole file, where it is declared there.</returns>
    public ValueTask<Sha256Digest?> FinishAsync() => Body is IEndingBody body ? body.FinishAsync() : default;

    public void Dispose()
    {
        Body.Dispose();
        Response?.Dispose();
    }
}

/// <summary>The bytes of a file that are followed by trailers.</summary>
internal interface IEndingBody
{
    /// <summary>Reads what follows the last byte; throws when the response did not end well.</summary>
    /// <returns>The digest of the whole file, where it is declared there.</returns>
    ValueTask<Sha256Digest?> FinishAsync();
}
