using System.IO.Pipelines;

using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;
using Millrace.Kestrel;

namespace Millrace.Transfer.Server.Tests.Grpc;

/// <summary>Writers of chunks, however the file's bytes come to them.</summary>
public sealed class ChunkWriterTests
{
    private const int Seeds = 50;

    [Fact]
    public async Task Chunk_length_does_not_depend_on_how_bytes_arrive()
    {
        for (int seed = 0; seed < Seeds; seed++)
        {
            var random = new Random(seed);
            byte[] content = Content.Of(random.Next(1, 300_000));
            var plan = new ChunkPlan(random.Next(1, 3) == 1 ? random.Next(1, 500) : random.Next(1, 100_000), 0, content.Length);
            using var destination = new MemoryStream();
            PipeWriter pipe = PipeWriter.Create(destination);
            var writer = new FramedChunkWriter(pipe, plan, 1000);
            for (int at = 0; at < content.Length;)
            {
                int wanted = Math.Min(content.Length - at, random.Next(1, 70_000));
                Memory<byte> memory = writer.GetMemory(wanted);
                int came = random.Next(1, wanted + 1);
                content.AsMemory(at, came).CopyTo(memory);
                writer.Advance(came);
                await writer.FlushAsync();
                at += came;
            }

            await pipe.FlushAsync();
            byte[] bytes = destination.ToArray();
            Assert.Equal(plan.Bytes, bytes.Length);
            List<(byte Flags, byte[] Message)> frames = Frames.Parse(bytes);
            Assert.Equal(content, Frames.Join([.. frames.Select(static frame => Frames.Fields(frame.Message).Single().Bytes)]));
            Assert.All(frames.SkipLast(1), frame => Assert.Equal(plan.ChunkBytes, Frames.Fields(frame.Message)[0].Bytes.Length));
        }
    }

    [Fact]
    public async Task Text_equals_base64_of_the_whole()
    {
        for (int seed = 0; seed < Seeds; seed++)
        {
            var random = new Random(seed);
            byte[] content = Content.Of(random.Next(0, 400_000));
            using var destination = new MemoryStream();
            PipeWriter pipe = PipeWriter.Create(destination);
            var writer = new Base64PipeWriter(pipe);
            for (int at = 0; at < content.Length;)
            {
                int bytes = Math.Min(content.Length - at, random.Next(1, seed % 2 == 0 ? 10 : 250_000));
                content.AsSpan(at, bytes).CopyTo(writer.GetSpan(bytes));
                writer.Advance(bytes);
                at += bytes;
            }

            writer.Pad();
            await pipe.FlushAsync();
            Assert.Equal(Convert.ToBase64String(content), Encoding.ASCII.GetString(destination.ToArray()));
            Assert.Equal(Base64PipeWriter.Encoded(content.Length), destination.Length);
        }
    }

    [Fact]
    public void A_chunk_fits_into_the_block_of_a_connection()
    {
        using ServiceProvider services = new ServiceCollection().AddMillraceMemory().BuildServiceProvider();
        int block = services.GetRequiredService<IMemoryPoolFactory<byte>>().Create().MaxBufferSize;
        Assert.True(ChunkPlan.DefaultBytes + ChunkHeader.MaxBytes <= block);
        Assert.True(ChunkPlan.DefaultTextBytes + (2 * ChunkHeader.MaxBytes) + 6 <= Base64PipeWriter.BytesIn(block));
    }
}
