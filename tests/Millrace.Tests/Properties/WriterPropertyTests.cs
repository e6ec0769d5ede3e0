using System.Security.Cryptography;
using FsCheck;
using FsCheck.Fluent;

namespace Millrace.Tests.Properties;

/// <summary>Whatever is done with a writer, exactly the accepted bytes are published.</summary>
public sealed class WriterPropertyTests
{
    private const int Block = 256 * 1024;

    private static readonly Gen<int> Sizes = Gen.Frequency(
        (6, Gen.Choose(0, 1_000)),
        (3, Gen.Choose(4_000, 5_000)),
        (2, Gen.Choose(0, Block + 10)),
        (1, Gen.Choose(Block, 3 * Block)));

    private static readonly Gen<WriterStep> Steps = Gen.Frequency(
        (6, from hint in Sizes from used in Gen.Choose(0, 1_000) select (WriterStep)new WriterStep.Gather(hint, used)),
        (6, from bytes in Sizes select (WriterStep)new WriterStep.Write(bytes)),
        (3, Gen.Constant<WriterStep>(new WriterStep.Flush())),
        (1, from before in Gen.Elements(false, true) select (WriterStep)new WriterStep.FlushWithToken(before)),
        (1, Gen.Constant<WriterStep>(new WriterStep.CancelPendingFlush())));

    private static readonly Gen<WriterCase> Cases =
        from kind in Gen.Elements(WriterKind.All.Select(kind => kind.Name).ToArray())
        from count in Gen.Choose(0, 40)
        from steps in Gen.ListOf(Steps, count)
        select new WriterCase(kind, [.. steps]);

    [Fact]
    public void A_writer_publishes_exactly_what_it_accepted() => RandomCases.Check(
        Arb.From(Cases, Shrink), CheckAsync, perRun: 200, perSoak: 5_000);

    private static IEnumerable<WriterCase> Shrink(WriterCase value)
    {
        for (int i = 0; i < value.Steps.Count; i++)
        {
            yield return value with { Steps = [.. value.Steps.Take(i), .. value.Steps.Skip(i + 1)] };
        }
    }

    private static async Task CheckAsync(WriterCase given)
    {
        using var folder = new TemporaryFolder();
        WriterKind kind = WriterKind.Of(given.Kind);
        CommitResult commit;
        int accepted = 0;
        await using (FilePipeWriter writer = kind.Create(folder["file"]))
        {
            foreach (WriterStep step in given.Steps)
            {
                accepted = await DoAsync(writer, step, accepted);
                Assert.Equal(accepted, writer.Position);
                Assert.InRange(writer.UnflushedBytes, 0, accepted);
                Assert.False(File.Exists(folder["file"]));
            }

            commit = await CommitAsync(writer);
        }

        ReadOnlyMemory<byte> expected = TestContent.Of(accepted);
        Assert.Equal(accepted, commit.Length);
        Assert.True(expected.Span.SequenceEqual(File.ReadAllBytes(folder["file"])), "The file differs from the accepted bytes.");
        Assert.Equal(["file"], folder.Names);
        if (kind.Options.ComputeSha256)
        {
            Assert.Equal(SHA256.HashData(expected.Span), commit.Sha256.ToArray());
        }
    }

    /// <returns>How many bytes the writer has accepted in all.</returns>
    private static async Task<int> DoAsync(FilePipeWriter writer, WriterStep step, int accepted)
    {
        switch (step)
        {
            case WriterStep.Gather(var hint, var thousandths):
                Memory<byte> memory = writer.GetMemory(hint);
                int used = (int)((long)hint * thousandths / 1_000);
                TestContent.Between(accepted, accepted + used).CopyTo(memory);
                writer.Advance(used);
                return accepted + used;
            case WriterStep.Write(var bytes):
                await writer.WriteAsync(TestContent.Between(accepted, accepted + bytes));
                return accepted + bytes;
            case WriterStep.CancelPendingFlush:
                writer.CancelPendingFlush();
                return accepted;
            case WriterStep.FlushWithToken(var before):
                using (var source = new CancellationTokenSource())
                {
                    if (before)
                    {
                        await source.CancelAsync();
                    }

                    ValueTask<FlushResult> flush = writer.FlushAsync(source.Token);
                    await source.CancelAsync();
                    await IgnoringCancellation(flush);
                }

                return accepted;
            default:
                await writer.FlushAsync();
                return accepted;
        }
    }

    private static async Task IgnoringCancellation(ValueTask<FlushResult> flush)
    {
        try
        {
            await flush;
        }
        catch (OperationCanceledException)
        {
            // Or it was faster.
        }
    }

    /// <summary>A pending cancellation may end the first commit; nothing is lost by it.</summary>
    private static async Task<CommitResult> CommitAsync(FilePipeWriter writer)
    {
        try
        {
            return await writer.CommitAsync();
        }
        catch (OperationCanceledException)
        {
            return await writer.CommitAsync();
        }
    }
}
