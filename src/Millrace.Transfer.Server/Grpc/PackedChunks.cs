using System.Buffers;
using System.IO.Pipelines;

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
            ReadResult result = await content.ReadAsync(call.Ended).ConfigureAwait(false);
            ReadOnlySequence<byte> buffer = result.Buffer;
            while (buffer.Length >= plan.ChunkBytes || (result.IsCompleted && !buffer.IsEmpty))
            {
                ReadOnlySequence<byte> chunk = buffer.Slice(0, Math.Min(buffer.Length, plan.ChunkBytes));
                Write(chunk);
                sent += chunk.Length;
                buffer = buffer.Slice(chunk.End);
                if (_unflushed >= FlushBytes && !await FlushAsync().ConfigureAwait(false))
                {
                    content.AdvanceTo(buffer.Start);
                    return sent;
                }
            }

            content.AdvanceTo(buffer.Start, buffer.End);
            if (result.IsCompleted)
            {
                return sent;
            }
        }
    }

    private void Write(ReadOnlySequence<byte> chunk)
    {
        int length = (int)chunk.Length;
        int header = ChunkHeader.BytesFor(length);
        Memory<byte> memory = _body.GetMemory(header + length);
        int bytes = ChunkPacker.Pack(chunk, memory[..(header + length)]);
        if (bytes == 0)
        {
            ChunkHeader.Write(memory.Span[..header], length);
            chunk.CopyTo(memory.Span[header..]);
            bytes = header + length;
        }

        _body.Advance(bytes);
        _unflushed += bytes;
    }

    /// <returns>False when nobody reads any more.</returns>
    private async ValueTask<bool> FlushAsync()
    {
        _unflushed = 0;
        FlushResult flushed = await _body.FlushAsync(call.Ended).ConfigureAwait(false);
        return !flushed.IsCompleted && !flushed.IsCanceled;
    }
}
