using System.Buffers;

namespace Millrace.Transfer.Server;

/// <summary>
/// Chunks in gzip: each is compressed from the file's blocks straight into the answer's memory. One that becomes no smaller
/// is sent as it is.
/// </summary>
internal sealed class PackedChunks(GrpcCall call, ChunkPlan plan)
{
    /// <summary>Bytes that are compressed before they are sent.</summary>
    private const int FlushBytes = 64 * 1024;

    private readonly PipeWriter _body = call.Answer.Body;
    private long _unflushed;

    /// <summary>Sends a part of a file.</summary>
    /// <param name="content">The part; not completed here.</param>
    /// <returns>Bytes of the file that were sent.</returns>
    public async ValueTask<long> SendAsync(PipeReader content)
    {
        long sent = 0;
        while (true)
        {
            ReadResult result = await content.ReadAsync(call.Ended);
            ReadOnlySequence<byte> buffer = result.Buffer;
            while (buffer.Length >= plan.ReadBytes || (result.IsCompleted && !buffer.IsEmpty))
            {
                ReadOnlySequence<byte> two = buffer.Slice(0, Math.Min(buffer.Length, plan.ReadBytes));
                await WriteAsync(two);
                sent += two.Length;
                buffer = buffer.Slice(two.End);
                if (_unflushed >= FlushBytes)
                {
                    _unflushed = 0;
                    await _body.FlushAsync(call.Ended);
                }
            }

            content.AdvanceTo(buffer.Start, buffer.End);
            if (result.IsCompleted)
            {
                return sent;
            }
        }
    }

    /// <summary>Writes one chunk, or two that are compressed at the same time.</summary>
    private async ValueTask WriteAsync(ReadOnlySequence<byte> two)
    {
        ReadOnlySequence<byte> first = two.Slice(0, Math.Min(two.Length, plan.ChunkBytes));
        ReadOnlySequence<byte> second = two.Slice(first.End);
        int room = ChunkPacker.RoomFor((int)first.Length);
        Memory<byte> memory = _body.GetMemory(room + ChunkPacker.RoomFor((int)second.Length));
        int bytes;
        if (second.IsEmpty)
        {
            bytes = ChunkPacker.Write(first, memory);
        }
        else
        {
            Memory<byte> behind = memory[room..];
            Task<int> other = Task.Run(() => ChunkPacker.Write(second, behind), CancellationToken.None);
            try
            {
                bytes = ChunkPacker.Write(first, memory[..room]);
            }
            finally
            {
                // The memory is the connection's again when this returns.
                await other;
            }

            int more = await other;
            behind.Span[..more].CopyTo(memory.Span[bytes..]);
            bytes += more;
        }

        _body.Advance(bytes);
        _unflushed += bytes;
    }
}
