using Millrace.Lab.Data;
using Millrace.Lab.GrpcCore;
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
        bool isForeign = planned.Foreign is not null;
        if (isForeign)
        {
            // From the warm-up on, so that it is the same process.
            CoreClient.Acquire(CoreProgram.PathIn(TransferFolders.DataOf(planned.Ends.Folder)));
        }

        try
        {
            return CaseMemory.Measure(
                small, planned, () => TransferState.Prepare(planned, control), () => isForeign ? CoreClient.Id : null);
        }
        finally
        {
            if (isForeign)
            {
                CoreClient.Release();
            }

            TransferFolders.Clear(planned.Ends.Folder);
        }
    }
}
