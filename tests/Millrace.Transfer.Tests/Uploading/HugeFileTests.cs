using Millrace.Transfer.Server;
using Millrace.Transfer.Tests.Deltas;

namespace Millrace.Transfer.Tests.Uploading;

/// <summary>More than 32 bits count, in both directions.</summary>
[Trait("Tier", "Soak")]
[CollectionDefinition(nameof(HugeFileTests), DisableParallelization = true)]
[Collection(nameof(HugeFileTests))]
public sealed class HugeFileTests
{
    private static readonly byte[] Mark = "0123456789"u8.ToArray();

    /// <summary>Past int.MaxValue; with <c>./test --soak</c> 5 GiB, which is past uint.MaxValue too.</summary>
    private static long Length => Soak.Asked ? 5L * 1024 * 1024 * 1024 : 2_362_232_012;

    [Fact]
    public async Task Huge_file_makes_a_round_trip()
    {
        await using TestServer server = await TestServer.StartAsync(options =>
        {
            options.Store = new LocalFileStoreOptions { ComputeSha256 = false, Durability = Durability.None };
        });
        using var folder = new TemporaryFolder();
        using TransferClient client = server.Connect(options =>
        {
            options.Protocol = TransferProtocol.Http1;
            options.MaxConnections = 1;
            options.VerifyDigests = false;
            options.Durability = Durability.None;
        });
        MakeSparse(folder["mine"]);

        // As a stream, of which all zeros are sent.
        await using FileStream mine = File.OpenRead(folder["mine"]);
        TransferResult put = await client.PutAsync(mine, Clients.Name("huge"));
        TransferResult got = await client.GetAsync(Clients.Name("huge"), folder["back"]);

        Assert.Equal((Length, Length, 1), (put.Length, put.BytesSent, put.Attempts));
        Assert.Equal((Length, Length, 1), (got.Length, got.BytesSent, got.Attempts));
        await AssertSameAsync(folder["mine"], folder["back"]);
    }

    [Fact]
    public async Task Huge_sparse_file_makes_a_round_trip_without_its_zeros()
    {
        await using TestServer server = await TestServer.StartAsync();
        using var folder = new TemporaryFolder();
        using TransferClient client = server.Connect(options => options.Protocol = TransferProtocol.Http1);
        MakeSparse(folder["mine"]);

        TransferResult put = await client.PutAsync(folder["mine"], Clients.Name("huge"));
        TransferResult got = await client.GetAsync(Clients.Name("huge"), folder["back"]);

        Assert.Equal((Length, Length, put.Sha256), (put.Length, got.Length, got.Sha256));
        Assert.NotNull(put.Sha256);
        if (SparseFiles.AreSupported)
        {
            Assert.InRange(put.BytesSent, 0, 100_000);
            Assert.InRange(got.BytesSent, 0, 100_000);
            Assert.InRange(SparseFiles.ExtentsOf(folder["back"]).DataBytes, 1, 200_000);
        }

        await AssertSameAsync(folder["mine"], folder["back"]);
    }

    /// <summary>Only a few pieces of it are on the disk: its ends, and what 32 bits count wrongly.</summary>
    private static void MakeSparse(string path)
    {
        using FileStream file = new(path, FileMode.CreateNew);
        file.SetLength(Length);
        foreach (long at in (long[])[0, int.MaxValue, uint.MaxValue, Length - Mark.Length])
        {
            if (at < Length)
            {
                file.Position = at;
                file.Write(Mark);
            }
        }
    }

    private static async Task AssertSameAsync(string expected, string actual)
    {
        await using FileStream one = new(expected, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);
        await using FileStream two = new(actual, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);
        Assert.Equal(one.Length, two.Length);
        byte[] left = new byte[1024 * 1024];
        byte[] right = new byte[left.Length];
        while (await one.ReadAtLeastAsync(left, left.Length, throwOnEndOfStream: false) is var read and > 0)
        {
            await two.ReadExactlyAsync(right.AsMemory(0, read));
            Assert.True(left.AsSpan(0, read).SequenceEqual(right.AsSpan(0, read)), $"They differ before {one.Position}.");
        }
    }
}
