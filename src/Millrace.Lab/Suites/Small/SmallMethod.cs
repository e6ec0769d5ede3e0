using System.Buffers;
using System.Buffers.Binary;
using Millrace.Lab.Suites.Writes;

namespace Millrace.Lab.Suites.Small;

/// <summary>
/// Every way to read small files one after the other, or to create them. One invocation opens, reads and closes all files of the case, or gives as
/// many their names.
/// </summary>
internal sealed class SmallMethod(SmallCase planned) : CaseMethod
{
    public const string FileStreamSync = nameof(FileStreamSync);
    public const string FileStreamAsync = nameof(FileStreamAsync);
    public const string ReadAllBytes = nameof(ReadAllBytes);
    public const string PipeReaderCreate = nameof(PipeReaderCreate);
    public const string FilePipe = nameof(FilePipe);
    public const string FilePipeAsync = nameof(FilePipeAsync);
    public const string FileStreamMove = nameof(FileStreamMove);
    public const string FilePipeCommit = nameof(FilePipeCommit);
    public const string FilePipeCommitAsync = nameof(FilePipeCommitAsync);

    // Made once for all invocations, as nothing of them is the methods' own work.
    private readonly string[] _paths = SmallFolder.Paths(planned.Folder, planned.Count);
    private readonly string _temporary = Path.Combine(planned.Folder, "temporary");
    private readonly byte[] _array = new byte[planned.Bytes + 1];
    private readonly bool _durable = planned.Writes is not null and not Durability.None;

    public override Func<long> Find(string name) => name switch
    {
        FileStreamSync => ReadStreams,
        FileStreamAsync => Wait(ReadStreamsAsync),
        ReadAllBytes => ReadWhole,
        PipeReaderCreate => Wait(ReadPipesAsync),
        FilePipe => ReadFilePipes,
        FilePipeAsync => Wait(ReadFilePipesAsync),
        FileStreamMove => WriteStreams,
        FilePipeCommit => Commit,
        FilePipeCommitAsync => Wait(CommitAsync),
        _ => throw Unknown(name),
    };

    private static FileStream OpenStream(string path, FileOptions options) =>
        new(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, FileOptions.SequentialScan | options);

    private long ReadStreams()
    {
        var sum = default(ReadSum);
        foreach (string path in _paths)
        {
            using FileStream stream = OpenStream(path, FileOptions.None);
            int read;
            while ((read = stream.Read(_array)) > 0)
            {
                sum.Add(_array.AsSpan(0, read));
            }
        }

        return sum.Checked(planned);
    }

    private async ValueTask<long> ReadStreamsAsync()
    {
        var sum = default(ReadSum);
        foreach (string path in _paths)
        {
            FileStream stream = OpenStream(path, FileOptions.Asynchronous);
            await using (stream.ConfigureAwait(false))
            {
                int read;
                while ((read = await stream.ReadAsync(_array).ConfigureAwait(false)) > 0)
                {
                    sum.Add(_array.AsSpan(0, read));
                }
            }
        }

        return sum.Checked(planned);
    }

    private long ReadWhole()
    {
        var sum = default(ReadSum);
        foreach (string path in _paths)
        {
            sum.Add(File.ReadAllBytes(path));
        }

        return sum.Checked(planned);
    }

    private async ValueTask<long> ReadPipesAsync()
    {
        var sum = default(ReadSum);
        foreach (string path in _paths)
        {
            var reader = PipeReader.Create(OpenStream(path, FileOptions.None), new StreamPipeReaderOptions(bufferSize: _array.Length));
            sum = await AddAsync(reader, sum).ConfigureAwait(false);
            await reader.CompleteAsync().ConfigureAwait(false);
        }

        return sum.Checked(planned);
    }

    private long ReadFilePipes()
    {
        var sum = default(ReadSum);
        foreach (string path in _paths)
        {
            using FilePipeReader reader = Millrace.FilePipe.OpenRead(path);
            bool isCompleted;
            do
            {
                ReadResult result = reader.Read();
                isCompleted = result.IsCompleted;
                sum.Add(result.Buffer.FirstSpan);
                reader.AdvanceTo(result.Buffer.End);
            }
            while (!isCompleted);
        }

        return sum.Checked(planned);
    }

    private async ValueTask<long> ReadFilePipesAsync()
    {
        var sum = default(ReadSum);
        foreach (string path in _paths)
        {
            FilePipeReader reader = Millrace.FilePipe.OpenRead(path);
            await using (reader.ConfigureAwait(false))
            {
                sum = await AddAsync(reader, sum).ConfigureAwait(false);
            }
        }

        return sum.Checked(planned);
    }

    private static async ValueTask<ReadSum> AddAsync(PipeReader reader, ReadSum sum)
    {
        bool isCompleted;
        do
        {
            ReadResult result = await reader.ReadAsync().ConfigureAwait(false);
            isCompleted = result.IsCompleted;
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                sum.Add(segment.Span);
            }

            reader.AdvanceTo(result.Buffer.End);
        }
        while (!isCompleted);
        return sum;
    }

    private long WriteStreams()
    {
        for (int index = 0; index < _paths.Length; index++)
        {
            using (var stream = new FileStream(_temporary, FileMode.CreateNew, FileAccess.Write, FileShare.Read, bufferSize: 0))
            {
                stream.Write(Content(index));
                stream.Flush(flushToDisk: _durable);
            }

            File.Move(_temporary, _paths[index]);
            if (_durable)
            {
                ResultFolder.FlushToDisk(planned.Folder);
            }
        }

        return planned.Count;
    }

    private long Commit()
    {
        for (int index = 0; index < _paths.Length; index++)
        {
            using FilePipeWriter writer = Create(index);
            _ = writer.Commit();
        }

        return planned.Count;
    }

    private async ValueTask<long> CommitAsync()
    {
        for (int index = 0; index < _paths.Length; index++)
        {
            FilePipeWriter writer = Create(index);
            await using (writer.ConfigureAwait(false))
            {
                _ = await writer.CommitAsync().ConfigureAwait(false);
            }
        }

        return planned.Count;
    }

    private FilePipeWriter Create(int index)
    {
        FilePipeWriter writer = Millrace.FilePipe.Create(_paths[index], new FileWriteOptions { Durability = planned.Writes!.Value });
        writer.Write(Content(index));
        return writer;
    }

    private ReadOnlySpan<byte> Content(int index)
    {
        BinaryPrimitives.WriteInt64LittleEndian(_array, index);
        return _array.AsSpan(0, (int)planned.Bytes);
    }

    /// <summary>Bytes, and the numbers that the files begin with, so that each was read once.</summary>
    private struct ReadSum
    {
        private long _bytes;
        private long _numbers;

        public void Add(ReadOnlySpan<byte> read)
        {
            if (read.Length >= sizeof(long) && _bytes % SmallFolder.Unit == 0)
            {
                _numbers += BinaryPrimitives.ReadInt64LittleEndian(read);
            }

            _bytes += read.Length;
        }

        public readonly long Checked(SmallCase planned)
        {
            long count = planned.Count;
            return _bytes == count * planned.Bytes && _numbers == count * (count - 1) / 2
                ? _bytes
                : throw new InvalidDataException(
                    $"read {_bytes:N0} bytes of {count:N0} files in {planned.Folder}, which begin with numbers whose sum is {_numbers}. "
                    + "Either the method is wrong or the files were changed during the run.");
        }
    }
}
