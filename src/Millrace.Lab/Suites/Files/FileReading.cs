using Nerdbank.Streams;
using Pipelines.Sockets.Unofficial;

namespace Millrace.Lab.Suites.Files;

/// <param name="Options">How the methods on a <see cref="FileStream"/> open it; the others have no such option.</param>
internal sealed record FileCase(
    string Method, TestFile Source, int Buffer, FileOptions Options, CacheState Cache, CacheFill Fill, string? Role = null)
    : PlannedCase(Method, Role, Cache, Fill)
{
    /// <summary>Where file pipes begin to read, in bytes.</summary>
    public long Offset { get; init; }

    /// <summary>The bytes that a file pipe reads at a time; 0 where it chooses.</summary>
    public int Block { get; init; }

    public override bool IsBaseline => Method == nameof(FileReading.FileStreamSync);

    public override TestFile CachedFile => Source;

    public override CaseParameters Parameters => new()
    {
        Buffer = Buffer,
        Bytes = Source.Bytes,
        Options = Options.HasFlag(FileOptions.Asynchronous) ? "SequentialScan|Asynchronous" : "SequentialScan",
        Cache = CacheNames.ToText(Cache),
        CacheFill = CacheNames.ToText(Fill),
        Load = IsBusy ? CaseLoad.Busy : null,
        File = Source.Generated ? null : Source.Path,
        Offset = Offset == 0 ? null : Offset,
        Block = Block == 0 ? null : Block,
    };

    protected override string MissingCases => LacksCalls ? $"rows {Method}" : base.MissingCases;

    private bool LacksCalls => Method == nameof(FileReading.OverlappedPipe) && !OperatingSystem.IsWindows();

    public override CaseMethod Create() =>
        OperatingSystem.IsLinux() && Floor.Is(Method) ? new RawReading(Source, Buffer) : new FileReading(this);

    protected override string? Obstacle() => LacksCalls ? "overlapped reads are calls of Windows" : base.Obstacle();
}

/// <summary>
/// Every way to read a file from its start to its end, all with the same consumer, which sums every byte. One invocation
/// opens the file, reads all of it and closes it.
/// </summary>
internal sealed class FileReading(FileCase planned) : CaseMethod
{
    // Once for all invocations: that is the strongest form of FileStream, and the pipes take their buffers from pools too.
    private readonly byte[] _array = new byte[planned.Buffer];
    private readonly TestFile _source = planned.Source;
    private readonly int _buffer = planned.Buffer;
    private readonly bool _isCold = planned.Cache == CacheState.Cold;
    private readonly long _checksum = planned.Offset == 0 ? planned.Source.Checksum : SumFrom(planned.Source.Path, planned.Offset);
    private long _callTicks;

    public override long CallingThreadTicks => _callTicks;

    public override Func<long> Find(string name) => name switch
    {
        nameof(FileStreamSync) => FileStreamSync,
        nameof(FileStreamAsync) => Wait(FileStreamAsync),
        nameof(PipeReaderCreate) => Wait(PipeReaderCreate),
        nameof(PipePump) => Wait(PipePump),
        nameof(SocketsUnofficial) => Wait(SocketsUnofficial),
        nameof(NerdbankStreams) => Wait(NerdbankStreams),
        nameof(OverlappedPipe) when OperatingSystem.IsWindows() => Wait(OverlappedPipe),
        nameof(MemoryMapped) => MemoryMapped,
        nameof(FilePipe) => Wait(FilePipe),
        nameof(FilePipeBuffered) => Wait(FilePipeBuffered),
        nameof(FilePipeReadAhead) => Wait(FilePipeReadAhead),
        nameof(FilePipeMapped) => Wait(FilePipeMapped),
        nameof(FilePipeDirect) => Wait(FilePipeDirect),
        _ => throw Unknown(name),
    };

    // FileStream without its own buffer, read synchronously into one reused array.
    public long FileStreamSync()
    {
        using FileStream stream = OpenStream();
        return Checked(_isCold
            ? StreamConsumer<CallClock>.Sum(stream, _array)
            : StreamConsumer<NoClock>.Sum(stream, _array));
    }

    public async ValueTask<long> FileStreamAsync()
    {
        FileStream stream = OpenStream();
        await using (stream.ConfigureAwait(false))
        {
            return Checked(_isCold
                ? await StreamConsumer<CallClock>.SumAsync(stream, _array).ConfigureAwait(false)
                : await StreamConsumer<NoClock>.SumAsync(stream, _array).ConfigureAwait(false));
        }
    }

    // The framework's pipe over a FileStream.
    public ValueTask<long> PipeReaderCreate() => ConsumeAsync<PipeReaderCreateRow>(
        PipeReader.Create(OpenStream(), new StreamPipeReaderOptions(bufferSize: _buffer)));

    // A task that pumps a FileStream into a Pipe.
    public ValueTask<long> PipePump() => ConsumeAsync<PipePumpRow>(StreamPump.Start(OpenStream(), _buffer));

    // Called as the benchmarks of 2019 called it; it leaves the stream open.
    public async ValueTask<long> SocketsUnofficial()
    {
        FileStream stream = OpenStream();
        await using (stream.ConfigureAwait(false))
        {
            return await ConsumeAsync<SocketsUnofficialRow>(
                StreamConnection.GetReader(stream, new PipeOptions(minimumSegmentSize: _buffer))).ConfigureAwait(false);
        }
    }

    // The same.
    public async ValueTask<long> NerdbankStreams()
    {
        FileStream stream = OpenStream();
        await using (stream.ConfigureAwait(false))
        {
            return await ConsumeAsync<NerdbankStreamsRow>(stream.UsePipeReader(sizeHint: _buffer)).ConfigureAwait(false);
        }
    }

    // As PipePump, but on Windows' own asynchronous reads.
    [SupportedOSPlatform("windows")]
    public ValueTask<long> OverlappedPipe() =>
        ConsumeAsync<OverlappedPipeRow>(StreamPump.Start(new OverlappedFile(_source.Path), _buffer));

    // The framework's memory-mapped file, handed over in chunks.
    public long MemoryMapped() => Checked(MappedConsumer.Sum(_source.Path, _source.Bytes, _buffer));

    public ValueTask<long> FilePipe() => ConsumeAsync<AutoRow>(OpenPipe(ReadStrategy.Auto));

    public ValueTask<long> FilePipeBuffered() => ConsumeAsync<BufferedRow>(OpenPipe(ReadStrategy.Buffered));

    public ValueTask<long> FilePipeReadAhead() => ConsumeAsync<ReadAheadRow>(OpenPipe(ReadStrategy.ReadAhead));

    public ValueTask<long> FilePipeMapped() => ConsumeAsync<MappedRow>(OpenPipe(ReadStrategy.Mapped));

    public ValueTask<long> FilePipeDirect() => ConsumeAsync<DirectRow>(OpenPipe(ReadStrategy.Direct));

    private FileStream OpenStream() =>
        new(_source.Path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, planned.Options);

    private FilePipeReader OpenPipe(ReadStrategy strategy)
    {
        FilePipeReader reader = Millrace.FilePipe.OpenRead(
            _source.Path, new FileReadOptions { BufferSize = _buffer, Strategy = strategy, Offset = planned.Offset, BlockBytes = planned.Block });
        Describe(reader);
        return reader;
    }

    private async ValueTask<long> ConsumeAsync<TRow>(PipeReader reader)
        where TRow : struct =>
        Checked(_isCold
            ? await PipeConsumer<TRow, CallClock>.SumAsync(reader, planned.Offset).ConfigureAwait(false)
            : await PipeConsumer<TRow, NoClock>.SumAsync(reader, planned.Offset).ConfigureAwait(false));

    private long Checked(in ReadOutcome outcome)
    {
        _callTicks = outcome.CallTicks;
        return outcome.Sum == _checksum && outcome.Bytes == _source.Bytes - planned.Offset
            ? outcome.Sum
            : throw new WrongChecksumException(_source, outcome.Bytes, outcome.Sum);
    }

    private static long SumFrom(string path, long offset)
    {
        using FileStream stream = File.OpenRead(path);
        stream.Position = offset;
        return StreamConsumer<NoClock>.Sum(stream, new byte[65536], offset).Sum;
    }

    private readonly struct PipeReaderCreateRow;

    private readonly struct PipePumpRow;

    private readonly struct SocketsUnofficialRow;

    private readonly struct NerdbankStreamsRow;

    private readonly struct OverlappedPipeRow;

    private readonly struct AutoRow;

    private readonly struct BufferedRow;

    private readonly struct ReadAheadRow;

    private readonly struct MappedRow;

    private readonly struct DirectRow;
}
