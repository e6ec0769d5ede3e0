using System.IO.Pipelines;

namespace Millrace.Tests.Child;

/// <summary>
/// Holds a mapped buffer in a process whose thread pool has no free thread. Says <c>holding</c>, and for a line on the
/// input whether the bytes are still right.
/// </summary>
internal static class StarvedReading
{
    public static async Task RunAsync(string path, TextReader orders, TextWriter answers)
    {
        await using FilePipeReader reader = Opening.Mapped(path);
        ReadResult result = await reader.ReadAsync();
        if (reader.Strategy != ReadStrategy.Mapped)
        {
            await answers.WriteLineAsync(reader.StrategyReason);
            return;
        }

        Hold(result, orders, answers);
        await answers.FlushAsync();
    }

    /// <summary>Without a single await: no thread could continue it.</summary>
    private static void Hold(in ReadResult result, TextReader orders, TextWriter answers)
    {
        using var free = new ManualResetEventSlim();
        int threads = Math.Max(2, Environment.ProcessorCount);
        ThreadPool.SetMinThreads(1, 1);
        ThreadPool.SetMaxThreads(threads, threads);
        using var blocked = new SemaphoreSlim(0);
        for (int i = 0; i < 4 * threads; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    blocked.Release();
                    free.Wait();
                },
                null);
        }

        for (int i = 1; i < threads; i++)
        {
            blocked.Wait();
        }

        answers.WriteLine("holding");
        answers.Flush();
        orders.ReadLine();
        ReadOnlySpan<byte> bytes = result.Buffer.FirstSpan;
        answers.WriteLine(bytes.SequenceEqual(TestContent.Of(bytes.Length).Span) ? "right" : "wrong");
        answers.Flush();
        free.Set();
    }
}
