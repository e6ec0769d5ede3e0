using System.IO.Pipelines;

namespace Millrace.Transfer.Server;

/// <summary>A writer of bytes of which nobody said how many they will be: limits are looked at before they are written.</summary>
internal sealed class LimitedBody : PipeWriter
{
    /// <summary>Bytes between two looks at the device.</summary>
    private const long CheckEvery = 1024 * 1024;

    private readonly FilePipeWriter _file;
    private readonly StoreLimits _limits;
    private readonly TransferName _name;
    private readonly bool _takes;
    private long _checked;
    private long _taken;

    /// <summary>Limits a writer.</summary>
    /// <param name="file">The writer.</param>
    /// <param name="limits">The limits.</param>
    /// <param name="name">What is written.</param>
    /// <param name="takes">Whether its bytes are taken of the store's whole as they come, because nobody said how many.</param>
    public LimitedBody(FilePipeWriter file, StoreLimits limits, TransferName name, bool takes)
    {
        _file = file;
        _limits = limits;
        _name = name;
        _takes = takes;
        _checked = file.Position;
        limits.CheckDevice(name, 0);
    }

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _file.UnflushedBytes;

    public override Memory<byte> GetMemory(int sizeHint = 0) => _file.GetMemory(sizeHint);

    public override Span<byte> GetSpan(int sizeHint = 0) => _file.GetSpan(sizeHint);

    public override void Advance(int bytes)
    {
        _file.Advance(bytes);
        Check(0);
    }

    public override void CancelPendingFlush() => _file.CancelPendingFlush();

    public override void Complete(Exception? exception = null) => _file.Complete(exception);

    public override ValueTask CompleteAsync(Exception? exception = null) => _file.CompleteAsync(exception);

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        Check(0);
        return _file.FlushAsync(cancellationToken);
    }

    public override ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        Check(source.Length);
        return _file.WriteAsync(source, cancellationToken);
    }

    /// <summary>Looks at the limits for the rest, which is not worth a look by itself.</summary>
    public void TakeRest() => Take(_file.Position);

    /// <summary>Bytes that were taken of the store's whole; the caller's from now on.</summary>
    public long HandOver()
    {
        long taken = _taken;
        _taken = 0;
        return taken;
    }

    private void Check(int coming)
    {
        long position = _file.Position + coming;
        _limits.CheckFile(_name, position);
        if (position - _checked >= CheckEvery)
        {
            Take(position);
        }
    }

    /// <summary>Looks at the limits for what has come since the last look.</summary>
    private void Take(long position)
    {
        long bytes = position - _checked;
        if (_takes && bytes > 0)
        {
            _limits.Take(_name, bytes);
            _taken += bytes;
        }

        _checked = position;
        _limits.CheckDevice(_name, 0);
    }
}
