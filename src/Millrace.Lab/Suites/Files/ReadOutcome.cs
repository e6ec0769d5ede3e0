namespace Millrace.Lab.Suites.Files;

/// <summary>What one invocation found.</summary>
/// <param name="Sum">The checksum of every byte that was read.</param>
/// <param name="Bytes">How many bytes were read.</param>
/// <param name="CallTicks">
/// Stopwatch ticks that threads spent inside the calls that read, without the time awaited; 0 unless measured.
/// </param>
internal readonly record struct ReadOutcome(long Sum, long Bytes, long CallTicks);
