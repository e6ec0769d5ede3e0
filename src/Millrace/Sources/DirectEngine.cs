using Millrace.Interop;

namespace Millrace.Sources;

/// <summary>Makes the direct reads of all readers of the process. Thread-safe.</summary>
internal abstract class DirectEngine
{
    /// <summary>Maximum number of blocks that one reader has in flight or read and not yet taken.</summary>
    /// <remarks>
    /// With 8 blocks of 256 KiB a virtual disk reached nearly its full speed: 2 took 1.1 to 1.3 times as long and 2.3 times
    /// the processor time, 12 saved 1 to 6 % for half as much memory again. See docs/direct.md.
    /// </remarks>
    public const int BlocksInFlight = 8;

    private static readonly Lock Gate = new();

    /// <summary>io_uring where the process may use it, the thread pool otherwise; found out at the first call.</summary>
    public static DirectEngine Shared
    {
        get
        {
            lock (Gate)
            {
                field ??= Choose();
                if (field is DirectRing { Broken: true })
                {
                    field = new DirectThreads("io_uring failed");
                }

                return field;
            }
        }
    }

    public abstract string Reason { get; }

    /// <summary>Whether it claims blocks, and the thread pool only finishes reads that have to wait.</summary>
    public abstract bool ClaimsItself { get; }

    /// <summary>Asks for the source's next blocks to be read; does not wait.</summary>
    public abstract void Wake(DirectSource source);

    private static DirectEngine Choose()
    {
        if (!NativeFeatures.IoUring)
        {
            return new DirectThreads("io_uring is switched off");
        }

        string? refusal = DirectRing.TryStart(out DirectRing? ring);
        return ring is not null ? ring : new DirectThreads(refusal!);
    }
}

/// <summary>Reads on the thread pool, a thread for every block in flight, where there is no io_uring.</summary>
/// <remarks>
/// A pool with few threads has as few reads in flight. Threads of our own were no faster and took twice the processor
/// time, waking each other. See docs/direct.md.
/// </remarks>
internal sealed class DirectThreads(string whyNotRing) : DirectEngine
{
    public override string Reason { get; } = $"O_DIRECT, up to {BlocksInFlight} pool threads ({whyNotRing})";

    public override bool ClaimsItself => false;

    public override void Wake(DirectSource source) => source.StartWorker();
}
