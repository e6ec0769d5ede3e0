namespace Millrace.Transfer;

/// <summary>How a <see cref="TransferClient"/> reaches its server and what it does when that fails.</summary>
public sealed record TransferClientOptions
{
    /// <summary>Default of <see cref="MaxAttempts"/>.</summary>
    /// <remarks>With the default delays about two minutes without any progress.</remarks>
    public const int DefaultMaxAttempts = 10;

    /// <summary>Default of <see cref="FirstDelay"/>, in milliseconds.</summary>
    /// <remarks>A connection that was cut is most often back at once; a server that restarts takes seconds.</remarks>
    public const int DefaultFirstDelayMilliseconds = 200;

    /// <summary>Default of <see cref="MaxDelay"/>, in milliseconds.</summary>
    /// <remarks>Longer waits only make a person wonder whether anything still happens.</remarks>
    public const int DefaultMaxDelayMilliseconds = 30_000;

    /// <summary>Default of <see cref="IdleTimeout"/>, in milliseconds.</summary>
    /// <remarks>As the server's: three lost packets and their repetitions fit in.</remarks>
    public const int DefaultIdleTimeoutMilliseconds = 30_000;

    /// <summary>Default of <see cref="MaxConnections"/>.</summary>
    /// <remarks>Four windows' worth on a long way; more gain little and take from others.</remarks>
    public const int DefaultMaxConnections = 4;

    /// <summary>Least of <see cref="ChunkBytes"/>.</summary>
    public const int MinChunkBytes = 1024;

    /// <summary>Most of <see cref="ChunkBytes"/>.</summary>
    /// <remarks>gRPC's libraries accept messages of 4 MiB unless they are told otherwise; 1 KiB is for the other fields.</remarks>
    public const int MaxChunkBytes = (4 * 1024 * 1024) - 1024;

    /// <summary>The token for <c>Authorization: Bearer</c>; null for none.</summary>
    public string? Token { get; init; }

    /// <summary>
    /// A signed link; null for none. Its file is downloaded, or uploaded with one PUT, by the link in place of
    /// <see cref="Token"/>: an upload by it cannot be continued, and begins anew after an interruption. Other files are
    /// moved as without it.
    /// </summary>
    public TransferLink? Link { get; init; }

    /// <summary>The protocol; <see cref="TransferProtocol.Auto"/> by default.</summary>
    public TransferProtocol Protocol { get; init; }

    /// <summary>Tries without any progress before a transfer fails; progress begins the count anew. 1 or more.</summary>
    public int MaxAttempts { get; init; } = DefaultMaxAttempts;

    /// <summary>First wait before another try; doubled each time, with jitter.</summary>
    public TimeSpan FirstDelay { get; init; } = TimeSpan.FromMilliseconds(DefaultFirstDelayMilliseconds);

    /// <summary>Longest wait before another try.</summary>
    public TimeSpan MaxDelay { get; init; } = TimeSpan.FromMilliseconds(DefaultMaxDelayMilliseconds);

    /// <summary>How long nothing may arrive, or be taken, before a connection counts as dead.</summary>
    public TimeSpan IdleTimeout { get; init; } = TimeSpan.FromMilliseconds(DefaultIdleTimeoutMilliseconds);

    /// <summary>Connections for the parts of one file on a slow way; 1 or more, 1 for never several.</summary>
    public int MaxConnections { get; init; } = DefaultMaxConnections;

    /// <summary>How files are coded over gRPC and gRPC-Web; <see cref="TransferCompression.None"/> by default.</summary>
    /// <remarks>The other protocols send files as they are, so that ranges and continued uploads mean the file's own bytes.</remarks>
    public TransferCompression Compression { get; init; }

    /// <summary>
    /// A file's bytes in one chunk of gRPC and gRPC-Web, at most, 1,024 to 4,193,280 (4 MiB with room for the rest of a
    /// message: more is not accepted by most peers); null for what is best. A server is asked for the same.
    /// </summary>
    public int? ChunkBytes
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value ?? int.MaxValue, MinChunkBytes, nameof(value));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value ?? 0, MaxChunkBytes, nameof(value));
            field = value;
        }
    }

    /// <summary>
    /// How long one call of gRPC or gRPC-Web may take in all, which the server is told (<c>grpc-timeout</c>); null for as long
    /// as something moves.
    /// </summary>
    public TimeSpan? CallTimeout
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value ?? TimeSpan.MaxValue, TimeSpan.Zero, nameof(value));
            field = value;
        }
    }

    /// <summary>
    /// Whether SHA-256 is computed at both ends and compared before anything is published under its name. True by default;
    /// false leaves it to TCP's checksums.
    /// </summary>
    public bool VerifyDigests { get; init; } = true;

    /// <summary>What a downloaded file has to survive; <see cref="Durability.OnCommit"/> by default.</summary>
    public Durability Durability { get; init; } = Durability.OnCommit;

    /// <summary>For messages and logs, and so without the token.</summary>
    public override string ToString() => $"{Protocol}, at most {MaxConnections} connections, {(Token is null ? "no token" : "with a token")}";
}
