using System.Buffers;
using System.Runtime.CompilerServices;

namespace Millrace.Writing;

/// <summary>Writing what somebody else has gathered already, without a block of this writer.</summary>
internal sealed partial class BufferedFileWriter
{
    public override ValueTask WriteThroughAsync(ReadOnlySequence<byte> source, CancellationToken cancellationToken = default)
    {
        ThrowIfUnusable();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        if (FlushesDurably || IsBusy || Buffered > 0)
        {
            return base.WriteThroughAsync(source, cancellationToken);
        }

        if (_slow)
        {
            return WriteThroughOnPoolAsync(source);
        }

        try
        {
            WriteSegments(source);
            return default;
        }
        catch (FilePipeException exception)
        {
            return ValueTask.FromException(exception);
        }
    }

    /// <summary>
    /// The device makes writes wait, which is not for the caller's thread. The bytes stay the caller's, so that nobody may go
    /// away meanwhile: this is not canceled.
    /// </summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask WriteThroughOnPoolAsync(ReadOnlySequence<byte> source)
    {
        EnterPending();
        try
        {
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            WriteSegments(source);
        }
        finally
        {
            LeavePending();
        }
    }

    /// <summary>Two segments a call.</summary>
    private void WriteSegments(in ReadOnlySequence<byte> source)
    {
        SequencePosition position = source.Start;
        while (source.TryGet(ref position, out ReadOnlyMemory<byte> first))
        {
            _ = source.TryGet(ref position, out ReadOnlyMemory<byte> second);
            WriteTimed(first.Span, second.Span);
            Written += first.Length + second.Length;
        }
    }
}
