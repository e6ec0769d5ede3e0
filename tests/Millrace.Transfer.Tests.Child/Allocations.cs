using Millrace.Transfer.Server;

namespace Millrace.Transfer.Tests.Child;

/// <summary>Measures what transfers allocate in a process that does nothing else; client and server are both in it.</summary>
internal static class Allocations
{
    /// <summary>Pools fill, and code reaches its last form, in the first ones.</summary>
    private const int Times = 6;

    private const int Bytes = 24_000_000;

    /// <returns>The least that an upload and a download allocated, in bytes.</returns>
    public static async Task<(long Up, long Down)> MeasureAsync(string folder, TransferProtocol protocol, TransferCompression compression)
    {
        string source = Path.Combine(folder, "source");
        byte[] content = new byte[Bytes];
        new Random(1).NextBytes(content.AsSpan(0, Bytes / 2));
        await File.WriteAllBytesAsync(source, content);
        string served = Directory.CreateDirectory(Path.Combine(folder, "served")).FullName;
        await using TransferServer server = await TransferServer.StartAsync(
            new TransferHostOptions { Folder = served, Port = 0, Http2Port = 0, ShutdownTimeout = TimeSpan.Zero });
        using var client = new TransferClient(
            new Uri(server.Address, "/files/"), new TransferClientOptions { Protocol = protocol, Compression = compression });
        TransferName name = TransferName.Parse("x");
        (long up, long down) = (long.MaxValue, long.MaxValue);
        for (int i = 0; i < Times; i++)
        {
            up = Math.Min(up, await AllocatedAsync(() => client.PutAsync(source, name)));
            down = Math.Min(down, await AllocatedAsync(() => client.GetAsync(name, Path.Combine(folder, "copy"))));
        }

        return (up, down);
    }

    private static async Task<long> AllocatedAsync(Func<Task> transfer)
    {
        long before = GC.GetTotalAllocatedBytes(precise: true);
        await transfer();
        return GC.GetTotalAllocatedBytes(precise: true) - before;
    }
}
