using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;

namespace Millrace.Tests.Child;

/// <summary>Writes a file in some chunks and commits it, and prints how many system calls that took.</summary>
internal static class CountedWrites
{
    /// <summary>Bytes of the file.</summary>
    public const int Length = 4 * 1024 * 1024;

    /// <summary>Bytes of one write where they are fixed; not what suits any processor.</summary>
    public const int FixedBytes = 128 * 1024;

    public static async Task<string> RunAsync(string path, WriterKind kind, string chunks)
    {
        Func<FilePipeWriter, Task> write = chunks switch
        {
            "small" => SmallAsync,
            "large" or "fixed" => LargeAsync,
            "both" => BothAsync,
            "stream" => StreamAsync,
            _ => throw new ArgumentOutOfRangeException(nameof(chunks)),
        };
        long least = long.MaxValue;
        for (int round = 0; round < ProcessCalls.Rounds; round++)
        {
            await using FilePipeWriter writer = FilePipe.Create(
                path, kind.Options with { BlockBytes = chunks == "fixed" ? FixedBytes : 0 });
            long before = ProcessCalls.Writes();
            await write(writer);
            await writer.CommitAsync();
            least = Math.Min(least, ProcessCalls.Writes() - before);
        }

        return least.ToString(CultureInfo.InvariantCulture);
    }

    private static Task SmallAsync(FilePipeWriter writer)
    {
        for (int offset = 0; offset < Length; offset += 500)
        {
            writer.Write(TestContent.Between(offset, Math.Min(Length, offset + 500)).Span);
        }

        return Task.CompletedTask;
    }

    private static async Task LargeAsync(FilePipeWriter writer)
    {
        for (int offset = 0; offset < Length; offset += 1024 * 1024)
        {
            await writer.WriteAsync(TestContent.Between(offset, offset + (1024 * 1024)));
            if (writer.UnflushedBytes != 0)
            {
                throw new InvalidOperationException($"{writer.UnflushedBytes} bytes were gathered.");
            }
        }
    }

    private static async Task BothAsync(FilePipeWriter writer)
    {
        for (int offset = 0; offset < Length; offset += 512 * 1024)
        {
            writer.Write(TestContent.Between(offset, offset + 100).Span);
            await writer.WriteAsync(TestContent.Between(offset + 100, offset + (512 * 1024)));
        }
    }

    private static async Task StreamAsync(FilePipeWriter writer)
    {
        await using var stream = new PieceStream(
            Enumerable.Range(0, (Length / 1_000) + 1).Select(i => TestContent.Between(i * 1_000, Math.Min(Length, (i + 1) * 1_000))));
        await stream.CopyToAsync((PipeWriter)writer);
    }
}
