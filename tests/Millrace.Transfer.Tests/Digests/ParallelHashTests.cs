namespace Millrace.Transfer.Tests.Digests;

public sealed class ParallelHashTests
{
    [Fact]
    public async Task Pieces_of_any_size_give_the_digest_of_the_whole()
    {
        using var hash = new ParallelHash();
        for (int seed = 0; seed < 50; seed++)
        {
            var random = new Random(seed);
            byte[] content = Content.Random(random.Next(0, 2_000_000), seed);
            for (int at = 0; at < content.Length;)
            {
                int count = Math.Min(random.Next(0, 100_000), content.Length - at);
                await hash.AppendAsync(content.AsMemory(at, count));
                at += count;
                if (random.Next(5) == 0)
                {
                    await hash.DrainAsync();
                }
            }

            Assert.Equal(content.Length, hash.Length);
            Assert.Equal(Sha256Digest.Compute(content), await hash.FinishAsync());
        }
    }

    [Fact]
    public async Task Drained_memory_belongs_to_the_caller_again()
    {
        using var hash = new ParallelHash();
        byte[] content = Content.Random(64 * 1024);
        byte[] shared = new byte[64 * 1024];
        using var expected = System.Security.Cryptography.IncrementalHash.CreateHash(System.Security.Cryptography.HashAlgorithmName.SHA256);
        for (int i = 0; i < 200; i++)
        {
            content[i] ^= 1;
            content.CopyTo(shared, 0);
            expected.AppendData(content);
            await hash.AppendAsync(shared);
            await hash.DrainAsync();
            shared.AsSpan().Clear();
        }

        Assert.Equal(new Sha256Digest(expected.GetHashAndReset()), await hash.FinishAsync());
    }
}
