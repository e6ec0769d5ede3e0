using System.Buffers;

namespace Millrace.Transfer.Server;

/// <summary>Applies a delta: writes literals as they come, references from the earlier version, and runs of zeros as holes.</summary>
/// <remarks>
/// References are read and written, not cloned, unless the store does more (a bucket copies whole parts): all bytes have to be hashed
/// anyway, which takes longer than writing them. Not thread-safe.
/// </remarks>
/// <param name="old">The earlier version; null for a delta without references. Stays the caller's.</param>
/// <param name="upload">Takes the file's bytes.</param>
/// <param name="room">Bytes that the file still accepts.</param>
/// <param name="stop">Ends the copy of a long reference.</param>
internal sealed class DeltaWriter(StoredFileReader? old, UploadWriter upload, long room, CancellationToken stop) : PipeWriter
{
    /// <summary>Literals of this many bytes or more are written without a copy; see <see cref="ChunkSink"/>.</summary>
    private const int WorthCall = 8 * 1024;

    private static readonly byte[] Zeros = new byte[64 * 1024];

    private readonly PipeWriter _destination = upload.Output;
    private readonly DeltaParser _parser = new(old?.File.Length ?? 0, room);
    private ArrayBufferWriter<byte>? _buffer;

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _buffer?.WrittenCount ?? 0;

    /// <summary>Opens the version that a delta is of.</summary>
    /// <param name="store">The store as the caller may use it.</param>
    /// <param name="name">The file.</param>
    /// <param name="tag">The version.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="TransferException"><see cref="TransferError.PreconditionFailed"/>: it is not there any more.</exception>
    public static async ValueTask<StoredFileReader> OpenAsync(
        IFileStore store, TransferName name, string tag, CancellationToken cancellationToken)
    {
        StoredFileReader? reader = null;
        try
        {
            reader = await store.OpenReadAsync(name, DigestNeed.IfKnown, cancellationToken);
            if (reader.File.Tag.Value == tag)
            {
                return reader;
            }

            await reader.DisposeAsync();
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
        }

        throw new TransferException(
            TransferError.PreconditionFailed,
            $"The delta is of the version {NameEncoding.Printable(tag)} of '{name}', which is {(reader is null ? "gone" : reader.File.Tag.Value)} now. "
            + "Make one of that version, or send the file as it is.",
            name.Value);
    }

    /// <summary>Refuses delta uploads whose length nothing limits.</summary>
    public static void ThrowIfUnlimited(UploadStatus status)
    {
        if (status.Length is null)
        {
            throw Errors.Invalid($"Upload {status.Id} has no length, and a delta can make any number of bytes. Declare the length first.");
        }
    }

    public override async ValueTask<FlushResult> WriteAsync(ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        while (Next(ref source) is var token and not DeltaToken.More)
        {
            if (token == DeltaToken.Copy)
            {
                await CopyAsync(old!, new ByteRange(_parser.Offset, _parser.Length));
                continue;
            }

            if (token == DeltaToken.Zeros)
            {
                await WriteZerosAsync(_parser.Length);
                continue;
            }

            ReadOnlyMemory<byte> literal = source[.._parser.Literal];
            source = source[literal.Length..];
            if (literal.Length >= WorthCall)
            {
                await BodyCopy.WriteAsync(new ReadOnlySequence<byte>(literal), _destination, cancellationToken);
            }
            else
            {
                await _destination.WriteAsync(literal, cancellationToken);
            }
        }

        return default;
    }

    /// <summary>To be called when all of it was written.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: it ended within an instruction.</exception>
    public async ValueTask FinishAsync(CancellationToken cancellationToken)
    {
        await FlushAsync(cancellationToken);
        if (!_parser.IsBetween)
        {
            throw Errors.Invalid("The delta ends within an instruction. Send it again from the offset that the upload has.");
        }
    }

    public override Memory<byte> GetMemory(int sizeHint = 0) => (_buffer ??= new ArrayBufferWriter<byte>()).GetMemory(sizeHint);

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void Advance(int bytes) => _buffer!.Advance(bytes);

    public override async ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        if (_buffer is { WrittenCount: > 0 } buffer)
        {
            await WriteAsync(buffer.WrittenMemory, cancellationToken);
            buffer.ResetWrittenCount();
        }

        return default;
    }

    public override void CancelPendingFlush()
    {
    }

    public override void Complete(Exception? exception = null)
    {
    }

    private DeltaToken Next(ref ReadOnlyMemory<byte> source)
    {
        ReadOnlySpan<byte> bytes = source.Span;
        DeltaToken token = _parser.Next(ref bytes);
        source = source[^bytes.Length..];
        return token;
    }

    private async ValueTask WriteZerosAsync(long count)
    {
        if (_destination is IHoleWriter holes)
        {
            await holes.WriteZerosAsync(count, stop);
            return;
        }

        for (; count > 0; count -= Zeros.Length)
        {
            stop.ThrowIfCancellationRequested();
            await _destination.WriteAsync(Zeros.AsMemory(0, (int)Math.Min(count, Zeros.Length)), stop);
        }
    }

    private async ValueTask CopyAsync(StoredFileReader old, ByteRange range)
    {
        if (await upload.TryCopyAsync(old, range, stop))
        {
            return;
        }

        PipeReader content = old.Read(range);
        try
        {
            while (true)
            {
                stop.ThrowIfCancellationRequested();
                ReadResult result = await content.ReadAsync(stop);
                await BodyCopy.WriteAsync(result.Buffer, _destination, stop);
                content.AdvanceTo(result.Buffer.End);
                if (result.IsCompleted)
                {
                    return;
                }
            }
        }
        finally
        {
            await content.CompleteAsync();
        }
    }
}
