using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;

namespace Millrace.Transfer;

/// <summary>Fetches small files that are called for at the same time with one request.</summary>
/// <remarks>Thread-safe.</remarks>
[SuppressMessage("Design", "CA1001", Justification = "A semaphore without a wait handle holds nothing.")]
internal sealed class BatchDownloads(TransferContext context, HttpProtocolClient protocol, int maxFiles, long maxFileBytes) : BatchQueue<BatchFile>(maxFiles)
{
    /// <summary>Files of a request at most: half of those that move at once, so that some arrive while others are written.</summary>
    public const int MaxFiles = FileTurns.Most / 2;

    /// <summary>Bytes of an answer at most: 4 MiB.</summary>
    private const long MaxBytes = 4 * 1024 * 1024;

    // Files that are in memory or on their way there: 16 MiB.
    private readonly SemaphoreSlim _memory = new(FileTurns.Most);

    /// <summary>The turns of files that no request with others brings, where the client has none for all.</summary>
    public ReceiveTurns Turns { get; } = new(FileTurns.SmallAtOnce);

    protected override long Room => Math.Min(MaxBytes, context.Options.MaxBytesPerSecond ?? MaxBytes);

    /// <returns>Null if the server, the protocol or the options have no such requests.</returns>
    public static BatchDownloads? Make(TransferContext context, ServerDescription description) =>
        context.Protocol is HttpProtocolClient { Kind: TransferProtocol.Http1 or TransferProtocol.Http2 } protocol
        && context.Options is { Link: null, KeepCached: true, FollowRedirects: false }
        && description is { BatchGet: true, MaxBatchFiles: > 1 and var files, MaxBatchFileBytes: > 0 and var bytes }
            ? new BatchDownloads(context, protocol, Math.Min(MaxFiles, files), Math.Min(SmallFile.MaxBytes, bytes))
            : null;

    /// <summary>Whether files of this length may be fetched with others.</summary>
    public bool Takes(long length) => length <= maxFileBytes;

    /// <summary>Fetches a whole file, with others or alone.</summary>
    /// <param name="name">The file.</param>
    /// <param name="length">Its bytes, as they were listed.</param>
    /// <param name="digest">Whether its digest is wanted.</param>
    /// <param name="watch">Ends it for this file.</param>
    /// <returns>Null if it needs a request of its own, which tells the reason.</returns>
    public async Task<OpenedFile?> OpenAsync(TransferName name, long length, bool digest, IdleWatch watch)
    {
        if (IsOff)
        {
            return null;
        }

        if (!TryBegin())
        {
            watch.Pause();
            BatchOutcome outcome = default;
            await _memory.WaitAsync(watch.Caller).ConfigureAwait(false);
            try
            {
                outcome = await WaitAsync(new BatchFile(name, length), watch.Caller).ConfigureAwait(false);
            }
            finally
            {
                if (outcome.Opened?.Body is RentedBody body)
                {
                    body.Turns = _memory;
                }
                else
                {
                    _memory.Release();
                }
            }

            watch.Touch();
            if (outcome.Way != BatchWay.Alone)
            {
                return outcome.Opened;
            }
        }

        try
        {
            return await protocol.OpenAsync(name, null, null, digest, watch).ConfigureAwait(false);
        }
        finally
        {
            // The bytes of a small file come with its fields.
            End(files: 1);
        }
    }

    protected override async Task MoveAsync(Batch batch, List<BatchFile> files)
    {
        TransferName folder = FolderOf(files);
        using IdleWatch watch = context.Watch(batch.Token);
        var call = new ProtocolCall("Downloading several files of", folder.Value, protocol.Kind);
        int next = 0;
        try
        {
            await protocol.GetBatchAsync(
                folder,
                Names(files, folder),
                (answer, body) =>
                {
                    if (next == files.Count || !files[next].NameBelow(folder).SequenceEqual(answer.Name))
                    {
                        body?.Dispose();
                        throw Failures.Protocol(call, "the answer is not about the files");
                    }

                    if (!files[next++].TryEnd(body is null ? new BatchOutcome(BatchWay.Apart) : new BatchOutcome(BatchWay.Moved, Opened: Open(answer, body))))
                    {
                        body?.Dispose();
                    }
                },
                watch).ConfigureAwait(false);
            if (next < files.Count)
            {
                throw Failures.Protocol(call, $"the answer has {next} of {files.Count} files");
            }

            Succeed();
        }
        catch (TransferException exception)
        {
            Learn(exception, isForAll: next > 0 || IsBusy(exception) || IsAway(exception));
        }
        catch (OperationCanceledException) when (batch.Token.IsCancellationRequested)
        {
        }
    }

    private static OpenedFile Open(BatchResultDocument answer, RentedBody body) => new()
    {
        Body = body,
        Offset = 0,
        Count = body.Length,
        Length = body.Length,
        Tag = Fields.Tag(answer.Tag),
        Sha256 = Sha256Digest.TryParse(answer.Sha256, out Sha256Digest digest) ? digest : null,
        Modified = FileTime.TryParse(answer.Modified, out FileTime modified) ? modified : null,
        IsExecutable = answer.Executable == true,
    };

    /// <summary>The lines that ask for files.</summary>
    private static ReadOnlyMemory<byte> Names(List<BatchFile> files, TransferName folder)
    {
        var lines = new ArrayBufferWriter<byte>();
        using var json = new Utf8JsonWriter(lines, new JsonWriterOptions { Encoder = BatchSource.Encoder, SkipValidation = true });
        foreach (BatchFile file in files)
        {
            BatchLine.Write(lines, json, new BatchFileDocument { Name = file.NameBelow(folder).ToString() }, TransferJson.Default.BatchFileDocument);
        }

        return lines.WrittenMemory;
    }
}

/// <summary>The bytes of a small file, in memory until it is disposed.</summary>
internal sealed class RentedBody : MemoryStream
{
    private byte[]? _bytes;

    private RentedBody(byte[] bytes, int length)
        : base(bytes, 0, length, writable: false)
    {
        _bytes = bytes;
        Bytes = bytes.AsMemory(0, length);
    }

    /// <summary>Where the bytes go that are read.</summary>
    public Memory<byte> Bytes { get; }

    /// <summary>What is released when the bytes are gone; null for nothing.</summary>
    public SemaphoreSlim? Turns { get; set; }

    public static RentedBody Rent(int length) => new(ArrayPool<byte>.Shared.Rent(length), length);

    protected override void Dispose(bool disposing)
    {
        if (Interlocked.Exchange(ref _bytes, null) is { } bytes)
        {
            ArrayPool<byte>.Shared.Return(bytes);
            Turns?.Release();
        }

        base.Dispose(disposing);
    }
}
