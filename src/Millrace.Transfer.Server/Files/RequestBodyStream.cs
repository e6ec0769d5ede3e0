using System.Buffers;
using System.Runtime.CompilerServices;

namespace Millrace.Transfer.Server;

/// <summary>A request's body for readers of streams, at the rate of its caller. A read that is canceled leaves the connection usable.</summary>
internal sealed class RequestBodyStream(PipeReader body) : ReadOnlyStream
{
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (true)
        {
            ReadResult read = await BodyCopy.ReadAsync(body, cancellationToken);
            ReadOnlySequence<byte> taken = read.Buffer.Slice(0, Math.Min(buffer.Length, read.Buffer.Length));
            int count = (int)taken.Length;
            taken.CopyTo(buffer.Span);
            body.AdvanceTo(taken.End);
            if (count > 0 || read.IsCompleted || buffer.IsEmpty)
            {
                return count;
            }
        }
    }
}
