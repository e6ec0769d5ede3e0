using System.IO.Pipelines;
using BenchmarkDotNet.Attributes;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Lab.Suites.Writes;

public partial class FileWriting
{
    private const int DefaultBuffer = 4096;

    /// <summary>FileStream with a buffer of the chunk's length, which every chunk passes by: a write call a chunk.</summary>
    [Benchmark(Baseline = true)]
    public long FileStreamSync() => WriteStream(Chunk);

    /// <summary>FileStream with its default buffer.</summary>
    [Benchmark]
    public long FileStreamDefaultBuffer() => WriteStream(DefaultBuffer);

    /// <summary>FileStream opened for asynchronous writes, and WriteAsync.</summary>
    [Benchmark]
    public async ValueTask<long> FileStreamAsync()
    {
        FileStream stream = OpenStream(Chunk, FileOptions.Asynchronous);
        await using (stream.ConfigureAwait(false))
        {
            uint index = 0;
            for (long left = Bytes; left > 0; left -= Chunk)
            {
                await stream.WriteAsync(WrittenContent.Chunk(index++, (int)Math.Min(left, Chunk))).ConfigureAwait(false);
            }

            End(stream);
        }

        return Publish();
    }

    /// <summary>Everything in one array.</summary>
    [Benchmark]
    public long WriteAllBytes()
    {
        File.WriteAllBytes(_result, _all);
        return Bytes;
    }

    /// <summary>A handle and offsets.</summary>
    [Benchmark]
    public long RandomAccess()
    {
        using (SafeFileHandle handle = File.OpenHandle(Target, FileMode.CreateNew, FileAccess.Write))
        {
            uint index = 0;
            for (long at = 0; at < Bytes; at += Chunk)
            {
                System.IO.RandomAccess.Write(
                    handle, WrittenContent.Chunk(index++, (int)Math.Min(Bytes - at, Chunk)).Span, at);
            }

            if (IsDurable)
            {
                System.IO.RandomAccess.FlushToDisk(handle);
            }
        }

        return Publish();
    }

    /// <summary>The framework's own pipe over a FileStream.</summary>
    [Benchmark]
    public async ValueTask<long> PipeWriterCreate()
    {
        FileStream stream = OpenStream(buffer: 0, FileOptions.None);
        await using (stream.ConfigureAwait(false))
        {
            var writer = PipeWriter.Create(stream, new StreamPipeWriterOptions(leaveOpen: true));
            await PipeFeeder<PipeWriterCreateRow>.WriteAsync(writer, Bytes, Chunk).ConfigureAwait(false);
            await writer.CompleteAsync().ConfigureAwait(false);
            End(stream);
        }

        return Publish();
    }

    private string Target => IsDurable ? _temporary : _result;

    private FileStream OpenStream(int buffer, FileOptions options) =>
        new(Target, FileMode.CreateNew, FileAccess.Write, FileShare.Read, buffer, options);

    private long WriteStream(int buffer)
    {
        using (FileStream stream = OpenStream(buffer, FileOptions.None))
        {
            uint index = 0;
            for (long left = Bytes; left > 0; left -= Chunk)
            {
                stream.Write(WrittenContent.Chunk(index++, (int)Math.Min(left, Chunk)).Span);
            }

            End(stream);
        }

        return Publish();
    }

    private void End(FileStream stream)
    {
        if (IsDurable)
        {
            stream.Flush(flushToDisk: true);
        }
    }

    private readonly struct PipeWriterCreateRow;
}
