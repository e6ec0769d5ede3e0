namespace Millrace.Lab.Meters;

/// <summary>What the process of a server used between two readings.</summary>
/// <param name="CpuNs">Processor time in user mode and in the kernel, nanoseconds.</param>
/// <param name="AllocatedBytes">Managed bytes, all threads; null of a program that has none.</param>
/// <param name="Gen2">Collections of generation 2; null of a program that has none.</param>
/// <param name="PeakResidentBytes">Largest resident memory since the first reading; null where the system does not tell.</param>
internal readonly record struct ServerUse(long CpuNs, long? AllocatedBytes, long? Gen2, long? PeakResidentBytes)
{
    /// <summary>What lies between two readings.</summary>
    public static ServerUse Between(ServerReading before, ServerReading after) => new(
        after.CpuNs - before.CpuNs,
        after.AllocatedBytes - before.AllocatedBytes,
        after.Gen2 - before.Gen2,
        after.PeakResidentBytes);
}
