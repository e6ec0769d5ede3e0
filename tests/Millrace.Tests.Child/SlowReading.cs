using System.Buffers;
using System.IO.Pipelines;

namespace Millrace.Tests.Child;

/// <summary>
/// Reads one file after another, slowly, while its parent truncates them, and looks at every byte when it is handed out
/// and again before it is given back. For each path on the input it answers with the strategy; the next line reports that
/// the file was truncated, until when it holds the last buffer; then it answers <c>right OUTCOME</c> or
/// <c>wrong OFFSET</c>.
/// </summary>
internal static class SlowReading
{
    private const int PieceBytes = 64 * 1024;

    public static async Task RunAsync(TextReader paths, TextWriter answers)
    {
        while (await paths.ReadLineAsync() is { } path)
        {
            await using FilePipeReader reader = Opening.Mapped(path);
            await answers.WriteLineAsync(reader.Strategy.ToString());
            await answers.FlushAsync();

            // The console's own asynchronous reads are not.
            Task<string?> truncated = Task.Run(paths.ReadLine);
            string outcome = await ReadAsync(reader, truncated);
            await truncated;
            await answers.WriteLineAsync(outcome);
            await answers.FlushAsync();
        }
    }

    private static async Task<string> ReadAsync(FilePipeReader reader, Task truncated)
    {
        try
        {
            while (true)
            {
                ReadResult result = await reader.ReadAsync();
                bool wasMapped = reader.Strategy == ReadStrategy.Mapped;
                ReadOnlySequence<byte> buffer = result.Buffer;
                long offset = reader.Position;
                for (int look = 0; look < 2; look++)
                {
                    // Bytes read after the truncation may be new; bytes handed out before must not change.
                    if (wasMapped && FirstWrong(buffer, offset) is { } wrong)
                    {
                        return $"wrong {wrong}";
                    }

                    if (look == 0 && result.IsCompleted)
                    {
                        await truncated;
                    }
                }

                // Most of the buffer is given back, the rest is handed out again with what follows.
                reader.AdvanceTo(
                    result.IsCompleted ? buffer.End : buffer.GetPosition(buffer.Length - (buffer.Length / 8)), buffer.End);
                if (result.IsCompleted)
                {
                    return wasMapped ? "right Held" : "right Read";
                }
            }
        }
        catch (FilePipeException exception)
        {
            return $"right {exception.Error}";
        }
    }

    private static long? FirstWrong(in ReadOnlySequence<byte> buffer, long offset)
    {
        ReadOnlySpan<byte> bytes = buffer.FirstSpan;
        for (int start = 0; start < bytes.Length; start += PieceBytes)
        {
            ReadOnlySpan<byte> piece = bytes[start..Math.Min(start + PieceBytes, bytes.Length)];
            ReadOnlySpan<byte> expected = TestContent.Between(offset + start, offset + start + piece.Length).Span;
            if (!piece.SequenceEqual(expected))
            {
                return offset + start + piece.CommonPrefixLength(expected);
            }

            // The time for which a consumer that does something with the bytes holds them.
#pragma warning disable RS0030
            if (start % (4 * PieceBytes) == 0)
            {
                Thread.Sleep(1);
            }
#pragma warning restore RS0030
        }

        return null;
    }
}
