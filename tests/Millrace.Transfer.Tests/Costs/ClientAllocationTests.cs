namespace Millrace.Transfer.Tests.Costs;

/// <summary>Allocations of a transfer, at both ends together: they are one process here.</summary>
[CollectionDefinition(nameof(ClientAllocationTests), DisableParallelization = true)]
[Collection(nameof(ClientAllocationTests))]
public sealed class ClientAllocationTests : ServerTest
{
    private const long Most = 2 * 256 * 1024;

    [NeedsTheory(Need.Release)]
    [InlineData(TransferProtocol.Http1, true)]
    [InlineData(TransferProtocol.Http1, false)]
    [InlineData(TransferProtocol.GrpcWeb, true)]
    [InlineData(TransferProtocol.GrpcWebText, true)]
    public async Task Transfers_of_24_MB_allocate_no_more_than_256_KiB_at_either_end(TransferProtocol protocol, bool digests)
    {
        using TransferClient client = Server.Connect(options =>
        {
            options.Protocol = protocol;
            options.VerifyDigests = digests;
        });
        string path = Folder.Write("x", Content.Random(24_000_000));
        long up = long.MaxValue;
        long down = long.MaxValue;

        // Pools fill, and code reaches its last form, in the first ones.
        for (int i = 0; i < 6; i++)
        {
            up = Math.Min(up, await AllocatedAsync(() => client.PutAsync(path, Clients.Name("x"))));
            down = Math.Min(down, await AllocatedAsync(() => client.GetAsync(Clients.Name("x"), Folder["y"])));
        }

        Assert.True(up <= Most, $"An upload allocated {up} bytes.");
        Assert.True(down <= Most, $"A download allocated {down} bytes.");
    }

    [Theory, EveryProtocol, InlineData(TransferProtocol.Http2)]
    public async Task Transfers_of_24_MB_allocate_no_large_object_at_either_end(TransferProtocol protocol)
    {
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);
        string path = Folder.Write("x", Content.Random(24_000_000));
        using var large = new LargeObjects();
        await large.MarkAsync<Guid>();
        for (int i = 0; i < 3; i++)
        {
            await client.PutAsync(path, Clients.Name("x"));
            await client.GetAsync(Clients.Name("x"), Folder["y"]);
        }

        await large.MarkAsync<decimal>();

        // The marks themselves say that others would have been seen.
        Assert.Equal(["System.Decimal[]", "System.Guid[]"], large.Types.Distinct().Order(StringComparer.Ordinal));
    }

    private static async Task<long> AllocatedAsync(Func<Task> transfer)
    {
        long before = GC.GetTotalAllocatedBytes(precise: true);
        await transfer();
        return GC.GetTotalAllocatedBytes(precise: true) - before;
    }
}
