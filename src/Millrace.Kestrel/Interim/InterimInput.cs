using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace Millrace.Kestrel;

/// <summary>A client's bytes over HTTP/2. Their settings are noted before Kestrel can act on them, and nothing is copied.</summary>
internal sealed class InterimInput(PipeReader inner) : PipeReader
{
    private const int SettingBytes = 6;
    private const int HeaderTableSize = 1;

    /// <summary>The initial size of a table, in bytes: RFC 9113, section 6.5.2.</summary>
    private const uint InitialTableBytes = 4096;

    private FrameFollower _frames = new(Http2Preface.Bytes.Length);
    private ReadOnlySequence<byte> _buffer;

    /// <summary>Bytes at the start of the buffer whose frames were followed.</summary>
    private long _followed;
    private ulong _setting;
    private int _settingBytes;
    private bool _hasSmallTable;

    /// <summary>Whether the client has asked for a smaller table of fields than the initial one.</summary>
    /// <remarks>
    /// Then the next fields, whose ever they are, have to begin with the new size (RFC 7541, section 4.2), and only Kestrel knows whether
    /// its fields have done so.
    /// </remarks>
    public bool HasSmallTable => Volatile.Read(ref _hasSmallTable);

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        ValueTask<ReadResult> read = inner.ReadAsync(cancellationToken);
        return read.IsCompletedSuccessfully ? new(Keep(read.Result)) : KeepAsync(read);
    }

    public override bool TryRead(out ReadResult result)
    {
        bool hasRead = inner.TryRead(out result);
        if (hasRead)
        {
            Keep(result);
        }

        return hasRead;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        _followed -= _buffer.Slice(_buffer.Start, consumed).Length;
        _buffer = default;
        inner.AdvanceTo(consumed, examined);
    }

    public override void CancelPendingRead() => inner.CancelPendingRead();

    public override void Complete(Exception? exception = null) => inner.Complete(exception);

    public override ValueTask CompleteAsync(Exception? exception = null) => inner.CompleteAsync(exception);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> KeepAsync(ValueTask<ReadResult> read) => Keep(await read);

    /// <summary>Follows the bytes that are new: Kestrel may act on them before it reports how many it has taken.</summary>
    private ReadResult Keep(in ReadResult result)
    {
        _buffer = result.Buffer;
        foreach (ReadOnlyMemory<byte> segment in _buffer.Slice(_followed))
        {
            Follow(segment.Span);
        }

        _followed = _buffer.Length;
        return result;
    }

    private void Follow(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            if (_frames.IsInPayload)
            {
                ReadOnlySpan<byte> payload = _frames.TakePayload(ref bytes);
                if (_frames.Type == FrameFollower.Settings)
                {
                    ReadSettings(payload);
                }
            }
            else if (_frames.TakeHead(ref bytes))
            {
                _settingBytes = 0;
            }
        }
    }

    /// <remarks>An identifier of two bytes and a value of four: RFC 9113, section 6.5.1.</remarks>
    private void ReadSettings(ReadOnlySpan<byte> payload)
    {
        foreach (byte value in payload)
        {
            _setting = (_setting << 8) | value;
            if (++_settingBytes == SettingBytes)
            {
                _settingBytes = 0;
                if ((ushort)(_setting >> 32) == HeaderTableSize && (uint)_setting < InitialTableBytes)
                {
                    Volatile.Write(ref _hasSmallTable, true);
                }
            }
        }
    }
}
