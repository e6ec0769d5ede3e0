using Millrace.Interop;

namespace Millrace.Sources;

/// <summary>
/// Who makes the direct reads of all readers of the process. Thread-safe.
/// </summary>
internal abstract class DirectEngine
{
    /// <summary>Blocks that one reader has in flight or read and not yet taken, at most.</summary>
    /// <remarks>
    /// With 8 blocks of 256 KiB a virtual disk gave what it has: 2 took 1.2 times as long, 16 saved nothing and would
    /// hold 4 MiB for every reader. See docs/direct.md.
    /// </remarks>
    public const int BlocksInFlight = 8;

    private static readonly Lock Gate = new();
    private static DirectRing? _ring;
    private static DirectThreads? _threadsInstead;

    /// <summary>io_uring where the process may use it, the thread pool otherwise; found out at the first call.</summary>
    public static DirectEngine Shared
    {
        get
        {
            lock (Gate)
            {
                if (_threadsInstead is null && _ring is null or { Broken: true })
                {
                    string? refusal = _ring is null ? TryRing(out _ring) : "io_uring failed";
                    if (refusal is not null)
                    {
                        _threadsInstead = new DirectThreads(refusal);
                    }
                }

                return (DirectEngine?)_threadsInstead ?? _ring!;
            }
        }
    }

    /// <summary>What <see cref="FilePipeReader.StrategyReason"/> says.</summary>
    public abstract string Reason { get; }

    /// <summary>Whether it takes the next block by itself, and the thread pool only finishes what has to be waited for.</summary>
    public abstract bool ClaimsItself { get; }

    /// <summary>Asks for the source's next blocks to be read. Called with the source's lock held; does not wait.</summary>
    public abstract void Wake(DirectSource source);

    private static string? TryRing(out DirectRing? ring)
    {
        ring = null;
        return NativeFeatures.IoUring ? DirectRing.TryStart(out ring) : "io_uring is switched off";
    }
}
