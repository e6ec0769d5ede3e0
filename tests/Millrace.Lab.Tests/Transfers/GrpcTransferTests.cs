using System.Net;
using System.Net.Sockets;
using Grpc.Core;

namespace Millrace.Lab.Tests.Transfers;

/// <summary>The rows over others' libraries of gRPC.</summary>
public sealed class GrpcTransferTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly ServerEnd _server;

    public GrpcTransferTests() => _server = ServerEnd.Start(_folder.Path);

    public void Dispose()
    {
        _server.Dispose();
        _folder.Dispose();
    }

    public static TheoryData<string> Rows => [.. Methods.Select(method => method.Name)];

    private static IEnumerable<TransferMethod> Methods => TransferMethod.All.Where(method => method.Peers is { WhyNot: null });

    [NeedsFact(Need.Native)]
    public void Linux_has_all_rows() => Assert.Equal(9, Methods.Count());

    [Theory]
    [MemberData(nameof(Rows))]
    public async Task File_is_the_same_after_a_transfer_in_each_direction(string row)
    {
        TestFile file = TestFile.OfRandom(TransferFolders.Server(_folder.Path), 300_001);
        TestFileMaker.Write(file, TestFileMaker.LargeWrite);
        foreach ((int buffer, bool gzip) in
            from buffer in TransfersSuite.FullBuffers from gzip in new[] { false, true } select (buffer, gzip))
        {
            await MoveAsync(row, buffer, gzip, file);
            TransferContent.Verify(TransferFolders.Downloaded(_folder.Path), file);
            if (TransferMethod.Find(row).Moves(TransferDirection.Upload))
            {
                TransferContent.Verify(TransferFolders.Uploaded(_folder.Path), file);
            }

            TransferFolders.Clear(_folder.Path);
        }
    }

    [Theory]
    [MemberData(nameof(Rows))]
    public async Task Empty_file_arrives(string row)
    {
        var file = new TestFile(Path.Combine(TransferFolders.Server(_folder.Path), "empty"), 0, 0, Generated: true);
        await File.WriteAllBytesAsync(file.Path, []);
        await MoveAsync(row, 4096, withGzip: false, file);
        Assert.Equal(0, new FileInfo(TransferFolders.Downloaded(_folder.Path)).Length);
        Assert.Equal(TransferMethod.Find(row).Moves(TransferDirection.Upload), File.Exists(TransferFolders.Uploaded(_folder.Path)));
    }

    [Theory]
    [MemberData(nameof(Rows))]
    public async Task Missing_file_fails_the_case(string row)
    {
        var missing = new TestFile(_folder["missing"], 1, 0, Generated: true);
        await Assert.ThrowsAsync<RpcException>(() => MoveAsync(row, 4096, withGzip: false, missing));
    }

    [Theory]
    [MemberData(nameof(Rows))]
    public async Task Gzip_sends_less_than_half_of_the_bytes_of_text(string row)
    {
        TestFile lines = TestFile.OfFirstLines(TransferFolders.Server(_folder.Path));
        TestFileMaker.Write(lines, TestFileMaker.LargeWrite);
        string address = await AddressOfAsync(row);
        foreach (TransferDirection direction in Enum.GetValues<TransferDirection>().Where(TransferMethod.Find(row).Moves))
        {
            long plain = await CountAsync(address, proxy => MoveAsync(row, 65536, withGzip: false, lines, proxy, direction));
            long coded = await CountAsync(address, proxy => MoveAsync(row, 65536, withGzip: true, lines, proxy, direction));
            Assert.InRange(plain, lines.Bytes, 2 * lines.Bytes);
            Assert.InRange(coded, lines.Bytes / 10, lines.Bytes / 2);
        }
    }

    [Fact]
    [Trait("Tier", "All")]
    public void Each_end_has_its_meters()
    {
        LaunchResult launch = SmallTransfers.Launch(_folder, LabMode.Quick, rounds: 1, [.. Methods.Select(method => $"{method.Name}/csv/*/65536/*/coding none/*")]);
        Assert.Empty(launch.Absent);
        CaseResult[] cases = [.. launch.Cases.Values];
        Assert.Equal(Methods.Sum(method => method.Moves(TransferDirection.Upload) ? 2 : 1), cases.Length);
        Assert.All(cases, item =>
        {
            Assert.Null(item.Error);
            Assert.Equal(OperatingSystem.IsLinux(), item.Verified);
            Assert.InRange(item.Samples!.UserCpuNs.Sum() + item.Samples.SystemCpuNs.Sum(), 1, long.MaxValue);
            Assert.InRange(item.Samples.ServerCpuNs!.Sum(), 1, long.MaxValue);
            Assert.All(
                item.Samples.ServerAllocatedBytes!,
                bytes => Assert.Equal(item.Method.EndsWith("ByteArray", StringComparison.Ordinal), bytes >= item.Parameters.Bytes));
        });
    }

    private async Task<string> AddressOfAsync(string row) => await GrpcServers.FindAsync(_server.Address, TransferMethod.Find(row).Peers!.Server);

    // Both directions, where the row has them, unless one is given.
    private async Task MoveAsync(
        string row, int buffer, bool withGzip, TestFile file, string? address = null, TransferDirection? direction = null)
    {
        TransferMethod method = TransferMethod.Find(row);
        await using var client = new GrpcFilesClient(method.Peers!, address ?? await AddressOfAsync(row), buffer, withGzip);
        if (direction is not TransferDirection.Upload)
        {
            await client.DownloadAsync(file, TransferFolders.Downloaded(_folder.Path));
        }

        if (direction is not TransferDirection.Download && method.Moves(TransferDirection.Upload))
        {
            await client.UploadAsync(file, TransferFolders.UploadedName);
        }
    }

    /// <returns>The bytes in both directions of connections to a server.</returns>
    private static async Task<long> CountAsync(string server, Func<string, Task> use)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var end = new CancellationTokenSource();
        long bytes = 0;
        Task relaying = RelayAsync();
        await use($"{listener.LocalEndpoint}");
        await end.CancelAsync();
        await relaying;
        return bytes;

        async Task RelayAsync()
        {
            List<Task> copies = [];
            while (await AcceptAsync() is { } near)
            {
                Socket far = new(SocketType.Stream, ProtocolType.Tcp);
                await far.ConnectAsync(IPEndPoint.Parse(server));
                copies.AddRange([CopyAsync(near, far), CopyAsync(far, near)]);
            }

            await Task.WhenAll(copies);
        }

        async Task<Socket?> AcceptAsync()
        {
            try
            {
                return await listener.AcceptSocketAsync(end.Token);
            }
            catch (OperationCanceledException)
            {
                return null;
            }
        }

        // Counts before it sends, so that every received message is counted.
        async Task CopyAsync(Socket from, Socket to)
        {
            byte[] buffer = new byte[65536];
            try
            {
                while (await from.ReceiveAsync(buffer, end.Token) is var read and > 0)
                {
                    Interlocked.Add(ref bytes, read);
                    for (int sent = 0; sent < read;)
                    {
                        sent += await to.SendAsync(buffer.AsMemory(sent, read - sent), end.Token);
                    }
                }
            }
            catch (Exception exception) when (exception is OperationCanceledException or SocketException or ObjectDisposedException)
            {
                // The client or the test has ended the connection.
            }

            from.Dispose();
            to.Dispose();
        }
    }
}
