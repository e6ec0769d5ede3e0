using Millrace.Transfer.Tests.Deltas;

namespace Millrace.Transfer.Tests.Killed;

/// <summary>The server is killed in the middle of uploads: nothing is visible, and the client goes on with the next one.</summary>
public sealed class KilledServerTests
{
    private const int Bytes = 24_000_000;

    [Theory]
    [InlineData(TransferProtocol.Http1)]
    [InlineData(TransferProtocol.Tus)]
    [InlineData(TransferProtocol.Grpc)]
    [InlineData(TransferProtocol.GrpcWeb)]
    public async Task Uploads_resume_after_the_server_was_killed_and_nothing_was_visible_before(TransferProtocol protocol)
    {
        using var folder = new TemporaryFolder();
        string root = Directory.CreateDirectory(folder["served"]).FullName;
        byte[] content = Content.Random(Bytes);
        string path = folder.Write("x", content);
        ServerProcess server = await ServerProcess.StartAsync(root);
        await using var relay = new TestRelay(() => protocol == TransferProtocol.Grpc ? server.Http2Port : server.Port);
        using TransferClient client = PatientClient(relay, protocol, TransferDelta.Auto);
        int kills = Soak.Times(3, 50);
        try
        {
            for (int i = 0; i < kills; i++)
            {
                long at = new Random(i).Next(1, Bytes / 2);
                TransferName name = Clients.Name($"file-{i}");
                Task<TransferResult> upload = await BeginAsync(at, progress => client.PutAsync(path, name, default, progress));
                await server.KillAsync();
                bool visible = File.Exists(Path.Combine(root, name.Value));
                Assert.True(!visible || new FileInfo(Path.Combine(root, name.Value)).Length == Bytes, "A part of a file was visible.");
                await server.DisposeAsync();
                server = await ServerProcess.StartAsync(root);

                TransferResult result = await upload;

                Assert.Equal(content, await File.ReadAllBytesAsync(Path.Combine(root, name.Value)));
                Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
                File.Delete(Path.Combine(root, name.Value));
            }
        }
        finally
        {
            await server.DisposeAsync();
        }
    }

    [Theory]
    [InlineData(TransferProtocol.Http1)]
    [InlineData(TransferProtocol.Tus)]
    [InlineData(TransferProtocol.Grpc)]
    public async Task Deltas_resume_after_the_server_was_killed_and_the_old_version_stays_until_then(TransferProtocol protocol)
    {
        using var folder = new TemporaryFolder();
        string root = Directory.CreateDirectory(folder["served"]).FullName;
        string target = Path.Combine(root, "x");
        byte[] old = Content.Random(Bytes / 2, 1);
        byte[] content = [.. Content.Random(Bytes / 4, 2), .. old.AsSpan(1000), .. Content.Random(Bytes / 4, 3)];
        string path = folder.Write("x", content);
        ServerProcess server = await ServerProcess.StartAsync(root);
        await using var relay = new TestRelay(() => protocol == TransferProtocol.Grpc ? server.Http2Port : server.Port);
        using TransferClient client = PatientClient(relay, protocol, TransferDelta.Always);
        int kills = Soak.Times(3, 50);
        try
        {
            for (int i = 0; i < kills; i++)
            {
                File.WriteAllBytes(target, old);
                long at = new Random(i).Next(1, content.Length);
                Task<TransferResult> upload = await BeginAsync(at, progress => client.PutAsync(path, Clients.Name("x"), default, progress));
                await server.KillAsync();
                byte[] visible = await File.ReadAllBytesAsync(target);
                Assert.True(visible.AsSpan().SequenceEqual(old) || visible.AsSpan().SequenceEqual(content), "A part of a file was visible.");
                await server.DisposeAsync();
                server = await ServerProcess.StartAsync(root);

                TransferResult result = await upload;

                Assert.Equal(content, await File.ReadAllBytesAsync(target));
                Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
            }
        }
        finally
        {
            await server.DisposeAsync();
        }
    }

    [Theory]
    [InlineData(TransferProtocol.Http1)]
    [InlineData(TransferProtocol.Tus)]
    [InlineData(TransferProtocol.Grpc)]
    public async Task Sparse_files_resume_in_both_directions_after_the_server_was_killed(TransferProtocol protocol)
    {
        using var folder = new TemporaryFolder();
        string root = Directory.CreateDirectory(folder["served"]).FullName;
        string target = Path.Combine(root, "x");
        string path = folder["x"];
        byte[] content = SparseFiles.Write(path, 3L * Bytes, 2, (Bytes / 4, Bytes / 4), (Bytes, Bytes / 4), (5 * Bytes / 2, Bytes / 4));
        ServerProcess server = await ServerProcess.StartAsync(root);
        await using var relay = new TestRelay(() => protocol == TransferProtocol.Grpc ? server.Http2Port : server.Port);
        using TransferClient client = PatientClient(relay, protocol, TransferDelta.Always);
        int kills = Soak.Times(3, 50);
        try
        {
            for (int i = 0; i < kills; i++)
            {
                long at = new Random(i).Next(1, content.Length);
                Task<TransferResult> upload = await BeginAsync(at, progress => client.PutAsync(path, Clients.Name("x"), default, progress));
                await server.KillAsync();
                Assert.True(!File.Exists(target) || File.ReadAllBytes(target).AsSpan().SequenceEqual(content), "A part of a file was visible.");
                await server.DisposeAsync();
                server = await ServerProcess.StartAsync(root);

                TransferResult result = await upload;

                Assert.Equal(content, await File.ReadAllBytesAsync(target));
                Assert.Equal(Sha256Digest.Compute(content), result.Sha256);

                // And back.
                Task<TransferResult> download = await BeginAsync(at, progress => client.GetAsync(Clients.Name("x"), folder["y"], default, progress));
                await server.KillAsync();
                await server.DisposeAsync();
                server = await ServerProcess.StartAsync(root);
                await download;
                Assert.Equal(content, await File.ReadAllBytesAsync(folder["y"]));
                if (SparseFiles.AreSupported)
                {
                    Assert.InRange(SparseFiles.ExtentsOf(target).DataBytes, 0, Bytes);
                    Assert.InRange(SparseFiles.ExtentsOf(folder["y"]).DataBytes, 0, Bytes);
                }

                File.Delete(target);
                File.Delete(folder["y"]);
            }
        }
        finally
        {
            await server.DisposeAsync();
        }
    }

    /// <summary>A client that goes on until the next server has started, however busy the machine is.</summary>
    private static TransferClient PatientClient(TestRelay relay, TransferProtocol protocol, TransferDelta delta) => Clients.To(
        relay.Files, options =>
        {
            options.Protocol = protocol;
            options.Delta = delta;
            options.MaxAttempts = 10_000;
            options.MaxDelay = TimeSpan.FromMilliseconds(50);
        });

    /// <summary>Returns a transfer when it has moved so many bytes, or has ended.</summary>
    private static async Task<Task<TransferResult>> BeginAsync(long at, Func<Reports, Task<TransferResult>> start)
    {
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<TransferResult> transfer = start(new Reports(report =>
        {
            if (report.Transferred >= at)
            {
                begun.TrySetResult();
            }
        }));
        await Task.WhenAny(begun.Task, transfer);
        return transfer;
    }
}
