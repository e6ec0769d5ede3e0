namespace Millrace.Transfer.Server;

/// <summary>
/// How much each of the files that are being read may have in memory: few get what is fastest, many share what a server can
/// spare. Thread-safe.
/// </summary>
internal sealed class ReadLoad
{
    /// <summary>Bytes for all of them together.</summary>
    /// <remarks>16 readers get the most; with 200 it is three times as much, for none gets less than the least.</remarks>
    public const int SharedBytes = 4 * 1024 * 1024;

    /// <summary>Most for one: docs/measuring.md.</summary>
    public const int MaxBytes = 256 * 1024;

    /// <summary>Least for one: below it every system call moves too little.</summary>
    public const int MinBytes = 64 * 1024;

    private int _readers;

    /// <summary>Another one begins; <see cref="Leave"/> when it ends.</summary>
    public void Enter() => Interlocked.Increment(ref _readers);

    public void Leave() => Interlocked.Decrement(ref _readers);

    /// <summary>Bytes of one read, now.</summary>
    public int ChunkBytes => Math.Clamp(SharedBytes / Math.Max(1, Volatile.Read(ref _readers)), MinBytes, MaxBytes);
}
