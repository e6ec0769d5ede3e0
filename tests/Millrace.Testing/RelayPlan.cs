namespace Millrace.Testing;

/// <summary>The treatment of one connection by a <see cref="TestRelay"/>. Up is from the client to the server.</summary>
public sealed record RelayPlan
{
    public static RelayPlan Clear { get; } = new();

    /// <summary>Ends the connection after so many bytes; null for never.</summary>
    public long? CutUpAfter { get; init; }

    public long? CutDownAfter { get; init; }

    /// <summary>
    /// Whether nothing happens to connections any more once one was cut or has stalled, and the bytes of all together count
    /// until then: HttpClient opens another connection for the file, or its next part, when the first one is not back in time.
    /// </summary>
    public bool Once { get; init; }

    /// <summary>Whether it is reset (linger 0) instead of closed.</summary>
    public bool Reset { get; init; }

    /// <summary>Lets nothing more through after so many bytes, and leaves the connection open; null for never.</summary>
    public long? StallUpAfter { get; init; }

    public long? StallDownAfter { get; init; }

    /// <summary>How long every byte is on its way, in each direction.</summary>
    public TimeSpan Delay { get; init; }

    /// <summary>Bytes on their way at once in each direction; like a window on a long route.</summary>
    public int Window { get; init; } = 256 * 1024;

    /// <summary>Bytes per second in each direction; null for as many as there are.</summary>
    public long? BytesPerSecond { get; init; }
}
