// Code that is shown is code for programs, most of which have no context to avoid.
#pragma warning disable CA2007

namespace Millrace.Lab.Advising;

/// <content>Those that write, copy, scan and append.</content>
internal static partial class Snippets
{
    /// <summary>Where a program gets the next bytes from; none at the end.</summary>
    public delegate ReadOnlyMemory<byte> Next();

    /// <summary>How a program makes a record: into memory that is there, and how many bytes it is; 0 at the end.</summary>
    public delegate int Format(Span<byte> room);

    public static void WriteFileStream(string path, Next next)
    {
        ReadOnlyMemory<byte> chunk;

        // snippet: Write.FileStreamSync
        using var stream = new FileStream(path, new FileStreamOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.Write,
            BufferSize = 0, // no second copy: chunks are large
        });
        while ((chunk = next()).Length > 0)
        {
            stream.Write(chunk.Span);
        }

        // snippet: end
    }

    public static async Task WriteFilePipe(string path, Next next)
    {
        ReadOnlyMemory<byte> chunk;

        // snippet: Write.FilePipe
        await using FilePipeWriter writer = FilePipe.Create(path);
        while ((chunk = next()).Length > 0)
        {
            await writer.WriteAsync(chunk);
        }

        await writer.CommitAsync(); // on the device, under its name

        // snippet: end
    }

    public static async Task WriteSmall(string path, Format format)
    {
        // snippet: Write.Small
        await using FilePipeWriter writer = FilePipe.Create(path);
        for (int length; (length = format(writer.GetSpan(512))) > 0;)
        {
            writer.Advance(length);
            if (writer.UnflushedBytes >= 256 * 1024)
            {
                await writer.FlushAsync();
            }
        }

        await writer.CommitAsync(); // on the device, under its name

        // snippet: end
    }

    public static async Task WriteUnflushed(string path, ReadOnlyMemory<byte> chunk)
    {
        // snippet: Write.None
        await using FilePipeWriter writer = FilePipe.Create(
            path, new FileWriteOptions { Durability = Durability.None });
        await writer.WriteAsync(chunk);
        await writer.CommitAsync(); // under its name, in the system's memory

        // snippet: end
    }

    public static async Task AppendRecord(string path, ReadOnlyMemory<byte> record)
    {
        // snippet: FilePipeAppend
        await using FileAppendWriter log = FilePipe.Append(path); // one each
        await log.WriteAsync(record); // on the device when it completes

        // snippet: end
    }

    public static async Task CopyFile(string path, string copy)
    {
        // snippet: FilePipeCopy
        await FilePipe.CopyAsync(
            path, copy, new FileCopyOptions { Durability = Durability.None });

        // snippet: end
    }

    public static async Task<long> ScanLines(string path)
    {
        // snippet: FilePipeScan
        long lines = await FilePipe.ScanAsync(
            path,
            degree: 2,
            RecordBoundary.Lines,
            static async (reader, stop) =>
            {
                long count = 0;
                await reader.ForEachSegmentAsync(
                    part => count += part.Count((byte)'\n'), stop);
                return count;
            },
            static (one, other) => one + other);

        // snippet: end
        return lines;
    }
}
