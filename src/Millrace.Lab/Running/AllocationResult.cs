namespace Millrace.Lab.Running;

/// <summary>What the allocation pass found, in the units of BenchmarkDotNet's memory diagnoser.</summary>
/// <param name="BytesPerInvocation">Managed bytes allocated on all threads.</param>
/// <param name="Gen0">Collections of generation 0 per 1,000 invocations; likewise the others.</param>
/// <param name="Gen1">See <paramref name="Gen0"/>.</param>
/// <param name="Gen2">See <paramref name="Gen0"/>.</param>
/// <param name="Invocations">How many invocations that is the average of.</param>
internal sealed record AllocationResult(
    double BytesPerInvocation, double Gen0, double Gen1, double Gen2, long Invocations);
