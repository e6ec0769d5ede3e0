namespace Millrace.Transfer.Tests.Deltas;

/// <summary>Only the changes move, in both directions and over every protocol, and the result is the same as of a whole transfer.</summary>
public sealed class DeltaTransferTests : ServerTest
{
    private const int Bytes = 6_000_000;

    [Theory, EveryProtocol(ProtocolSet.AllAndHttp2)]
    public async Task Upload_sends_what_has_changed(TransferProtocol protocol)
    {
        byte[] old = Server.Write("x", Bytes);
        byte[] content = Edit(old);
        using TransferClient client = Connect(protocol);

        TransferResult result = await client.PutAsync(Folder.Write("x", content), Clients.Name("x"));

        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
        Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
        Assert.Equal(content.Length, result.Length);
        Assert.InRange(result.BytesReused, content.Length - 80_000, content.Length - 1);
        Assert.Equal(1, result.Attempts);
        Assert.InRange(result.BytesSent, 1, 80_000);
        Assert.Equal(["x"], Server.Visible());
    }

    [Theory, EveryProtocol(ProtocolSet.AllAndHttp2)]
    public async Task Download_fetches_what_has_changed(TransferProtocol protocol)
    {
        byte[] content = Server.Write("x", Bytes);
        string path = Folder.Write("x", Edit(content));
        using TransferClient client = Connect(protocol);

        TransferResult result = await client.GetAsync(Clients.Name("x"), path, new GetOptions { Resume = true });

        Assert.Equal(content, await File.ReadAllBytesAsync(path));
        Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
        Assert.Equal(content.Length, result.Length);
        Assert.InRange(result.BytesSent, 1, 80_000);
        Assert.Equal(["x"], Folder.Names);
    }

    [Theory, EveryProtocol]
    public async Task Same_file_moves_nothing(TransferProtocol protocol)
    {
        byte[] content = Server.Write("x", Bytes);
        string path = Folder.Write("x", content);
        using TransferClient client = Connect(protocol);

        TransferResult put = await client.PutAsync(path, Clients.Name("x"));
        TransferResult got = await client.GetAsync(Clients.Name("x"), path);

        Assert.InRange(put.BytesSent, 1, 20);
        Assert.Equal(0, got.BytesSent);
        Assert.Equal(content, await File.ReadAllBytesAsync(path));
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    [Theory, EveryProtocol]
    public async Task Files_with_nothing_in_common_move_whole(TransferProtocol protocol)
    {
        byte[] theirs = Server.Write("x", 2_000_000, seed: 1);
        byte[] mine = Content.Random(2_000_000, 2);
        using TransferClient client = Connect(protocol);
        string path = Folder.Write("x", mine);

        Assert.Equal(2_000_000, (await client.GetAsync(Clients.Name("x"), path)).BytesSent);
        Assert.Equal(theirs, await File.ReadAllBytesAsync(path));
        File.WriteAllBytes(path, mine);
        Assert.Equal(2_000_000, (await client.PutAsync(path, Clients.Name("x"))).BytesSent);
        Assert.Equal(mine, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    [Theory, EveryProtocol]
    public async Task Deltas_that_are_cut_at_random_bytes_arrive_whole(TransferProtocol protocol)
    {
        int times = Soak.Times(8, 200);
        long attempts = 0;
        for (int i = 0; i < times; i++)
        {
            var random = new Random(i);
            byte[] old = Server.Write("x", 3_000_000, seed: 1000 + i);
            byte[] content = [.. Content.Random(400_000, i), .. Edit(old), .. Content.Random(400_000, i + 1)];
            string path = Folder.Write("x", content);
            await using TestRelay relay = Server.Behind(
                protocol, connection => connection < 3 ? new RelayPlan { CutUpAfter = random.Next(20_000, 900_000) } : RelayPlan.Clear);
            using TransferClient client = Clients.To(relay.Files, options =>
            {
                options.Protocol = protocol;
                options.Delta = TransferDelta.Always;
            });

            TransferResult result = await client.PutAsync(path, Clients.Name("x"));
            attempts += result.Attempts;
            Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
            Assert.InRange(result.BytesSent, 800_000, 3_900_000 * (long)result.Attempts);

            byte[] mine = Edit(content);
            File.WriteAllBytes(path, mine);
            await client.GetAsync(Clients.Name("x"), path);
            Assert.Equal(content, await File.ReadAllBytesAsync(path));
        }

        Assert.True(attempts > times, "No upload was interrupted.");
    }

    [Theory]
    [InlineData(TransferProtocol.Http1)]
    [InlineData(TransferProtocol.Tus)]
    [InlineData(TransferProtocol.Grpc)]
    public async Task Delta_continues_over_a_new_connection_where_it_was_cut(TransferProtocol protocol)
    {
        byte[] old = Server.Write("x", Bytes);
        byte[] content = [.. old, .. Content.Random(24_000_000, 9)];
        await using TestRelay relay = Server.Behind(protocol, _ => new RelayPlan { CutUpAfter = 20_000_000, Once = true });
        using TransferClient client = Clients.To(relay.Files, options =>
        {
            options.Protocol = protocol;
            options.Delta = TransferDelta.Always;
        });

        TransferResult result = await client.PutAsync(Folder.Write("x", content), Clients.Name("x"));

        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
        Assert.Equal(2, result.Attempts);
        Assert.InRange(result.BytesSent, 24_000_000, 36_000_000);
    }

    [Fact]
    public async Task Upload_of_a_file_that_was_replaced_meanwhile_is_planned_again()
    {
        byte[] old = Server.Write("x", Bytes);
        byte[] content = Edit(old);
        int replaced = 0;
        using var handler = new CountingHandler
        {
            Watch = request =>
            {
                if (request.Method == HttpMethod.Patch && replaced++ == 0)
                {
                    File.WriteAllBytes(Server.PathOf("x"), Edit(content));
                }
            },
        };
        using TransferClient client = new(Server.Files, handler, disposeHandler: false, new TransferClientOptions
        {
            Protocol = TransferProtocol.Http1,
            Delta = TransferDelta.Always,
        });

        TransferResult result = await client.PutAsync(Folder.Write("x", content), Clients.Name("x"));

        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
        Assert.InRange(result.BytesSent, 1, 80_000);
        Assert.Equal(["x"], Server.Visible());
    }

    [Fact]
    public async Task Scattered_changes_are_fetched_with_few_requests()
    {
        byte[] content = Server.Write("x", Bytes);
        byte[] mine = Scatter(content, 30_000);

        using var handler = new CountingHandler();
        using TransferClient client = new(Server.Files, handler, disposeHandler: false, new TransferClientOptions
        {
            Protocol = TransferProtocol.Http1,
            Delta = TransferDelta.Always,
        });
        string path = Folder.Write("x", mine);

        TransferResult result = await client.GetAsync(Clients.Name("x"), path);

        Assert.Equal(content, await File.ReadAllBytesAsync(path));
        Assert.InRange(result.BytesSent, 200, 700_000);
        Assert.InRange(handler.Gets, 1, 12);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Date_is_that_of_the_server_when_another_process_continues(int requests)
    {
        byte[] content = Server.Write("x", Bytes);
        File.SetLastWriteTimeUtc(Server.PathOf("x"), new DateTime(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc));
        byte[] mine = Scatter(content, 30_000);

        string path = Folder.Write("x", mine);
        using var stop = new CancellationTokenSource();
        int gets = 0;
        using var handler = new CountingHandler
        {
            Watch = request =>
            {
                if (request.Headers.Range is not null && Interlocked.Increment(ref gets) == requests)
                {
                    stop.Cancel();
                }
            },
        };
        var options = new TransferClientOptions { Protocol = TransferProtocol.Http1, Delta = TransferDelta.Always, MaxConnections = 1 };
        using (TransferClient killed = new(Server.Files, handler, disposeHandler: false, options))
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => killed.GetAsync(Clients.Name("x"), path, cancellationToken: stop.Token));
        }

        using TransferClient client = new(Server.Files, options);
        TransferResult result = await client.GetAsync(Clients.Name("x"), path);

        Assert.Equal(content, await File.ReadAllBytesAsync(path));
        Assert.InRange(result.BytesSent, 1, 700_000);
        Assert.Equal(File.GetLastWriteTimeUtc(Server.PathOf("x")), File.GetLastWriteTimeUtc(path));
    }

    [Fact]
    public async Task Server_with_one_range_a_request_is_asked_for_them_one_by_one()
    {
        byte[] content = Server.Write("x", Bytes);
        byte[] mine = Scatter(content, 300_000);

        using var handler = new CountingHandler
        {
            Watch = request =>
            {
                if (request.Headers.Range?.Ranges.Count > 1)
                {
                    request.Headers.Range = null;
                    request.Headers.Remove("If-Range");
                }
            },
        };
        using TransferClient client = new(Server.Files, handler, disposeHandler: false, new TransferClientOptions
        {
            Protocol = TransferProtocol.Http1,
            Delta = TransferDelta.Always,
        });
        string path = Folder.Write("x", mine);

        TransferResult result = await client.GetAsync(Clients.Name("x"), path);

        Assert.Equal(content, await File.ReadAllBytesAsync(path));
        Assert.InRange(result.BytesSent, 20, 80_000);
        Assert.InRange(handler.Gets, 20, 40);
    }

    [NeedsFact(Need.Mount)]
    public async Task Full_disk_leaves_the_version_that_is_there()
    {
        using var disk = MountedDisk.InMemory(16 * 1024 * 1024);
        await using TestServer server = await TestServer.StartAsync(options =>
        {
            options.Folder = disk.Path;
            options.Store.FreeSpaceToLeave = 0;
        });
        byte[] old = Content.Random(9_000_000);
        File.WriteAllBytes(disk["x"], old);
        using TransferClient client = server.Connect(options => options.Delta = TransferDelta.Always);

        var exception = await Assert.ThrowsAsync<TransferException>(() => client.PutAsync(Folder.Write("x", Edit(old)), Clients.Name("x")));

        Assert.Equal(TransferError.NoSpace, exception.Error);
        Assert.Equal(old, await File.ReadAllBytesAsync(disk["x"]));

        // Here, too: the file that is replaced stays, and nothing beside it.
        using var here = MountedDisk.InMemory(16 * 1024 * 1024);
        byte[] mine = Edit(old);
        File.WriteAllBytes(here["x"], mine);
        await Assert.ThrowsAnyAsync<IOException>(() => client.GetAsync(Clients.Name("x"), here["x"]));
        Assert.Equal(mine, await File.ReadAllBytesAsync(here["x"]));
        Assert.Equal(["x"], here.Names);
    }

    [Fact]
    public async Task Condition_on_a_version_that_is_gone_is_not_met()
    {
        byte[] old = Server.Write("x", Bytes);
        using TransferClient client = Connect(TransferProtocol.Http1);
        var exception = await Assert.ThrowsAsync<TransferException>(() => client.PutAsync(
            Folder.Write("x", Edit(old)), Clients.Name("x"), new PutOptions { Precondition = new WritePrecondition { Match = [new EntityTag("gone")] } }));
        Assert.Equal(TransferError.PreconditionFailed, exception.Error);
        Assert.Equal(old, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    [Fact]
    public async Task Delta_is_left_to_the_measured_link()
    {
        byte[] old = Server.Write("x", Bytes);
        string path = Folder.Write("x", Edit(old));
        using TransferClient client = Server.Connect(static options => options.MaxConnections = 1);
        client.Speed.Learn(LinkSpeed.FastBytesPerSecond);
        Assert.Equal(Bytes + 5, (await client.PutAsync(path, Clients.Name("x"))).BytesSent);
        Server.Write("x", Bytes);
        client.Speed.Learn(LinkSpeed.FastBytesPerSecond - 1);
        Assert.InRange((await client.PutAsync(path, Clients.Name("x"))).BytesSent, 1, 80_000);
    }

    private TransferClient Connect(TransferProtocol protocol) => Server.Connect(options =>
    {
        options.Protocol = protocol;
        options.Delta = TransferDelta.Always;
    });

    /// <summary>A few bytes more in front, others in the middle, and a part moved.</summary>
    private static byte[] Edit(byte[] content)
    {
        byte[] edited = [1, 2, 3, 4, 5, .. content];
        edited.AsSpan(edited.Length / 2, 100).Fill(7);
        return [.. edited.AsSpan(0, edited.Length / 4), .. edited.AsSpan(edited.Length / 4 * 3), .. edited.AsSpan(edited.Length / 4, (edited.Length / 4 * 3) - (edited.Length / 4))];
    }

    /// <summary>Another byte at every multiple of a distance.</summary>
    private static byte[] Scatter(byte[] content, int distance)
    {
        byte[] changed = [.. content];
        for (int i = 0; i < changed.Length; i += distance)
        {
            changed[i] ^= 1;
        }

        return changed;
    }
}
