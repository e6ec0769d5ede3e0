using Millrace.Appending;

namespace Millrace.Tests.Appending;

/// <summary>Opens logs, and holds them up where a test needs to know what waits.</summary>
internal static class Logs
{
    public static FileAppendWriter Open(string path, bool portable, Durability durability = Durability.EveryFlush) =>
        FilePipe.Append(path, new FileAppendOptions { Portable = portable, Durability = durability });

    public static async Task DisposeAsync(IEnumerable<FileAppendWriter> writers)
    {
        foreach (FileAppendWriter writer in writers)
        {
            await writer.DisposeAsync();
        }
    }

    public static AppendLog LogOf(FileAppendWriter writer) => writer.Log;

    /// <summary>
    /// Begins a flush that cannot go on until the test calls <see cref="AppendLog.Leave"/>: the test is at work on the
    /// file itself.
    /// </summary>
    public static Task<FlushResult> FlushLater(
        FileAppendWriter writer, ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken = default)
    {
        Assert.True(LogOf(writer).TryEnter());
        return Flush(writer, bytes, cancellationToken);
    }

    public static Task<FlushResult> Flush(
        FileAppendWriter writer, ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken = default)
    {
        ValueTask<FlushResult> flush = writer.WriteAsync(bytes, cancellationToken);
        Assert.False(flush.IsCompleted);
        return flush.AsTask();
    }
}
