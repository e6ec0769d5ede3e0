using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Files;

/// <summary>The memory that one case takes.</summary>
internal static class FilesMemory
{
    private const int WarmUpBytes = 4096;
    private const int WarmUpBuffer = 512;

    /// <summary>Measures.</summary>
    public static MemoryResult Measure(FileCase planned)
    {
        string small = Path.Combine(Path.GetTempPath(), $"millrace-memory-{Environment.ProcessId}.bin");
        try
        {
            File.WriteAllBytes(small, new byte[WarmUpBytes]);
            FileCase first = planned with
            {
                Source = new TestFile(small, WarmUpBytes, Checksum: 0, Generated: true),
                Buffer = WarmUpBuffer,
            };

            // Opened before, as its own memory is not the case's either.
            using CacheControl control = CacheControl.Open(planned.Source);
            return CaseMemory.Measure(first, planned, () => control.Prepare(planned.Cache, planned.Fill));
        }
        finally
        {
            File.Delete(small);
        }
    }
}
