using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>The memory that one case takes at the client's end; with one process, at both.</summary>
internal static class TransfersMemory
{
    /// <summary>Measures.</summary>
    public static MemoryResult Measure(TransferCase planned, TransfersInputs inputs)
    {
        TransferCase small = planned.Small(inputs);
        _ = TransferState.Prepare(small, source: null);

        // Opened before, as its own memory is not the case's either.
        using CacheControl control = CacheControl.Open(planned.Source);
        try
        {
            return CaseMemory.Measure(small, planned, () => TransferState.Prepare(planned, control));
        }
        finally
        {
            TransferFolders.Clear(planned.Ends.Folder);
        }
    }
}
