namespace Millrace.Sources;

/// <summary>Reads on the thread pool, a thread for every block in flight, where there is no io_uring.</summary>
/// <remarks>
/// A pool with few threads has as few reads in flight. Threads of our own were no faster and took twice the processor
/// time, waking each other. See docs/direct.md.
/// </remarks>
internal sealed class DirectThreads(string whyNotRing) : DirectEngine
{
    public override string Reason { get; } = $"O_DIRECT, up to {BlocksInFlight} pool threads ({whyNotRing})";

    public override bool ClaimsItself => false;

    public override void Wake(DirectSource source) => source.AddWorker();
}
