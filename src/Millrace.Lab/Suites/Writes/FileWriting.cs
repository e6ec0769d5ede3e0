using Microsoft.Win32.SafeHandles;

namespace Millrace.Lab.Suites.Writes;

/// <summary>
/// Every way to write a file. One invocation makes a new file, writes all of it and closes it; one with
/// <see cref="Durability.OnCommit"/> also puts it on the device, under its name.
/// </summary>
internal sealed class FileWriting(WriteCase planned) : CaseMethod
{
    private const int DefaultBuffer = 4096;

    private readonly string _result = ResultFolder.FileIn(planned.Folder);
    private readonly string _temporary = ResultFolder.FileIn(planned.Folder) + ".tmp";
    private readonly long _bytes = planned.Bytes;
    private readonly int _chunk = planned.Chunk;

    // Made before, so that it is not part of the invocation.
    private readonly byte[] _all =
        planned.Method == nameof(WriteAllBytes) ? WrittenContent.All(planned.Bytes, planned.Chunk) : [];

    private string Target => planned.IsDurable ? _temporary : _result;

    public override Func<long> Find(string name) => name switch
    {
        nameof(FileStreamSync) => FileStreamSync,
        nameof(FileStreamDefaultBuffer) => FileStreamDefaultBuffer,
        nameof(FileStreamAsync) => Wait(FileStreamAsync),
        nameof(WriteAllBytes) => WriteAllBytes,
        nameof(RandomAccess) => RandomAccess,
        Floor.Write when OperatingSystem.IsLinux() => RawWrite,
        nameof(PipeWriterCreate) => Wait(PipeWriterCreate),
        nameof(FilePipe) => Wait(FilePipe),
        nameof(FilePipeWriteBehind) => Wait(FilePipeWriteBehind),
        nameof(FilePipeDirect) => Wait(FilePipeDirect),
        _ => throw Unknown(name),
    };

    // FileStream with a buffer of the chunk's length, which every chunk bypasses: one write call per chunk.
    public long FileStreamSync() => WriteStream(_chunk);

    public long FileStreamDefaultBuffer() => WriteStream(DefaultBuffer);

    // FileStream opened for asynchronous writes, and WriteAsync.
    public async ValueTask<long> FileStreamAsync()
    {
        FileStream stream = OpenStream(_chunk, FileOptions.Asynchronous);
        await using (stream.ConfigureAwait(false))
        {
            uint index = 0;
            for (long left = _bytes; left > 0; left -= _chunk)
            {
                await stream.WriteAsync(WrittenContent.Chunk(index++, (int)Math.Min(left, _chunk))).ConfigureAwait(false);
            }

            Flush(stream);
        }

        return Publish();
    }

    public long WriteAllBytes()
    {
        File.WriteAllBytes(_result, _all);
        return _bytes;
    }

    public long RandomAccess()
    {
        using (SafeFileHandle handle = File.OpenHandle(Target, FileMode.CreateNew, FileAccess.Write))
        {
            uint index = 0;
            for (long at = 0; at < _bytes; at += _chunk)
            {
                System.IO.RandomAccess.Write(
                    handle, WrittenContent.Chunk(index++, (int)Math.Min(_bytes - at, _chunk)).Span, at);
            }

            if (planned.IsDurable)
            {
                System.IO.RandomAccess.FlushToDisk(handle);
            }
        }

        return Publish();
    }

    [SupportedOSPlatform("linux")]
    public unsafe long RawWrite()
    {
        using (SafeFileHandle file = LinuxCalls.OpenNew(Target))
        {
            uint index = 0;
            for (long left = _bytes; left > 0; left -= _chunk)
            {
                ReadOnlySpan<byte> chunk = WrittenContent.Chunk(index++, (int)Math.Min(left, _chunk)).Span;
                fixed (byte* start = chunk)
                {
                    LinuxCalls.WriteAll(file, start, chunk.Length);
                }
            }

            if (planned.IsDurable)
            {
                LinuxCalls.Synchronize(file);
            }
        }

        return Publish();
    }

    // The framework's pipe over a FileStream.
    public async ValueTask<long> PipeWriterCreate()
    {
        FileStream stream = OpenStream(buffer: 0, FileOptions.None);
        await using (stream.ConfigureAwait(false))
        {
            var writer = PipeWriter.Create(stream, new StreamPipeWriterOptions(leaveOpen: true));
            await PipeFeeder<PipeWriterCreateRow>.WriteAsync(writer, _bytes, _chunk).ConfigureAwait(false);
            await writer.CompleteAsync().ConfigureAwait(false);
            Flush(stream);
        }

        return Publish();
    }

    // With a commit that waits on the calling thread, as the baseline's flush does. The other two let the pool wait, as a
    // service would.
    public ValueTask<long> FilePipe() => WriteAsync<AutoRow>(WriteStrategy.Auto);

    public ValueTask<long> FilePipeWriteBehind() => WriteAsync<WriteBehindRow>(WriteStrategy.WriteBehind);

    public ValueTask<long> FilePipeDirect() => WriteAsync<DirectRow>(WriteStrategy.Direct);

    private async ValueTask<long> WriteAsync<TRow>(WriteStrategy strategy)
        where TRow : struct
    {
        FilePipeWriter writer = Millrace.FilePipe.Create(
            _result, new FileWriteOptions { Durability = planned.Durability, Strategy = strategy });
        await using (writer.ConfigureAwait(false))
        {
            if (strategy != WriteStrategy.Auto && writer.Strategy != strategy)
            {
                throw new InvalidOperationException(
                    $"{strategy} was asked for and the file is written {writer.Strategy}: {writer.StrategyReason}");
            }

            if (DescribesItself)
            {
                Description = writer.Strategy.ToString();
                DescriptionReason = writer.StrategyReason;
            }

            await PipeFeeder<TRow>.WriteAsync(writer, _bytes, _chunk).ConfigureAwait(false);
            return strategy == WriteStrategy.Auto
                ? writer.Commit().Length
                : (await writer.CommitAsync().ConfigureAwait(false)).Length;
        }
    }

    private FileStream OpenStream(int buffer, FileOptions options) =>
        new(Target, FileMode.CreateNew, FileAccess.Write, FileShare.Read, buffer, options);

    private long WriteStream(int buffer)
    {
        using (FileStream stream = OpenStream(buffer, FileOptions.None))
        {
            uint index = 0;
            for (long left = _bytes; left > 0; left -= _chunk)
            {
                stream.Write(WrittenContent.Chunk(index++, (int)Math.Min(left, _chunk)).Span);
            }

            Flush(stream);
        }

        return Publish();
    }

    private void Flush(FileStream stream)
    {
        if (planned.IsDurable)
        {
            stream.Flush(flushToDisk: true);
        }
    }

    // Gives a durable file its name, after its bytes reached the device. For the smallest file the folder is flushed, too:
    // there that is a good part of the price.
    private long Publish()
    {
        if (planned.IsDurable)
        {
            bool withFolder = _bytes <= WritesSuite.SmallSize;
            File.Move(_temporary, _result);
            if (withFolder)
            {
                ResultFolder.FlushToDisk(planned.Folder);
            }

            if (DescribesItself)
            {
                Description = "Flush(true), File.Move" + (withFolder ? ", flush of the folder" : "");
            }
        }

        return _bytes;
    }

    private readonly struct PipeWriterCreateRow;

    private readonly struct AutoRow;

    private readonly struct WriteBehindRow;

    private readonly struct DirectRow;
}

/// <summary>What all producers of pipes have in common.</summary>
internal static class PipeFeeder
{
    /// <summary>The smallest chunk, in bytes, that is worth an await; smaller ones are gathered.</summary>
    public const int SmallestWrite = 4096;
    public const int GatheredBytes = 256 * 1024;
}

/// <summary>The producer of every method that writes to a <see cref="PipeWriter"/>.</summary>
/// <typeparam name="TRow">A type of the method's own, so that each gets its own compiled copy.</typeparam>
internal static class PipeFeeder<TRow>
    where TRow : struct
{
    /// <summary>
    /// Writes as users of pipes do: large chunks each with WriteAsync; small ones into the writer's memory, flushed when
    /// enough has gathered.
    /// </summary>
    public static async ValueTask WriteAsync(PipeWriter writer, long bytes, int chunk)
    {
        uint index = 0;
        if (chunk >= PipeFeeder.SmallestWrite)
        {
            for (long left = bytes; left > 0; left -= chunk)
            {
                await writer.WriteAsync(WrittenContent.Chunk(index++, (int)Math.Min(left, chunk))).ConfigureAwait(false);
            }

            return;
        }

        for (long left = bytes; left > 0; left -= chunk)
        {
            ReadOnlySpan<byte> source = WrittenContent.Chunk(index++, (int)Math.Min(left, chunk)).Span;
            source.CopyTo(writer.GetSpan(source.Length));
            writer.Advance(source.Length);
            if (writer.UnflushedBytes >= PipeFeeder.GatheredBytes)
            {
                await writer.FlushAsync().ConfigureAwait(false);
            }
        }
    }
}
