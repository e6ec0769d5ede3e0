using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace Millrace.Tests.Child;

/// <summary>Readers and writers that are never completed: how much memory, how many files and logs stay.</summary>
internal static class Forgetting
{
    private const int Count = 400;
    private const int Bytes = 1_000_000;

    /// <summary>What to forget, by name.</summary>
    public static IReadOnlyDictionary<string, Func<string, MemoryPool<byte>?, Task>> Kinds { get; } =
        new Dictionary<string, Func<string, MemoryPool<byte>?, Task>>
        {
            ["buffered"] = (path, pool) => ReadAsync(path, new FileReadOptions { Strategy = ReadStrategy.Buffered, Pool = pool }),
            ["ahead"] = (path, pool) => ReadAsync(path, new FileReadOptions { Strategy = ReadStrategy.ReadAhead, Pool = pool }),
            ["mapped"] = (path, pool) => ReadAsync(path, new FileReadOptions { Strategy = ReadStrategy.Mapped, Pool = pool }),
            ["direct"] = (path, pool) => ReadAsync(path, new FileReadOptions { Strategy = ReadStrategy.Direct, Pool = pool }),
            ["portable"] = (path, pool) => ReadAsync(path, new FileReadOptions { Portable = true, Pool = pool }),
            ["follow"] = (path, pool) => FollowAsync(path, new FileReadOptions { Follow = FollowMode.Name, Pool = pool }),
            ["lines"] = LinesAsync,
            ["writer"] = (path, pool) => WriteAsync(path, new FileWriteOptions { Pool = pool }),
            ["direct writer"] = (path, pool) => WriteAsync(path, new FileWriteOptions { Strategy = WriteStrategy.Direct }),
            ["append"] = AppendAsync,
        };

    /// <returns>Memory that was kept in MiB, the files that were kept open, and whether buffers of forgotten readers are unchanged.</returns>
    public static async Task<string> RunAsync(string folder, string kind, bool pooled)
    {
        string path = Path.Combine(folder, "file");
        await File.WriteAllBytesAsync(path, TestContent.Of(Bytes).ToArray());
        MemoryPool<byte>? pool = pooled ? MemoryPool<byte>.Shared : null;
        ReadOnlySequence<byte>[] buffers = [.. Enum.GetValues<ReadStrategy>().Select(strategy => Read(path, strategy))];
        // As often as measured: some systems keep freed memory for the next caller.
        await ForgetAsync(kind, path, pool, Count);
        (long before, int files) = await MeasureAsync();
        await ForgetAsync(kind, path, pool, Count);
        (long after, int filesAfter) = await MeasureAsync();
        bool right = buffers.All(buffer => buffer.FirstSpan.SequenceEqual(TestContent.Of((int)buffer.Length).Span));
        return $"{(after - before) >> 20} {filesAfter - files} buffers {(right ? "right" : "wrong")}";
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task ForgetAsync(string kind, string path, MemoryPool<byte>? pool, int count)
    {
        for (int i = 0; i < count; i++)
        {
            await Kinds[kind](path, pool);
        }
    }

    private static async Task<(long Memory, int Files)> MeasureAsync()
    {
        for (int i = 0; i < 5; i++)
        {
            // Readers that read ahead are held by their reads.
            SpinWait.SpinUntil(static () => ThreadPool.PendingWorkItemCount == 0, TimeSpan.FromSeconds(30));

            // Past the state machines that this thread has just left.
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            GC.WaitForPendingFinalizers();
        }

        return (Environment.WorkingSet, Directory.Exists("/proc/self/fd") ? Directory.GetFiles("/proc/self/fd").Length : 0);
    }

    private static ReadOnlySequence<byte> Read(string path, ReadStrategy strategy) =>
        FilePipe.OpenRead(path, new FileReadOptions { Strategy = strategy }).Read().Buffer;

    private static async Task ReadAsync(string path, FileReadOptions options) => _ = await FilePipe.OpenRead(path, options).ReadAsync();

    private static async Task FollowAsync(string path, FileReadOptions options)
    {
        FilePipeReader reader = FilePipe.OpenRead(path, options);
        ReadResult result = await reader.ReadAtLeastAsync(Bytes);
        reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
        ValueTask<ReadResult> more = reader.ReadAsync();
        reader.CancelPendingRead();
        _ = await more;
    }

    private static async Task LinesAsync(string path, MemoryPool<byte>? pool)
    {
        var lines = FilePipe.OpenRead(path, new FileReadOptions { Pool = pool }).ReadLinesAsync().GetAsyncEnumerator();
        _ = await lines.MoveNextAsync();
    }

    private static async Task WriteAsync(string path, FileWriteOptions options)
    {
        FilePipeWriter writer = FilePipe.Create(path + ".new", options);
        writer.GetSpan(Bytes).Fill(1);
        writer.Advance(200_000);
        _ = await writer.FlushAsync();
        writer.GetSpan(200_000).Fill(1);
        writer.Advance(200_000);
    }

    private static async Task AppendAsync(string path, MemoryPool<byte>? pool)
    {
        FileAppendWriter writer = FilePipe.Append(path + ".log", new FileAppendOptions { Pool = pool, Durability = Durability.None });
        _ = await writer.WriteAsync(TestContent.Of(10));
        writer.GetSpan(200_000).Fill(1);
        writer.Advance(200_000);
    }
}
