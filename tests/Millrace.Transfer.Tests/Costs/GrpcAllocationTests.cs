using System.Diagnostics;
using System.Globalization;

namespace Millrace.Transfer.Tests.Costs;

/// <summary>
/// What gRPC allocates on the direct way, in a process whose pool of arrays keeps what HttpClient gives back: its buffer of
/// HTTP/2 grows to the window by arrays that the pool drops otherwise.
/// </summary>
[Trait("Tier", "All")]
[Collection(nameof(ClientAllocationTests))]
public sealed class GrpcAllocationTests
{
    private const string PoolVariable = "DOTNET_SYSTEM_BUFFERS_SHAREDARRAYPOOL_MAXARRAYSPERPARTITION";

    [NeedsTheory(Need.Release | Need.Wine, "makes .NET allocate more")]
    [InlineData(TransferProtocol.Grpc, TransferCompression.None, 512)]
    [InlineData(TransferProtocol.Grpc, TransferCompression.Gzip, 1024)]
    [InlineData(TransferProtocol.GrpcWeb, TransferCompression.None, 512)]
    [InlineData(TransferProtocol.GrpcWeb, TransferCompression.Gzip, 1024)]
    [InlineData(TransferProtocol.GrpcWebText, TransferCompression.None, 512)]
    public async Task Transfer_of_24_MB_stays_within_its_allocation_bounds(
        TransferProtocol protocol, TransferCompression compression, int maxKibibytes)
    {
        using var folder = new TemporaryFolder();
        string program = Path.Combine(AppContext.BaseDirectory, "Millrace.Transfer.Tests.Child.dll");
        var start = new ProcessStartInfo("dotnet", ["exec", program, folder.Path, $"{protocol}", $"{compression}"])
        {
            // As the command sets it: enough arrays of 16 KiB for a window of 16 MiB.
            Environment = { [PoolVariable] = "1024" },
            RedirectStandardOutput = true,
            UseShellExecute = false,
        };
        using Process process = Process.Start(start)!;
        using var bound = new CancellationTokenSource(TimeSpan.FromMinutes(5));
        using CancellationTokenRegistration _ = bound.Token.Register(() => process.Kill());
        string text = await process.StandardOutput.ReadToEndAsync(CancellationToken.None);
        await process.WaitForExitAsync(CancellationToken.None);

        long[] allocated = [.. text.Split(' ').Select(bytes => long.Parse(bytes, CultureInfo.InvariantCulture))];

        Assert.True(allocated[0] <= maxKibibytes * 1024L, $"An upload allocated {allocated[0]} bytes.");
        Assert.True(allocated[1] <= maxKibibytes * 1024L, $"A download allocated {allocated[1]} bytes.");
    }
}
