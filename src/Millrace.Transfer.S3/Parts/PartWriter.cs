using System.Buffers;
using System.Runtime.ExceptionServices;

namespace Millrace.Transfer.S3;

/// <summary>
/// Receives a body into parts: while one is filled, up to four are hashed and sent. Bytes that make no whole part stay in
/// <see cref="Tail"/>. A failed part fails the next write.
/// </summary>
internal sealed class PartWriter : PipeWriter, IAsyncDisposable
{
    /// <summary>Parts that are sent at once.</summary>
    private const int MaxSending = 4;

    private readonly PartMemory _memory;
    private readonly PartPlan _plan;
    private readonly Multipart _multipart;
    private readonly TransferName _name;
    private readonly long? _length;
    private readonly long _limit;
    private readonly Quota _quota;
    private readonly CancellationTokenSource _end = new();
    private readonly SemaphoreSlim _slots = new(MaxSending, MaxSending);
    private readonly ArrayBufferWriter<byte> _staged = new();
    private readonly Lock _lock = new();
    private readonly List<SentPart> _sent = [];
    private readonly List<Task> _sending = [];
    private readonly Sha256State _hash;
    private Task _hashing = Task.CompletedTask;
    private PartProgress _progress;
    private ExceptionDispatchInfo? _failure;
    private int _next;
    private long _received;
    private long _charged;
    private bool _direct;
    private bool _disposed;

    /// <param name="memory">Where parts take their memory from.</param>
    /// <param name="plan">The sizes of the parts.</param>
    /// <param name="multipart">Where they go.</param>
    /// <param name="name">The file's name, for messages.</param>
    /// <param name="start">The parts that exist already.</param>
    /// <param name="length">Bytes of the whole; null if they are not known.</param>
    /// <param name="limit">Bytes that the whole may have.</param>
    /// <param name="quota">Charged with every byte.</param>
    public PartWriter(
        PartMemory memory, PartPlan plan, Multipart multipart, TransferName name, PartProgress start, long? length, long limit,
        Quota quota)
    {
        _memory = memory;
        _plan = plan;
        _multipart = multipart;
        _name = name;
        _progress = start;
        _hash = start.Hash.Clone();
        _next = start.Tags.Count + 1;
        _length = length;
        _limit = limit;
        _quota = quota;
        Position = start.End;
        Sealed = start.End;
        Receive(start.End);
    }

    /// <summary>Whether a refusal takes away what was written here.</summary>
    public bool DiscardsOnRefusal { get; set; }

    /// <summary>Whether the bucket may not have the last bytes.</summary>
    public bool WasRefused { get; private set; }

    /// <summary>Bytes of the whole that were written.</summary>
    public long Position { get; private set; }

    /// <summary>Bytes that are in parts which are sent, or were.</summary>
    public long Sealed { get; private set; }

    /// <summary>What makes no whole part yet; null for nothing.</summary>
    public PartBuffer? Tail { get; private set; }

    /// <summary>The parts that were sent, up to the first that was not.</summary>
    public PartProgress Progress
    {
        get
        {
            lock (_lock)
            {
                return _progress;
            }
        }
    }

    /// <summary>Takes memory for bytes that an earlier request left, to be filled by the caller.</summary>
    public async ValueTask<PartBuffer> StartTailAsync(long bytes, CancellationToken cancellationToken) =>
        Tail = await _memory.RentAsync(Math.Max(bytes, SizeOfNext()), cancellationToken);

    /// <summary>Counts the bytes with which the caller has filled the tail.</summary>
    public void AddTail() => Position = Sealed + Tail!.Length;

    /// <summary>Counts bytes that the bucket copies itself, instead of writing them here.</summary>
    public void AddCopied(long bytes)
    {
        Charge(bytes);
        Position += bytes;
    }

    /// <summary>Takes the bytes that were written here out of the store's total.</summary>
    public void ReleaseCharge()
    {
        _quota.Add(_name, -_charged);
        _charged = 0;
    }

    /// <summary>Whether so many bytes may have a part that <see cref="CopyAsync"/> copies.</summary>
    public bool HasPartIn(long bytes) => _next <= PartPlan.MaxParts && bytes >= SizeOfNext();

    /// <summary>Appends bytes of an object: the bucket copies those that are whole parts here, others are read and sent.</summary>
    public async ValueTask CopyAsync(S3FileReader source, ByteRange range, CancellationToken cancellationToken)
    {
        await FlushAsync(cancellationToken);
        while (range.Length > 0)
        {
            if (Tail is { IsFull: true })
            {
                await SealAsync(cancellationToken);
            }

            long size = SizeOfNext();
            bool isAtStart = Tail is null or { Length: 0 };

            // A file of one part only is written by one request.
            long count = isAtStart && range.Length >= size && (_next > 1 || _length > Sealed + size)
                ? await CopyPartsAsync(source, range, cancellationToken)
                : await ReadAsync(source, new ByteRange(range.Offset, Math.Min(range.Length, isAtStart ? size : Tail!.Capacity - Tail.Length)), cancellationToken);
            range = new ByteRange(range.Offset + count, range.Length - count);
        }
    }

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        _direct = _staged.WrittenCount == 0 && Tail is { IsFull: false } tail && tail.GetMemory().Length >= Math.Max(1, sizeHint);
        return _direct ? Tail!.GetMemory() : _staged.GetMemory(sizeHint);
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void Advance(int bytes)
    {
        if (!_direct)
        {
            _staged.Advance(bytes);
            return;
        }

        Charge(bytes);
        Tail!.Advance(bytes);
        Position += bytes;
    }

    public override async ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        _failure?.Throw();
        if (_staged.WrittenCount > 0)
        {
            await AddAsync(_staged.WrittenMemory, cancellationToken);
            _staged.ResetWrittenCount();
        }

        return default;
    }

    /// <remarks>One copy, from the connection's buffer into the part.</remarks>
    public override ValueTask<FlushResult> WriteAsync(ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        if (_failure is null && _staged.WrittenCount == 0 && Tail is { } tail && tail.Capacity - tail.Length >= source.Length)
        {
            Charge(source.Length);
            Position += tail.Write(source.Span);
            return default;
        }

        return WriteSlowlyAsync(source, cancellationToken);
    }

    public override void CancelPendingFlush()
    {
    }

    public override void Complete(Exception? exception = null)
    {
    }

    /// <summary>Waits until all whole parts are sent.</summary>
    /// <param name="isLast">Whether the tail is the end of a file that has parts: then it is sent as well.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async ValueTask SettleAsync(bool isLast, CancellationToken cancellationToken)
    {
        await FlushAsync(cancellationToken);
        if (Tail is { Length: > 0 } tail && _next > 1 && (isLast || tail.IsFull))
        {
            await SealAsync(cancellationToken);
        }

        await Task.WhenAll(_sending).WaitAsync(cancellationToken);
        _failure?.Throw();

        // From now on the bucket may list it.
        Receive(-_received);
    }

    /// <summary>The hash of all bytes, once they have settled.</summary>
    public Sha256Digest ToDigest()
    {
        Sha256State hash = Progress.Hash.Clone();
        for (long at = 0; Tail?.Read(at) is { IsEmpty: false } block; at += block.Length)
        {
            hash.Append(block.Span);
        }

        return hash.ToDigest();
    }

    public async ValueTask DisposeAsync()
    {
        if (_disposed)
        {
            return;
        }

        _disposed = true;
        await _end.CancelAsync();

        // Their memory is in use until then.
        await Task.WhenAll(_sending).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        Tail?.Dispose();
        Receive(-_received);
        _slots.Dispose();
        _end.Dispose();
    }

    private async ValueTask<FlushResult> WriteSlowlyAsync(ReadOnlyMemory<byte> source, CancellationToken cancellationToken)
    {
        await FlushAsync(cancellationToken);
        await AddAsync(source, cancellationToken);
        return default;
    }

    private async ValueTask AddAsync(ReadOnlyMemory<byte> source, CancellationToken cancellationToken)
    {
        while (!source.IsEmpty)
        {
            if (Tail is { IsFull: true })
            {
                await SealAsync(cancellationToken);
            }

            Tail ??= await _memory.RentAsync(SizeOfNext(), cancellationToken);
            int count = (int)Math.Min(source.Length, Tail.Capacity - Tail.Length);
            Charge(count);
            Tail.Write(source.Span[..count]);
            Position += count;
            source = source[count..];
        }

        if (Tail is { IsFull: true } && (_next > 1 || _length > Position))
        {
            // It is certain that this is a part: a file of one part only is written by one request.
            await SealAsync(cancellationToken);
        }
    }

    /// <returns>How many bytes of the range are whole parts.</returns>
    private async ValueTask<long> CopyPartsAsync(S3FileReader source, ByteRange range, CancellationToken cancellationToken)
    {
        Tail?.Dispose();
        Tail = null;

        // One reader for all of them, which is ahead of the hash.
        PipeReader content = source.Read(range);
        long copied = 0;
        try
        {
            while (range.Length - copied >= SizeOfNext() && range.Length > copied)
            {
                _failure?.Throw();
                await _slots.WaitAsync(cancellationToken);
                long size = SizeOfNext();
                try
                {
                    Charge(size);
                }
                catch
                {
                    _slots.Release();
                    throw;
                }

                Position += size;
                var part = new ByteRange(range.Offset + copied, size);
                copied += size;
                Task<Sha256State> hashed = HashAsync(_hashing, content, size);
                _hashing = hashed;
                Send(size, hashed, number => _multipart.CopyAsync(number, source, part, _end.Token), part: null);
            }
        }
        finally
        {
            _ = CompleteAsync(_hashing, content);
        }

        return copied;
    }

    private async ValueTask<long> ReadAsync(S3FileReader source, ByteRange range, CancellationToken cancellationToken)
    {
        PipeReader content = source.Read(range);
        try
        {
            while (true)
            {
                ReadResult result = await content.ReadAsync(cancellationToken);
                foreach (ReadOnlyMemory<byte> segment in result.Buffer)
                {
                    await AddAsync(segment, cancellationToken);
                }

                content.AdvanceTo(result.Buffer.End);
                if (result.IsCompleted)
                {
                    return range.Length;
                }
            }
        }
        finally
        {
            await content.CompleteAsync();
        }
    }

    private void Charge(long bytes)
    {
        if (Position + bytes > _limit)
        {
            throw Errors.TooLarge(_name, _limit);
        }

        long lost = DiscardsOnRefusal ? _charged : 0;
        _charged -= lost;
        WasRefused = true;
        _quota.Add(_name, bytes, lost);
        WasRefused = false;
        _charged += lost + bytes;
        Receive(bytes);
    }

    private void Receive(long bytes)
    {
        _received += bytes;
        _quota.Receive(bytes);
    }

    private long SizeOfNext()
    {
        int number = _next;
        if (number > PartPlan.MaxParts)
        {
            throw Errors.TooLarge(_name, Position);
        }

        long size = _plan.SizeOf(number);
        return _length is { } length ? Math.Clamp(length - Sealed, 1, size) : size;
    }

    private async ValueTask SealAsync(CancellationToken cancellationToken)
    {
        _failure?.Throw();
        await _slots.WaitAsync(cancellationToken);
        PartBuffer part = Tail!;
        Tail = null;
        Task<Sha256State> hashed = HashAsync(_hashing, part);
        _hashing = hashed;
        Send(part.Length, hashed, number => _multipart.SendAsync(number, part, _end.Token), part);
    }

    /// <param name="bytes">Of the part.</param>
    /// <param name="hashed">The hash of all bytes up to its end.</param>
    /// <param name="send">Sends the part of a number, and returns its tag.</param>
    /// <param name="part">Its memory; null if the bucket has it already.</param>
    private void Send(long bytes, Task<Sha256State> hashed, Func<int, ValueTask<string>> send, PartBuffer? part)
    {
        Sealed += bytes;
        var sent = new SentPart(bytes);
        int number = _next++;
        lock (_lock)
        {
            _sent.Add(sent);
        }

        _sending.RemoveAll(static task => task.IsCompletedSuccessfully);
        _sending.Add(SendAsync(send, number, part, sent, hashed));
    }

    private async Task<Sha256State> HashAsync(Task before, PartBuffer part)
    {
        await before.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        for (long at = 0; part.Read(at) is { IsEmpty: false } block; at += block.Length)
        {
            _hash.Append(block.Span);
        }

        return _hash.Clone();
    }

    /// <summary>Hashes bytes that another reader of the bucket's gets.</summary>
    private async Task<Sha256State> HashAsync(Task before, PipeReader content, long bytes)
    {
        await before.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        while (bytes > 0)
        {
            ReadResult result = await content.ReadAsync(_end.Token);
            ReadOnlySequence<byte> buffer = result.Buffer.Length > bytes ? result.Buffer.Slice(0, bytes) : result.Buffer;
            if (buffer.IsEmpty && result.IsCompleted)
            {
                throw new IOException("The object store returned fewer bytes than it has.");
            }

            foreach (ReadOnlyMemory<byte> segment in buffer)
            {
                _hash.Append(segment.Span);
            }

            bytes -= buffer.Length;
            content.AdvanceTo(buffer.End);
        }

        return _hash.Clone();
    }

    /// <summary>Completes a reader after the last hash that needs it.</summary>
    private static async Task CompleteAsync(Task hashing, PipeReader content)
    {
        await hashing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await content.CompleteAsync();
    }

    private async Task SendAsync(Func<int, ValueTask<string>> send, int number, PartBuffer? part, SentPart sent, Task<Sha256State> hashed)
    {
        try
        {
            string tag = await send(number);
            Sha256State hash = await hashed;
            lock (_lock)
            {
                (sent.Tag, sent.Hash) = (tag, hash);
                Collect();
            }
        }
        catch (Exception exception)
        {
            _failure ??= ExceptionDispatchInfo.Capture(S3Errors.Translate(exception, _name.Value));
            await ((Task)hashed).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        finally
        {
            part?.Dispose();
            _slots.Release();
        }
    }

    /// <summary>Moves the parts without a gap to the progress.</summary>
    private void Collect()
    {
        int count = _sent.TakeWhile(static part => part.Tag is not null).Count();
        if (count > 0)
        {
            _progress = new PartProgress(
                [.. _progress.Tags, .. _sent.Take(count).Select(static part => part.Tag!)],
                _progress.End + _sent.Take(count).Sum(static part => part.Bytes),
                _sent[count - 1].Hash!);
            _sent.RemoveRange(0, count);
        }
    }

    private sealed class SentPart(long bytes)
    {
        public long Bytes => bytes;

        public string? Tag { get; set; }

        public Sha256State? Hash { get; set; }
    }
}
