using System.Security.Cryptography;
using System.Threading.Tasks.Sources;

namespace Millrace.Transfer;

/// <summary>
/// SHA-256 of bytes that are being copied, computed on another thread meanwhile. The bytes handed over are not
/// copied: they have to stay unchanged until <see cref="DrainAsync"/> completes.
/// </summary>
/// <remarks>
/// One caller at a time. Nothing is allocated per piece. At most <see cref="QueueLength"/> pieces wait; a caller further
/// ahead waits too, so that hashing bounds the copying where it is the slower of both.
/// </remarks>
internal sealed class ParallelHash : IThreadPoolWorkItem, IValueTaskSource, IDisposable
{
    /// <summary>Pieces that may wait.</summary>
    /// <remarks>A MiB in pieces of 64 KiB: longer than any thread waits for its turn, and not so long that caches forget it.</remarks>
    public const int QueueLength = 16;

    /// <summary>Up to how many bytes a piece is hashed at once, when no other waits: waking a thread costs more.</summary>
    private const int InlineBytes = 8 * 1024;

    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    private readonly ReadOnlyMemory<byte>[] _pieces = new ReadOnlyMemory<byte>[QueueLength];
    private readonly Lock _lock = new();
    private ManualResetValueTaskSourceCore<bool> _wait;
    private Exception? _failure;
    private int _first;
    private int _pending;
    private int _waitFor;
    private bool _waiting;

    /// <summary>Bytes that were handed over since the beginning, or since <see cref="FinishAsync"/>.</summary>
    public long Length { get; private set; }

    /// <summary>Hands over the next bytes.</summary>
    /// <param name="piece">Not changed and not given back before <see cref="DrainAsync"/>, whatever happens.</param>
    /// <returns>Completes at once unless too many pieces wait.</returns>
    public ValueTask AppendAsync(ReadOnlyMemory<byte> piece)
    {
        if (piece.IsEmpty)
        {
            return default;
        }

        bool start;
        lock (_lock)
        {
            if (_pending == QueueLength)
            {
                return AppendLaterAsync(piece);
            }

            start = _pending == 0;
            if (!start || piece.Length > InlineBytes)
            {
                Enqueue(piece);
                if (!start)
                {
                    return default;
                }
            }
        }

        if (piece.Length > InlineBytes)
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
        else
        {
            _hash.AppendData(piece.Span);
            Length += piece.Length;
        }

        return default;
    }

    /// <summary>Waits until everything that was handed over is hashed and belongs to the caller alone again.</summary>
    public ValueTask DrainAsync() => WaitAsync(0);

    /// <summary>Waits for the rest and gives the digest of everything; the next bytes begin another one.</summary>
    public async ValueTask<Sha256Digest> FinishAsync()
    {
        await DrainAsync().ConfigureAwait(false);
        Length = 0;
        return new Sha256Digest(_hash.GetHashAndReset());
    }

    /// <summary>Forgets everything; nothing may be waiting.</summary>
    public void Reset()
    {
        Length = 0;
        _ = _hash.GetHashAndReset();
    }

    /// <summary>Gives the system's memory back. To be called after <see cref="DrainAsync"/>.</summary>
    public void Dispose() => _hash.Dispose();

    void IThreadPoolWorkItem.Execute()
    {
        while (true)
        {
            ReadOnlyMemory<byte> piece;
            lock (_lock)
            {
                piece = _pieces[_first];
            }

            try
            {
                _hash.AppendData(piece.Span);
            }
            catch (Exception exception) when (exception is ObjectDisposedException or CryptographicException)
            {
                _failure = exception;
            }

            bool more;
            bool signal;
            lock (_lock)
            {
                _pieces[_first] = default;
                _first = (_first + 1) % QueueLength;
                _pending--;
                more = _pending > 0;
                signal = _waiting && _pending <= _waitFor;
                _waiting &= !signal;
            }

            if (signal)
            {
                // Inline only where this thread has nothing left to do; then it goes on as the copying one.
                _wait.RunContinuationsAsynchronously = more;
                _wait.SetResult(true);
            }

            if (!more)
            {
                return;
            }
        }
    }

    void IValueTaskSource.GetResult(short token)
    {
        _wait.GetResult(token);
        if (_failure is { } failure)
        {
            throw new InvalidOperationException("A piece could not be hashed: it was given back too early.", failure);
        }
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _wait.GetStatus(token);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _wait.OnCompleted(continuation, state, token, flags);

    private async ValueTask AppendLaterAsync(ReadOnlyMemory<byte> piece)
    {
        await WaitAsync(QueueLength / 2).ConfigureAwait(false);
        await AppendAsync(piece).ConfigureAwait(false);
    }

    private void Enqueue(ReadOnlyMemory<byte> piece)
    {
        _pieces[(_first + _pending) % QueueLength] = piece;
        _pending++;
        Length += piece.Length;
    }

    private ValueTask WaitAsync(int pending)
    {
        lock (_lock)
        {
            if (_pending <= pending)
            {
                return _failure is null
                    ? default
                    : ValueTask.FromException(new InvalidOperationException("A piece could not be hashed.", _failure));
            }

            _wait.Reset();
            _waitFor = pending;
            _waiting = true;
            return new ValueTask(this, _wait.Version);
        }
    }
}
