namespace Millrace.Tests.Infrastructure;

/// <summary>
/// A reader that gives one piece more with every read that it is asked to wait with, each in a separate segment. As strict
/// as a reader may be: examined bytes may not be given back as unexamined, and every result is to be advanced once.
/// </summary>
internal sealed class ScriptedReader : PipeReader
{
    private readonly Queue<Func<ReadOnlyMemory<byte>>> _pieces;
    private readonly bool _endsWithLastPiece;
    private readonly bool _waits;
    private Segments _first = Segments.Append(null, default);
    private Segments _last;
    private int _firstIndex;
    private long _examined;
    private bool _reading;
    private bool _cancels;

    /// <param name="pieces">The results of the reads; one may be empty, or throw.</param>
    /// <param name="endsWithLastPiece">Whether the last piece reports the end, or a separate read.</param>
    /// <param name="waits">Whether every read completes later, on another thread.</param>
    public ScriptedReader(
        IEnumerable<Func<ReadOnlyMemory<byte>>> pieces, bool endsWithLastPiece = false, bool waits = false)
    {
        _pieces = new Queue<Func<ReadOnlyMemory<byte>>>(pieces);
        _endsWithLastPiece = endsWithLastPiece;
        _waits = waits;
        _last = _first;
    }

    /// <summary>How many reads were answered.</summary>
    public int Reads { get; private set; }

    /// <summary>How many bytes were consumed.</summary>
    public long Consumed => _first.RunningIndex + _firstIndex;

    /// <summary>Whether the reader was completed.</summary>
    public bool IsCompleted { get; private set; }

    private long Length => _last.RunningIndex + _last.Memory.Length;

    /// <summary>A reader of these texts, one with every read.</summary>
    public static ScriptedReader Of(params string[] pieces) => new(pieces.Select(Piece));

    /// <summary>The read that brings a text.</summary>
    public static Func<ReadOnlyMemory<byte>> Piece(string text)
    {
        ReadOnlyMemory<byte> bytes = Text.Bytes(text);
        return () => bytes;
    }

    /// <summary>The read that fails.</summary>
    public static Func<ReadOnlyMemory<byte>> Failure(Exception exception) => () => throw exception;

    public override async ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        Assert.False(_reading, "a read before the last one was advanced");
        cancellationToken.ThrowIfCancellationRequested();
        if (_waits)
        {
            await Task.Yield();
        }

        Reads++;
        bool canceled = _cancels;
        _cancels = false;
        if (!canceled && _examined >= Length && _pieces.TryDequeue(out Func<ReadOnlyMemory<byte>>? piece))
        {
            _last = Segments.Append(_last, piece());
        }

        _reading = true;
        return Result(canceled);
    }

    public override bool TryRead(out ReadResult result) => throw new NotSupportedException();

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        Refuse(!_reading, "nothing was read");
        long from = Offset(consumed);
        long to = Offset(examined);
        Refuse(from < Consumed || to < from || to > Length, "positions outside the buffer");
        Refuse(to < _examined, "examined bytes cannot become unexamined");
        _first = (Segments)consumed.GetObject()!;
        _firstIndex = consumed.GetInteger();
        _examined = to;
        _reading = false;
    }

    public override void CancelPendingRead() => _cancels = true;

    public override void Complete(Exception? exception = null) => IsCompleted = true;

    private static long Offset(SequencePosition position) =>
        ((Segments)position.GetObject()!).RunningIndex + position.GetInteger();

    private static void Refuse(bool condition, string reason)
    {
        if (condition)
        {
            throw new InvalidOperationException(reason);
        }
    }

    private ReadResult Result(bool canceled)
    {
        bool ended = _pieces.Count == 0 && (_endsWithLastPiece || _examined >= Length);
        return new ReadResult(
            new ReadOnlySequence<byte>(_first, _firstIndex, _last, _last.Memory.Length), canceled, ended);
    }
}
