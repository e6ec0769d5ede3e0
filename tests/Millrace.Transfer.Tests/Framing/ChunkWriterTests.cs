using System.Buffers;
using System.IO.Pipelines;
using Google.Protobuf;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Tests.Framing;

/// <summary>Headers in front of the written bytes, as everybody reads them.</summary>
public sealed class ChunkWriterTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(127)]
    [InlineData(128)]
    [InlineData(16_383)]
    [InlineData(16_384)]
    [InlineData(65_536)]
    [InlineData(2_097_151)]
    [InlineData(2_097_152)]
    public async Task Full_chunk_is_encoded_as_Protobuf_encodes_it(int bytes)
    {
        byte[] content = [.. Enumerable.Range(0, bytes).Select(value => (byte)value)];

        byte[] written = await WriteAsync((writer, _) =>
        {
            content.CopyTo(writer.GetMemory(bytes));
            writer.Advance(bytes);
        });

        Assert.Equal(Frames.Of(new Chunk { Data = ByteString.CopyFrom(content) }), written);
    }

    [Theory]
    [InlineData(1, 0)]
    [InlineData(100, 70_000)]
    [InlineData(127, 128)]
    [InlineData(16_000, 3_000_000)]
    public async Task Shortened_chunk_is_read(int bytes, int asked)
    {
        byte[] content = [.. Enumerable.Range(0, bytes).Select(value => (byte)value)];

        byte[] written = await WriteAsync((writer, _) =>
        {
            content.CopyTo(writer.GetMemory(asked));
            writer.Advance(bytes);
        });

        Assert.Equal(content, Chunk.Parser.ParseFrom(written.AsSpan(FramePrefix.Bytes)).Data.ToByteArray());
        Assert.Equal(content, ParsedChunks.Of(written, [3]).Data);
    }

    [Fact]
    public async Task Advancing_by_zero_writes_no_chunk() =>
        Assert.Empty(await WriteAsync((writer, _) =>
        {
            writer.GetMemory(10);
            writer.Advance(0);
        }));

    [Fact]
    public async Task Base64_round_trips_in_pieces_of_any_size()
    {
        byte[] content = [.. Enumerable.Range(0, 300_000).Select(value => (byte)(value * 7))];

        byte[] written = await WriteAsync((writer, random) =>
        {
            for (int at = 0; at < content.Length;)
            {
                int bytes = Math.Min(random.Next(1, 5000), content.Length - at);
                writer.Write(content.AsSpan(at, bytes));
                at += bytes;
            }

            Assert.Equal(content.Length, ((ChunkWriter)writer).Written);
        });

        Assert.Equal(content, ParsedChunks.Of(written, [4096]).Data);
    }

    [Fact]
    public async Task The_destination_is_flushed_when_there_is_enough_for_a_write()
    {
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 0));
        var writer = new ChunkWriter(pipe.Writer, flushBytes: 1000);

        await writer.WriteAsync(new byte[500]);
        Assert.False(pipe.Reader.TryRead(out _));
        await writer.WriteAsync(new byte[500]);

        Assert.True(pipe.Reader.TryRead(out ReadResult read));
        Assert.True(read.Buffer.Length > 1000);
        Assert.Equal(0, writer.UnflushedBytes);
    }

    private static async Task<byte[]> WriteAsync(Action<PipeWriter, Random> write)
    {
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 0));
        write(new ChunkWriter(pipe.Writer, flushBytes: int.MaxValue), new Random(1));
        await pipe.Writer.CompleteAsync();
        ReadResult all = await pipe.Reader.ReadAtLeastAsync(int.MaxValue);
        return all.Buffer.ToArray();
    }
}
