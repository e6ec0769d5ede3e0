using FsCheck;
using FsCheck.Fluent;

namespace Millrace.Tests.Copying;

/// <summary>
/// Whatever was read before and is held by the writer: a copy is the destination's earlier content followed by the rest of the source,
/// and both are right afterwards. The model is an array.
/// </summary>
public sealed class CopyToPropertyTests
{
    private const int Block = 256 * 1024;

    private static readonly Gen<int> Lengths = Gen.Frequency(
        (1, Gen.Choose(0, 2)),
        (2, Gen.Choose(0, 10_000)),
        (2, Gen.Choose(Block - 2, Block + 2)),
        (4, Gen.Choose(Block, 6 * Block)));

    private static readonly Gen<CopyToCase> Cases =
        from length in Lengths
        from strategy in Gen.Elements(Enum.GetValues<ReadStrategy>())
        from portable in Gen.Frequency((3, Gen.Constant(false)), (1, Gen.Constant(true)))
        from chunk in Gen.Elements(0, 7, 4096, Block)
        from offset in Gen.Frequency((2, Gen.Constant(0)), (1, Gen.Choose(0, length + 10)))
        from part in Gen.Frequency((2, Gen.Constant(-1)), (1, Gen.Choose(0, length + 10)))
        from consumed in Gen.Frequency((1, Gen.Constant(0)), (2, Gen.Choose(0, 1_000)))
        from examined in Gen.Choose(0, 1_000)
        from target in Gen.Elements(Enum.GetValues<CopyTarget>())
        from before in Gen.Frequency((1, Gen.Constant(0)), (2, Gen.Choose(0, 2 * Block)))
        from portableWriter in Gen.Frequency((3, Gen.Constant(false)), (1, Gen.Constant(true)))
        select new CopyToCase(
            length,
            new FileReadOptions
            {
                Strategy = strategy,
                Portable = portable,
                BufferSize = chunk,
                Offset = offset,
                Length = part < 0 ? null : part,
            },
            consumed,
            examined,
            target,
            before,
            portableWriter);

    [Fact]
    public void A_copy_is_added_after_existing_bytes() => RandomCases.Check(
        Arb.From(Cases), CheckAsync, perRun: 150, perSoak: 3_000);

    private static async Task CheckAsync(CopyToCase given)
    {
        using var folder = new TemporaryFolder();
        string source = folder["source"];
        await File.WriteAllBytesAsync(source, TestContent.Of(given.FileLength).ToArray());
        byte[] before = TestContent.Inverted(given.Before);
        switch (given.Target)
        {
            case CopyTarget.ReaderToFileStream:
                await using (FilePipeReader reader = FilePipe.OpenRead(source, given.Reading))
                {
                    int from = await ReadSomeAsync(reader, given);
                    await using (FileStream stream = File.Create(folder["copy"]))
                    {
                        await stream.WriteAsync(before);
                        await reader.CopyToAsync(stream).Soon();
                        Assert.Equal(before.Length + Rest(given, from).Length, stream.Position);
                    }

                    Assert.Equal(Math.Max(from, End(given)), reader.Position);
                    AssertCopy(folder, given, before, from);
                }

                break;
            case CopyTarget.ReaderToWriter:
                await using (FilePipeReader reader = FilePipe.OpenRead(source, given.Reading))
                {
                    int from = await ReadSomeAsync(reader, given);
                    await WriteAsync(folder, given, before, writer => reader.CopyToAsync(writer));
                    Assert.Equal(Math.Max(from, End(given)), reader.Position);
                    AssertCopy(folder, given, before, from);
                }

                break;
            default:
                int start = (int)Math.Min(given.FileLength, given.Reading.Offset);
                await using (Stream stream = given.Target == CopyTarget.FileStreamToWriter
                    ? File.OpenRead(source)
                    : new MemoryStream(TestContent.Of(given.FileLength).ToArray()))
                {
                    stream.Position = start;
                    await WriteAsync(folder, given, before, writer => stream.CopyToAsync(writer));
                    Assert.Equal(given.FileLength, stream.Position);
                }

                AssertCopy(folder, given with { Reading = default }, before, start);
                break;
        }
    }

    private static async Task WriteAsync(TemporaryFolder folder, CopyToCase given, byte[] before, Func<PipeWriter, Task> copy)
    {
        await using FilePipeWriter writer = FilePipe.Create(
            folder["copy"], new FileWriteOptions { Durability = Durability.None, Portable = given.PortableWriter });
        writer.Write(before);
        await copy(writer).Soon();

        // A copy of nothing writes nothing.
        Assert.True(writer.UnflushedBytes == 0 || writer.Position == before.Length);
        await writer.CommitAsync();
    }

    /// <returns>Where the reader is.</returns>
    private static async Task<int> ReadSomeAsync(FilePipeReader reader, CopyToCase given)
    {
        ReadResult result = await reader.ReadAsync().Soon();
        int consumed = (int)(result.Buffer.Length * given.Consumed / 1_000);
        int examined = consumed + (int)((result.Buffer.Length - consumed) * given.Examined / 1_000);
        reader.AdvanceTo(result.Buffer.GetPosition(consumed), result.Buffer.GetPosition(examined));
        return (int)reader.Position;
    }

    private static int End(CopyToCase given) => (int)Math.Min(
        given.FileLength, given.Reading.Length is { } length ? given.Reading.Offset + length : long.MaxValue);

    private static ReadOnlyMemory<byte> Rest(CopyToCase given, int from) =>
        TestContent.Between(from, Math.Max(from, End(given)));

    private static void AssertCopy(TemporaryFolder folder, CopyToCase given, byte[] before, int from) =>
        Assert.True(
            File.ReadAllBytes(folder["copy"]).AsSpan().SequenceEqual([.. before, .. Rest(given, from).Span]),
            "the copy is not the earlier content and the rest of the source");
}
