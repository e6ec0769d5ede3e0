namespace Millrace.Transfer;

/// <summary>How a <see cref="TransferClient"/> reaches its server and handles failures.</summary>
/// <remarks>A client copies its options when it is created: later changes do not reach it.</remarks>
public sealed class TransferClientOptions
{
    internal const int MinChunkBytes = 1024;

    // gRPC's libraries accept messages of 4 MiB by default; 1 KiB is for the other fields.
    internal const int MaxChunkBytes = (4 * 1024 * 1024) - 1024;

    /// <summary>The token for <c>Authorization: Bearer</c>; null for none.</summary>
    public string? Token { get; set; }

    /// <summary>
    /// A signed link; null for none. Its file is downloaded, or uploaded with one PUT, by the link instead of
    /// <see cref="Token"/>: such an upload cannot be resumed, and starts over after an interruption. Other files are moved as
    /// without it.
    /// </summary>
    public TransferLink? Link { get; set; }

    /// <summary>The protocol; <see cref="TransferProtocol.Auto"/> by default.</summary>
    public TransferProtocol Protocol { get; set; }

    /// <summary>Attempts without any progress before a transfer fails; progress resets the count. 1 or more; 10 by default.</summary>
    /// <remarks>With the default delays, 10 attempts take about two minutes.</remarks>
    public int MaxAttempts { get; set => field = AtLeastOne(value, nameof(MaxAttempts)); } = 10;

    /// <summary>The wait before the first retry, which doubles with each retry, with jitter. 200 ms by default.</summary>
    /// <remarks>A connection that was cut is most often back at once; a server that restarts takes seconds.</remarks>
    public TimeSpan FirstDelay { get; set => field = NotNegative(value, nameof(FirstDelay)); } = TimeSpan.FromMilliseconds(200);

    /// <summary>The longest wait before a retry; 30 s by default.</summary>
    public TimeSpan MaxDelay { get; set => field = NotNegative(value, nameof(MaxDelay)); } = TimeSpan.FromSeconds(30);

    /// <summary>How long nothing may be received or sent before a connection counts as dead; 30 s by default.</summary>
    /// <remarks>As the server's default: three lost packets and their retransmissions fit in.</remarks>
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>The most connections for the parts of one file over a slow route. 1 or more; 1 never divides. 4 by default.</summary>
    public int MaxConnections { get; set => field = AtLeastOne(value, nameof(MaxConnections)); } = 4;

    /// <summary>
    /// The most bytes of files that all transfers of the client move in a second, both directions together; 1 or more, null for no limit.
    /// A server that demands more ends a transfer.
    /// </summary>
    public long? MaxBytesPerSecond
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value ?? 1, 1, nameof(value));
            field = value;
        }
    }

    /// <summary>How files are compressed over gRPC and gRPC-Web; <see cref="TransferCompression.None"/> by default.</summary>
    /// <remarks>The other protocols send files as they are, so that ranges and resumed uploads mean the file's own bytes.</remarks>
    public TransferCompression Compression { get; set; }

    /// <summary>
    /// The most bytes of a file in one chunk of gRPC and gRPC-Web, 1,024 to 4,193,280 (4 MiB with room for the rest of a
    /// message: most peers accept no more); null for the best. The server is asked for the same.
    /// </summary>
    public int? ChunkBytes
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value ?? int.MaxValue, MinChunkBytes, nameof(value));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value ?? 0, MaxChunkBytes, nameof(value));
            field = value;
        }
    }

    /// <summary>
    /// How long one call of gRPC or gRPC-Web may take in all, which is sent to the server (<c>grpc-timeout</c>); null for as
    /// long as bytes move.
    /// </summary>
    public TimeSpan? CallTimeout
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value ?? TimeSpan.MaxValue, TimeSpan.Zero, nameof(value));
            field = value;
        }
    }

    /// <summary>
    /// Whether SHA-256 is computed at both ends and compared before anything is published under its name. True by default;
    /// false leaves it to TCP's checksums.
    /// </summary>
    public bool VerifyDigests { get; set; } = true;

    /// <summary>
    /// Whether a server may send downloads over HTTP to the object store where it keeps the files; false by default. No token is sent
    /// there, and the version and the digest are those that the server named.
    /// </summary>
    public bool FollowRedirects { get; set; }

    /// <summary>
    /// When only the changed parts of a file are sent or fetched that both sides have, of 1 MiB or more; <see cref="TransferDelta.Auto"/> by
    /// default. Uploads need the permission to read the file.
    /// </summary>
    public TransferDelta Delta { get; set; }

    /// <summary>The failures that a downloaded file survives; <see cref="Durability.OnCommit"/> by default.</summary>
    public Durability Durability { get; set; } = Durability.OnCommit;

    /// <summary>
    /// Downloads to files that receive bytes at the same time at most, 1 or more; null, the default, for all that are called. The others wait.
    /// Small files that come with others in one request, or have all of their bytes and wait for the device together, do not count: with a limit, hundreds of them can be downloaded at
    /// once over a few connections. After the server has refused one because there are too many, half as many receive at the same time.
    /// </summary>
    public int? MaxReceiving
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value ?? 1, 1, nameof(value));
            field = value;
        }
    }

    /// <summary>
    /// Whether files that are sent and received may stay in the page cache of this machine; true by default. False leaves it as it was, for files
    /// that are large beside its memory: <see cref="FileReadOptions.KeepCached"/>. A download then takes one connection.
    /// </summary>
    public bool KeepCached { get; set; } = true;

    /// <summary>
    /// A PEM file with the certificates of the authorities that are trusted to vouch for the server, instead of the system's; null for those.
    /// </summary>
    /// <remarks>
    /// This and the next three are for a client's own connections and those of <c>AddMillraceTransferClient</c>: a client that is given a handler
    /// or an <c>HttpClient</c> uses that as it is.
    /// </remarks>
    public string? CaCertificatePath { get; set; }

    /// <summary>A PEM file with a certificate, and its intermediates, that the client shows to servers that ask for one; null for none.</summary>
    public string? ClientCertificatePath { get; set; }

    /// <summary>A PEM file with the key of that certificate, without a password; null if it is in the same file.</summary>
    public string? ClientKeyPath { get; set; }

    /// <summary>
    /// Whether any certificate of a server is accepted: then everyone on the way can read and change files, and take the token. False by default.
    /// </summary>
    public bool AllowAnyCertificate { get; set; }

    internal TransferClientOptions Copy() => (TransferClientOptions)MemberwiseClone();

    private static int AtLeastOne(int value, string name)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, 1, name);
        return value;
    }

    private static TimeSpan NotNegative(TimeSpan value, string name)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero, name);
        return value;
    }
}

/// <summary>When only the changed parts of a file are moved.</summary>
public enum TransferDelta
{
    /// <summary>Where the link is slower than comparing, which is measured.</summary>
    Auto,

    /// <summary>Where the server can.</summary>
    Always,

    /// <summary>All of a file is moved.</summary>
    Never,
}

/// <summary>How a file's bytes are coded on their way.</summary>
public enum TransferCompression
{
    /// <summary>As they are.</summary>
    None,

    /// <summary>gzip at its fastest level; over gRPC each message is compressed separately.</summary>
    Gzip,
}
