namespace Millrace.Lab.Suites.Files;

/// <summary>Whether a consumer measures the time that its thread spends inside the calls that read.</summary>
/// <remarks>
/// A type parameter and not a flag, so that in hot cases, where a read may take 100 ns, nothing of it remains in the
/// compiled code.
/// </remarks>
internal interface ICallClock
{
    /// <summary>A timestamp, or 0 when nothing is measured.</summary>
    static abstract long Start();

    /// <summary>Stopwatch ticks since <paramref name="start"/>, or 0 when nothing is measured.</summary>
    static abstract long Since(long start);
}
