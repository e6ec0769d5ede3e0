// Code that is shown is code for programs, most of which have no context to avoid.
#pragma warning disable CA2007

using Nerdbank.Streams;
using Pipelines.Sockets.Unofficial;

namespace Millrace.Lab.Advising;

/// <summary>
/// The lines of C# that advice shows. This file is compiled, and embedded in the assembly: <see cref="SnippetText"/> cuts
/// the lines out between their markers, so the lines shown are compiled and run by the tests.
/// </summary>
internal static partial class Snippets
{
    public delegate void Process(ReadOnlySpan<byte> bytes);

    public static void FileStreamSync(string path, Process process)
    {
        // snippet: FileStreamSync
        using var stream = new FileStream(path, new FileStreamOptions
        {
            BufferSize = 0, // no second copy: the array below is the buffer
            Options = FileOptions.SequentialScan,
        });
        byte[] buffer = new byte[65536];
        for (int read; (read = stream.Read(buffer)) > 0;)
        {
            process(buffer.AsSpan(0, read));
        }

        // snippet: end
    }

    public static async Task FileStreamAsync(string path, Process process)
    {
        // snippet: FileStreamAsync
        await using var stream = new FileStream(path, new FileStreamOptions
        {
            BufferSize = 0, // no second copy: the array below is the buffer
            Options = FileOptions.SequentialScan,
        });
        byte[] buffer = new byte[65536];
        for (int read; (read = await stream.ReadAsync(buffer)) > 0;)
        {
            process(buffer.AsSpan(0, read));
        }

        // snippet: end
    }

    public static async Task PipeReaderCreate(string path, Process process)
    {
        // snippet: PipeReaderCreate
        PipeReader reader = PipeReader.Create(
            File.OpenRead(path), new StreamPipeReaderOptions(bufferSize: 65536));

        // snippet: end
        await ProcessAsync(reader, process);
        await reader.CompleteAsync();
    }

    public static async Task SocketsUnofficial(string path, Process process)
    {
        // snippet: SocketsUnofficial
        await using FileStream stream = File.OpenRead(path);
        PipeReader reader = StreamConnection.GetReader(
            stream, new PipeOptions(minimumSegmentSize: 65536));

        // snippet: end
        await ProcessAsync(reader, process);
        await reader.CompleteAsync();
    }

    public static async Task NerdbankStreams(string path, Process process)
    {
        // snippet: NerdbankStreams
        await using FileStream stream = File.OpenRead(path);
        PipeReader reader = stream.UsePipeReader(sizeHint: 65536);

        // snippet: end
        await ProcessAsync(reader, process);
        await reader.CompleteAsync();
    }

    public static async Task FilePipeLoop(string path, Process process)
    {
        // snippet: FilePipe
        await using FilePipeReader reader = FilePipe.OpenRead(path);
        while (true)
        {
            ReadResult result = await reader.ReadAsync();
            process(result.Buffer.FirstSpan); // always one segment
            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                break;
            }
        }

        // snippet: end
    }

    public static async Task FilePipeBuffered(string path, Process process)
    {
        // snippet: FilePipeBuffered
        await using FilePipeReader reader = FilePipe.OpenRead(
            path, new FileReadOptions { Strategy = ReadStrategy.Buffered });

        // snippet: end
        await ProcessAsync(reader, process);
    }

    public static async Task FilePipeReadAhead(string path, Process process)
    {
        // snippet: FilePipeReadAhead
        await using FilePipeReader reader = FilePipe.OpenRead(
            path, new FileReadOptions { Strategy = ReadStrategy.ReadAhead });

        // snippet: end
        await ProcessAsync(reader, process);
    }

    public static async Task FilePipeMapped(string path, Process process)
    {
        // snippet: FilePipeMapped
        await using FilePipeReader reader = FilePipe.OpenRead(
            path, new FileReadOptions { Strategy = ReadStrategy.Mapped });

        // snippet: end
        await ProcessAsync(reader, process);
    }

    public static async Task FilePipeDirect(string path, Process process)
    {
        // snippet: FilePipeDirect
        await using FilePipeReader reader = FilePipe.OpenRead(
            path, new FileReadOptions { Strategy = ReadStrategy.Direct });

        // snippet: end
        await ProcessAsync(reader, process);
    }

    private static async Task ProcessAsync(PipeReader reader, Process process)
    {
        while (true)
        {
            ReadResult result = await reader.ReadAsync();
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                process(segment.Span);
            }

            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return;
            }
        }
    }
}
