using System.IO.Pipelines;
using System.Reflection;
using Millrace.Transfer.Server;

namespace Millrace.Transfer.Tests.Uploading;

/// <summary>Connections cut at random bytes; the file is whole in the end, and nothing is visible before.</summary>
public sealed class CutUploadTests : ServerTest
{
    private const int Cuts = 3;

    [Theory, EveryProtocol]
    public async Task Uploads_that_are_cut_at_random_bytes_arrive_whole(TransferProtocol protocol)
    {
        int times = Soak.Times(20, 500);
        long attempts = 0;
        for (int i = 0; i < times; i++)
        {
            var random = new Random(i);
            byte[] content = Content.Random(random.Next(300_000, 3_000_000), i);
            string path = Folder.Write("x", content);
            await using TestRelay relay = Server.Behind(protocol, connection => Plan(connection, random, content.Length));
            using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);

            TransferResult result = await client.PutAsync(path, Clients.Name($"{protocol}-{i}"));

            attempts += result.Attempts;
            Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf($"{protocol}-{i}")));
            Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
        }

        Assert.True(attempts > times, "No upload was interrupted.");
    }

    [Theory, EveryProtocol]
    public async Task Pipe_resumes_from_its_retained_bytes(TransferProtocol protocol)
    {
        byte[] content = Content.Random(20_000_000);
        await using TestRelay relay = Server.Behind(
            protocol, connection => connection < 4 ? new RelayPlan { CutUpAfter = 3_000_000 + (connection * 1_234_567) } : RelayPlan.Clear);
        using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);

        TransferResult result = await client.PutAsync(PipeReader.Create(new MemoryStream(content)), Clients.Name("x"));

        Assert.True(result.Attempts > 1);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    [Theory, EveryProtocol]
    public async Task Bytes_on_the_server_are_not_sent_again(TransferProtocol protocol)
    {
        byte[] content = Content.Random(24_000_000);
        await using TestRelay relay = Server.Behind(
            protocol, _ => new RelayPlan { CutUpAfter = 20_000_000, Once = true });
        using TransferClient client = Clients.To(relay.Files, options =>
        {
            options.Protocol = protocol;
            options.MaxConnections = 1;
        });

        TransferResult result = await client.PutAsync(Folder.Write("x", content), Clients.Name("x"));

        // The bytes in the sockets' buffers are lost when it is cut.
        Assert.Equal(2, result.Attempts);
        Assert.InRange(result.BytesSent, 24_000_000, 36_000_000);
    }

    [NeedsTheory(Need.Wine, "ends no send that waits for ever"), EveryProtocol]
    public async Task Stalled_connection_counts_as_dead(TransferProtocol protocol)
    {
        byte[] content = Content.Random(24_000_000);
        await using TestRelay relay = Server.Behind(
            protocol, _ => new RelayPlan { StallUpAfter = 1_000_000, Once = true });
        using TransferClient client = Clients.To(
            relay.Files,
            options =>
            {
                options.Protocol = protocol;
                options.MaxAttempts = 10_000;

                // Pings, which show a dead connection of HTTP/2, are a second apart at least.
                options.IdleTimeout = TimeSpan.FromMilliseconds(protocol == TransferProtocol.Grpc ? 2000 : 400);
            });

        TransferResult result = await client.PutAsync(Folder.Write("x", content), Clients.Name("x"));

        Assert.True(result.Attempts > 1);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    [Theory, EveryProtocol]
    public async Task A_canceled_upload_leaves_nothing_visible(TransferProtocol protocol)
    {
        string path = Folder.Write("x", Content.Random(24_000_000));
        await using TestRelay relay = Server.Behind(protocol, _ => new RelayPlan { BytesPerSecond = 10_000_000 });
        using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);
        using var cancel = new CancellationTokenSource();
        var progress = new Reports(report =>
        {
            if (report.Transferred > 1_000_000)
            {
                cancel.Cancel();
            }
        });

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => client.PutAsync(path, Clients.Name("x"), default, progress, cancel.Token));

        Assert.Empty(Server.Visible());
    }

    [Theory, EveryProtocol]
    public async Task Upload_that_is_canceled_while_the_server_begins_it_leaves_nothing(TransferProtocol protocol)
    {
        using var cancel = new CancellationTokenSource();
        string root = Directory.CreateDirectory(Folder["served"]).FullName;
        await using var store = new LocalFileStore(root);
        await using TestServer server = await TestServer.StartAsync(options => options.FileStore = BeginningStore.Of(store, cancel));

        // A busy machine may need longer than a client waits that was canceled.
        using TransferClient client = Clients.WithoutTime(server.Files, protocol);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => client.PutAsync(Folder.Write("x", Content.Random(1_000_000)), Clients.Name("x"), default, null, cancel.Token));
        Assert.True(cancel.IsCancellationRequested);
        Assert.Empty(Directory.GetFiles(Path.Combine(root, ".millrace"), "data", SearchOption.AllDirectories));
    }

    /// <summary>A store that cancels the client when it has begun an upload, before the server says so.</summary>
    public class BeginningStore : DispatchProxy
    {
        private object _inner = null!;
        private IUploadStore? _uploads;
        private CancellationTokenSource _cancel = null!;

        public static IFileStore Of(IFileStore store, CancellationTokenSource cancel)
        {
            IFileStore beginning = Create<IFileStore, BeginningStore>();
            IUploadStore uploads = Create<IUploadStore, BeginningStore>();
            ((BeginningStore)uploads)._inner = store.Uploads;
            ((BeginningStore)uploads)._cancel = cancel;
            ((BeginningStore)beginning)._inner = store;
            ((BeginningStore)beginning)._uploads = uploads;
            return beginning;
        }

        protected override object? Invoke(MethodInfo? targetMethod, object?[]? args) => targetMethod!.Name switch
        {
            nameof(IFileStore.Within) or nameof(IFileStore.OnBehalfOf) => this,
            $"get_{nameof(IFileStore.Uploads)}" => _uploads,
            nameof(IUploadStore.StartAsync) => new ValueTask<StoredUpload>(StartAsync((StartUploadOptions)args![0]!, (CancellationToken)args[1]!)),
            _ => targetMethod.Invoke(_inner, BindingFlags.DoNotWrapExceptions, null, args, null),
        };

        private async Task<StoredUpload> StartAsync(StartUploadOptions options, CancellationToken cancellationToken)
        {
            StoredUpload upload = await ((IUploadStore)_inner).StartAsync(options, cancellationToken);
            await _cancel.CancelAsync();
            return upload;
        }
    }

    private static RelayPlan Plan(int connection, Random random, int bytes)
    {
        lock (random)
        {
            return connection >= Cuts
                ? RelayPlan.Clear
                : random.Next(4) == 0
                    ? new RelayPlan { CutDownAfter = random.Next(0, 2000), Reset = random.Next(2) == 0 }
                    : new RelayPlan { CutUpAfter = random.Next(0, bytes), Reset = random.Next(2) == 0 };
        }
    }
}
