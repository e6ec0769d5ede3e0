using System.Buffers;
using System.IO.Pipelines;

namespace Millrace.Transfer;

/// <summary>A pipe, which is completed at the end.</summary>
internal sealed class PipeFeed(PipeReader reader) : Feed
{
    private SequencePosition _next;
    private bool _pending;

    public override async ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            if (_pending)
            {
                _pending = false;
                reader.AdvanceTo(_next);
            }

            ReadResult result = await reader.ReadAsync(cancellationToken).ConfigureAwait(false);
            if (result.IsCanceled)
            {
                throw new OperationCanceledException("Reading the pipe that is uploaded was canceled.");
            }

            ReadOnlySequence<byte> buffer = result.Buffer;
            _pending = true;
            _next = buffer.Start;
            foreach (ReadOnlyMemory<byte> segment in buffer)
            {
                if (!segment.IsEmpty)
                {
                    _next = buffer.GetPosition(segment.Length);
                    return segment;
                }
            }

            if (result.IsCompleted)
            {
                return default;
            }
        }
    }

    public override ValueTask DisposeAsync() => reader.CompleteAsync();
}
