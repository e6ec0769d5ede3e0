namespace Millrace.Transfer.Server;

/// <summary>How much one client may use of a server at once, and how slow it may be.</summary>
public sealed class TransferLimits
{
    private const long MinBufferedBytes = 16 * 1024 * 1024;

    /// <summary>
    /// Transfers at once for each token, or for each address where no tokens are used; 1 or more. One more is refused with 429.
    /// </summary>
    /// <remarks>
    /// Enough for many programs at one address; with a transfer's memory, one address alone cannot fill a small
    /// machine.
    /// </remarks>
    public int MaxTransfers { get; set => field = Positive(value, nameof(MaxTransfers)); } = 256;

    /// <summary>
    /// Listings at once for each token, or for each address where no tokens are used; 1 or more. Of four times as many, pages are made at
    /// once for all callers together. Further ones wait, and when <see cref="MaxTransfers"/> of a caller wait, one more is refused with 429.
    /// </summary>
    /// <remarks>A part of a listing is in memory until the client has it: 1,000 entries, up to about 600 KB.</remarks>
    public int MaxListings { get; set => field = Positive(value, nameof(MaxListings)); } = 32;

    /// <summary>Connections at once; 1 or more. One more is closed at once.</summary>
    /// <remarks>Below the 1,024 open files that many systems allow a process by default.</remarks>
    public int MaxConnections { get; set => field = Positive(value, nameof(MaxConnections)); } = 900;

    /// <summary>Bytes that the body of one request may have; null without a limit. More is refused with 413, by Content-Length before it is read.</summary>
    /// <remarks>
    /// A compressed body, and one of gRPC, is not the file: it can be longer. <see cref="LocalFileStoreOptions.MaxFileBytes"/>
    /// limits files.
    /// </remarks>
    public long? MaxBodyBytes
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value ?? 0, nameof(value));
            field = value;
        }
    }

    /// <summary>Bytes per second at which a request body has to arrive when <see cref="MinReceiveRateGracePeriod"/> is over; 0 for any.</summary>
    /// <remarks>A modem is faster; an attacker who sends single bytes to hold a connection is not.</remarks>
    public int MinReceiveRate { get; set => field = NotNegative(value, nameof(MinReceiveRate)); } = 1024;

    /// <summary>How long a request body may be slower than <see cref="MinReceiveRate"/>; more than a second.</summary>
    /// <remarks>Enough for three lost packets and their retransmissions (1, 2 and 4 s).</remarks>
    public TimeSpan MinReceiveRateGracePeriod { get; set => field = Grace(value); } =
        TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long a client may take to receive what waits to be sent to it, a block of up to 1 MiB; more than a second. A client that
    /// receives nothing for longer is closed, over every protocol.
    /// </summary>
    /// <remarks>
    /// Enough for a film that is paused and a laptop that changes networks. A receiver takes nothing until it has used up the content of the
    /// system's buffers, several MB on a good line: with 10 s downloads of 2 MB a second each were cut among 200.
    /// </remarks>
    public TimeSpan MaxSendPause { get; set => field = Grace(value); } = TimeSpan.FromMinutes(10);

    /// <summary>How long a request may take to send its headers.</summary>
    /// <remarks>Headers are one or two packets: the same as <see cref="MinReceiveRateGracePeriod"/>.</remarks>
    public TimeSpan HeaderTimeout { get; set => field = Positive(value, nameof(HeaderTimeout)); } =
        TimeSpan.FromSeconds(10);

    /// <summary>How long an idle connection is kept.</summary>
    /// <remarks>Kestrel's default; longer than the two minutes after which clients and proxies usually close.</remarks>
    public TimeSpan KeepAliveTimeout { get; set => field = Positive(value, nameof(KeepAliveTimeout)); } =
        TimeSpan.FromSeconds(130);

    /// <summary>The value of <c>Retry-After</c> with a 429.</summary>
    /// <remarks>A slot becomes free in that time when files have a few MiB.</remarks>
    public TimeSpan RetryAfter { get; set => field = Positive(value, nameof(RetryAfter)); } =
        TimeSpan.FromSeconds(5);

    /// <summary>Bytes per connection that are received before they are read.</summary>
    /// <remarks>Two of the store's writes; 200 uploads at once take 25 MiB.</remarks>
    public int ReceiveBuffer { get; set => field = Positive(value, nameof(ReceiveBuffer)); } = 128 * 1024;

    /// <summary>Bytes per connection that may wait to be sent.</summary>
    /// <remarks>As <see cref="ReceiveBuffer"/>.</remarks>
    public int SendBuffer { get; set => field = Positive(value, nameof(SendBuffer)); } = 128 * 1024;

    /// <summary>
    /// Bytes of an upload over HTTP/2, and of all uploads of a connection, that are received before they are read; 64 KiB or more.
    /// </summary>
    /// <remarks>
    /// Twice the bytes in flight at 1 Gbit/s and a round trip of 60 ms: half of a window has to arrive before Kestrel asks for
    /// more. A sender not faster than the store uses none of it.
    /// </remarks>
    public int Http2Window
    {
        get;
        set
        {
            // RFC 9113, section 6.9.2: a connection cannot begin with less.
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 65_535);
            field = value;
        }
    } = 16 * 1024 * 1024;

    /// <summary>
    /// Bytes that are held for all connections of a <see cref="TransferServer"/> together, because they were received and not read, or
    /// written and not sent; 16 MiB or more. Over it, the connection that holds the most is closed; its uploads can be resumed.
    /// </summary>
    /// <remarks>
    /// 32 uploads over HTTP/2 whose disk hangs; those that are read as they arrive hold a hundredth of that. While requests of closed
    /// connections cannot end because of the disk, up to twice as much.
    /// </remarks>
    public long MaxBufferedBytes
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, MinBufferedBytes);
            field = value;
        }
    } = 512L * 1024 * 1024;

    /// <summary>
    /// Bytes of bodies per second that all callers together send, and as many that they receive, 1000 or more; null for any. Bytes that
    /// an S3 bucket sends to clients itself do not count.
    /// </summary>
    /// <remarks>
    /// Callers take turns, and so do the requests of each; all have the same share. The first 64 KiB of a request do not wait, so that small
    /// files and listings stay quick, but they count.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1000.</exception>
    public long? MaxRate { get; set => field = Rate(value, nameof(MaxRate)); }

    /// <summary>
    /// The same for each token, or for each address where no tokens are used and for links; 1000 or more, null for any. The rate of a token
    /// itself (<see cref="TransferToken.MaxRate"/>) replaces it.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1000.</exception>
    public long? MaxRatePerCaller { get; set => field = Rate(value, nameof(MaxRatePerCaller)); }

    /// <summary>The least rate: slower, a request that is served would seem to hang.</summary>
    internal const long MinRate = 1000;

    private static long? Rate(long? value, string name)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value ?? MinRate, MinRate, name);
        return value;
    }

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
