using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Writes;

/// <summary>The memory that one case takes.</summary>
internal static class WritesMemory
{
    /// <summary>Measures.</summary>
    public static MemoryResult Measure(WritesCase planned, WritesInputs inputs)
    {
        WritesCase small = planned.Small(inputs);
        _ = ResultState.Prepare(small, source: null);

        // Opened before, as its own memory is not the case's either.
        using CacheControl? control = planned.Source is { } source ? CacheControl.Open(source) : null;
        try
        {
            return CaseMemory.Measure(small, planned, () => ResultState.Prepare(planned, control));
        }
        finally
        {
            ResultFolder.Clear(planned.Folder);
        }
    }
}
