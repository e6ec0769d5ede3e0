namespace Millrace.Lab.Running;

/// <summary>What one invocation allocated.</summary>
/// <param name="Bytes">Managed bytes, all threads.</param>
/// <param name="Gen0">Collections of generation 0 or higher meanwhile; likewise the others.</param>
/// <param name="Gen1">See <paramref name="Gen0"/>.</param>
/// <param name="Gen2">See <paramref name="Gen0"/>.</param>
internal readonly record struct AllocationSample(long Bytes, int Gen0, int Gen1, int Gen2);
