using System.Globalization;
using System.IO.Pipelines;
using Millrace.Diagnostics;

namespace Millrace.Tests.Child;

/// <summary>Reads a file in chunks of 2 KiB, and prints what that took.</summary>
internal static class CountedReads
{
    /// <returns>System calls, what Millrace itself counted as reads, and its bytes.</returns>
    public static async Task<string> RunAsync(string path, ReadStrategy strategy, bool portable)
    {
        var options = new FileReadOptions { Strategy = strategy, Portable = portable, BufferSize = 2048 };
        (long Calls, long Reads, long Bytes) least = (long.MaxValue, 0, 0);
        for (int round = 0; round < ProcessCalls.Rounds; round++)
        {
            (long calls, long reads, long bytes) = (ProcessCalls.Reads(), Reads(), MillraceEventSource.Log.BytesRead());
            await ReadAsync(path, options);
            calls = ProcessCalls.Reads() - calls;
            if (calls < least.Calls)
            {
                least = (calls, Reads() - reads, MillraceEventSource.Log.BytesRead() - bytes);
            }
        }

        return string.Create(CultureInfo.InvariantCulture, $"{least.Calls} {least.Reads} {least.Bytes}");
    }

    private static async Task ReadAsync(string path, FileReadOptions options)
    {
        await using FilePipeReader reader = FilePipe.OpenRead(path, options);
        ReadResult result;
        do
        {
            result = await reader.ReadAsync();
            reader.AdvanceTo(result.Buffer.End);
        }
        while (!result.IsCompleted);
    }

    private static long Reads() => MillraceEventSource.Log.SynchronousReads() + MillraceEventSource.Log.AsynchronousReads();
}
