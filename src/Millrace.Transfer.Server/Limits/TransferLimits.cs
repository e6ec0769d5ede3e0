namespace Millrace.Transfer.Server;

/// <summary>How much one client may ask of a server at once, and how slow it may be.</summary>
public sealed record TransferLimits
{
    /// <summary>Default of <see cref="MaxTransfers"/>.</summary>
    /// <remarks>
    /// Many programs at one office's address still get on; at what a transfer takes of memory, one address alone cannot
    /// fill a small machine.
    /// </remarks>
    public const int DefaultMaxTransfers = 256;

    /// <summary>Default of <see cref="MaxConnections"/>.</summary>
    /// <remarks>Below the 1,024 open files that many systems allow a process when nobody said otherwise.</remarks>
    public const int DefaultMaxConnections = 900;

    /// <summary>Default of <see cref="MinReceiveRate"/>, in bytes a second.</summary>
    /// <remarks>A modem is faster; who sends a byte now and then to hold a connection is not.</remarks>
    public const int DefaultMinReceiveRate = 1024;

    /// <summary>Default of <see cref="MinSendRate"/>, in bytes a second: Kestrel's own.</summary>
    /// <remarks>Counted over what waits to be sent; who pauses a download for minutes is not meant.</remarks>
    public const int DefaultMinSendRate = 240;

    /// <summary>Default of <see cref="RateGrace"/>, in seconds.</summary>
    /// <remarks>Three lost packets and their repetitions (1, 2 and 4 s) fit in.</remarks>
    public const int DefaultRateGraceSeconds = 10;

    /// <summary>Default of <see cref="SendGrace"/>, in seconds.</summary>
    /// <remarks>
    /// A receiver takes nothing until it has used up what is in the system's buffers, several MB on a good line: with 10 s
    /// downloads of 2 MB a second each were cut among 200.
    /// </remarks>
    public const int DefaultSendGraceSeconds = 120;

    /// <summary>Default of <see cref="HeaderTimeout"/>, in seconds.</summary>
    /// <remarks>Headers are one or two packets: as <see cref="DefaultRateGraceSeconds"/>.</remarks>
    public const int DefaultHeaderTimeoutSeconds = 10;

    /// <summary>Default of <see cref="KeepAliveTimeout"/>, in seconds: Kestrel's own.</summary>
    /// <remarks>Longer than the two minutes after which clients and proxies usually close by themselves.</remarks>
    public const int DefaultKeepAliveTimeoutSeconds = 130;

    /// <summary>Default of <see cref="RetryAfter"/>, in seconds.</summary>
    /// <remarks>In which a place becomes free where files are of some MiB.</remarks>
    public const int DefaultRetryAfterSeconds = 5;

    /// <summary>Default of <see cref="ReceiveBuffer"/>: 128 KiB.</summary>
    /// <remarks>Two of the store's writes; 200 uploads at once take 25 MiB.</remarks>
    public const int DefaultReceiveBuffer = 128 * 1024;

    /// <summary>Default of <see cref="SendBuffer"/>: 128 KiB.</summary>
    /// <remarks>As <see cref="DefaultReceiveBuffer"/>.</remarks>
    public const int DefaultSendBuffer = 128 * 1024;

    /// <summary>Default of <see cref="Http2Window"/>: 16 MiB.</summary>
    /// <remarks>
    /// Twice what is on its way at 1 Gbit/s and a round trip of 60 ms: half a window has to arrive before Kestrel asks for
    /// more. Nothing of it is used by who sends no faster than the store writes.
    /// </remarks>
    public const int DefaultHttp2Window = 16 * 1024 * 1024;

    /// <summary>
    /// Transfers at once for each token, or for each address where no tokens are used; 1 or more. One more is answered 429.
    /// </summary>
    public int MaxTransfers { get; init => field = Positive(value, nameof(MaxTransfers)); } = DefaultMaxTransfers;

    /// <summary>Connections at once; 1 or more. One more is closed at once.</summary>
    public int MaxConnections { get; init => field = Positive(value, nameof(MaxConnections)); } = DefaultMaxConnections;

    /// <summary>Bytes that the body of one request may have; null without a limit. More is answered 413, by Content-Length at once.</summary>
    public long? MaxBodyBytes
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value ?? 0, nameof(value));
            field = value;
        }
    }

    /// <summary>Bytes a second at which a body has to arrive once <see cref="RateGrace"/> is over; 0 for any.</summary>
    public int MinReceiveRate { get; init => field = NotNegative(value, nameof(MinReceiveRate)); } = DefaultMinReceiveRate;

    /// <summary>Bytes a second at which an answer has to be taken; 0 for any.</summary>
    public int MinSendRate { get; init => field = NotNegative(value, nameof(MinSendRate)); } = DefaultMinSendRate;

    /// <summary>How long a transfer may be slower than its rate; more than a second.</summary>
    public TimeSpan RateGrace { get; init => field = Grace(value); } =
        TimeSpan.FromSeconds(DefaultRateGraceSeconds);

    /// <summary>How long a receiver may take nothing before <see cref="MinSendRate"/> counts. More than a second.</summary>
    public TimeSpan SendGrace { get; init => field = Grace(value); } =
        TimeSpan.FromSeconds(DefaultSendGraceSeconds);

    /// <summary>How long the headers of a request may take.</summary>
    public TimeSpan HeaderTimeout { get; init => field = Positive(value, nameof(HeaderTimeout)); } =
        TimeSpan.FromSeconds(DefaultHeaderTimeoutSeconds);

    /// <summary>How long a connection is kept on which nothing is asked.</summary>
    public TimeSpan KeepAliveTimeout { get; init => field = Positive(value, nameof(KeepAliveTimeout)); } =
        TimeSpan.FromSeconds(DefaultKeepAliveTimeoutSeconds);

    /// <summary>What <c>Retry-After</c> says with a 429.</summary>
    public TimeSpan RetryAfter { get; init => field = Positive(value, nameof(RetryAfter)); } =
        TimeSpan.FromSeconds(DefaultRetryAfterSeconds);

    /// <summary>Bytes of a connection that are received ahead of whoever reads them.</summary>
    public int ReceiveBuffer { get; init => field = Positive(value, nameof(ReceiveBuffer)); } = DefaultReceiveBuffer;

    /// <summary>Bytes of a connection that may wait to be sent.</summary>
    public int SendBuffer { get; init => field = Positive(value, nameof(SendBuffer)); } = DefaultSendBuffer;

    /// <summary>
    /// Bytes of an upload over HTTP/2, and of all on one connection, that may come ahead of whoever reads them, 64 KiB or more.
    /// </summary>
    public int Http2Window
    {
        get;
        init
        {
            // RFC 9113, section 6.9.2: a connection cannot begin with less.
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 65_535);
            field = value;
        }
    } = DefaultHttp2Window;

    private static int Positive(int value, string name)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value, name);
        return value;
    }

    private static int NotNegative(int value, string name)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(value, name);
        return value;
    }

    /// <summary>Kestrel looks once a second.</summary>
    private static TimeSpan Grace(TimeSpan value)
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.FromSeconds(1));
        return value;
    }

    private static TimeSpan Positive(TimeSpan value, string name)
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero, name);
        return value;
    }
}
