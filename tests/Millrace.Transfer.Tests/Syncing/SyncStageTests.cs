namespace Millrace.Transfer.Tests.Syncing;

/// <summary>Folders that change as a whole, on a server and here.</summary>
public sealed class SyncStageTests : SyncTest
{
    [Theory]
    [InlineData(true, 1)]
    [InlineData(true, 2)]
    [InlineData(false, 3)]
    [InlineData(false, 4)]
    public async Task Random_trees_become_the_same_and_earlier_versions_stay_as_they_were(bool isServer, int seed)
    {
        using TransferClient client = Server.Connect();
        (SyncFolder target, string parent) = Target(client, isServer);
        var random = new Random(seed);
        var versions = new List<SortedDictionary<string, string>>();
        Directory.CreateDirectory(Path.Combine(parent, "f.kept-for-me"));
        Directory.CreateDirectory(Path.Combine(parent, "f.next-year"));
        for (int round = 0; round < 5; round++)
        {
            FolderSyncTests.Scramble(Here.Path, random);
            SyncStage stage = await StageAsync(target);
            if (round > 0)
            {
                Assert.Equal(versions[^1], FolderSyncTests.Tree(Path.Combine(parent, "f")));
            }

            await stage.PublishAsync(keep: 2);
            versions.Add(FolderSyncTests.Tree(Here.Path));
            Assert.Equal(versions[^1], FolderSyncTests.Tree(Path.Combine(parent, "f")));
        }

        // Names that look like these, but that a user has chosen.
        string[] chosen = ["f.kept-for-me", "f.next-year"];
        Assert.All(chosen, name => Directory.Delete(Path.Combine(parent, name)));
        string[] kept = Beside(parent);
        Assert.Equal(versions[2..4], kept.Select(FolderSyncTests.Tree));
        await SyncStage.RestoreAsync(target);
        Assert.Equal(versions[3], FolderSyncTests.Tree(Path.Combine(parent, "f")));
        await SyncStage.RestoreAsync(target);
        Assert.Equal(versions[4], FolderSyncTests.Tree(Path.Combine(parent, "f")));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Stage_is_found_again_unless_somebody_has_changed_the_folder(bool isServer)
    {
        using TransferClient client = Server.Connect();
        (SyncFolder target, string parent) = Target(client, isServer);
        Here.Write("a", [1]);
        await (await StageAsync(target)).PublishAsync();
        Here.Write("b", [2]);
        await StageAsync(target);
        string first = Assert.Single(Beside(parent));
        SyncStage again = await SyncStage.CreateAsync(target);
        Assert.Empty((await new FolderSync(SyncFolder.Here(Here.Path), again.Folder, new SyncOptions()).PlanAsync()).Steps);
        Assert.Equal(first, Assert.Single(Beside(parent)));

        File.WriteAllText(Path.Combine(parent, "f/theirs"), "c");
        Assert.Equal(
            TransferError.PreconditionFailed, (await Assert.ThrowsAsync<TransferException>(() => again.PublishAsync())).Error);
        Assert.False(File.Exists(Path.Combine(parent, "f/b")));
        SyncStage next = await StageAsync(target, delete: false);
        Assert.NotEqual(first, Assert.Single(Beside(parent)));
        await next.PublishAsync();
        Assert.Equal(["a", "b", "theirs"], FolderSyncTests.Tree(Path.Combine(parent, "f")).Keys);
        Assert.Empty(Beside(parent));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Folder_is_never_missing_and_never_mixed(bool isServer)
    {
        using TransferClient client = Server.Connect();
        (SyncFolder target, string parent) = Target(client, isServer);
        Directory.CreateDirectory(Path.Combine(parent, "f"));
        using var stop = new CancellationTokenSource();
        int count = 0;
        Task looks = Task.Run(() =>
        {
            for (; !stop.IsCancellationRequested; Interlocked.Increment(ref count))
            {
                // One look at the names of an open folder is of one version.
                string[] names = Directory.GetFiles(Path.Combine(parent, "f"));
                Assert.True(names.Length is 0 or 3, string.Join(" ", names));
                Assert.Single(names.Select(static name => Path.GetFileName(name)[1..]).Append(names.Length == 0 ? "" : Path.GetFileName(names[0])[1..]).Distinct());
            }
        });
        await Bounded.UntilAsync(() => looks.IsCompleted || Volatile.Read(ref count) > 0);
        for (int i = 0; i < 20; i++)
        {
            foreach (string file in Here.Files.ToArray())
            {
                File.Delete(Here[file]);
            }

            foreach (string name in (string[])["a", "b", "c"])
            {
                Here.Write($"{name}{i}", [1]);
            }

            // The versions stay: a look at one that is being deleted would see some of its names.
            await (await StageAsync(target)).PublishAsync(keep: 20);
        }

        await stop.CancelAsync();
        await looks;
    }

    [Fact]
    public async Task Roots_links_and_other_protocols_are_refused()
    {
        using TransferClient client = Server.Connect();
        await RefusedAsync(SyncFolder.OnServer(client, default), TransferError.InvalidRequest);
        await RefusedAsync(SyncFolder.Here("/"), TransferError.InvalidRequest);
        Directory.CreateDirectory(There["real"]);
        Directory.CreateSymbolicLink(There["link"], "real");
        await RefusedAsync(SyncFolder.Here(There["link"]), TransferError.InvalidRequest);
        using TransferClient grpc = Server.Connect(options => options.Protocol = TransferProtocol.Grpc);
        await RefusedAsync(SyncFolder.OnServer(grpc, Clients.Name("f")), TransferError.ProtocolNotOffered);
        Assert.Equal(
            TransferError.NotFound,
            (await Assert.ThrowsAsync<TransferException>(() => SyncStage.RestoreAsync(SyncFolder.OnServer(client, Clients.Name("f"))))).Error);

        static async Task RefusedAsync(SyncFolder target, TransferError error) =>
            Assert.Equal(error, (await Assert.ThrowsAsync<TransferException>(() => SyncStage.CreateAsync(target))).Error);
    }

    /// <summary>The folders beside the target; the pattern <c>f.*</c> has the target, too.</summary>
    private static string[] Beside(string parent) => [.. Directory.GetDirectories(parent, "f.?*").Where(static path => !path.EndsWith("/f", StringComparison.Ordinal)).Order(StringComparer.Ordinal)];

    private (SyncFolder Target, string Parent) Target(TransferClient client, bool isServer) => isServer
        ? (SyncFolder.OnServer(client, Clients.Name("f")), Path.GetDirectoryName(Server.PathOf("f"))!)
        : (SyncFolder.Here(There["f"]), There.Path);

    private async Task<SyncStage> StageAsync(SyncFolder target, bool delete = true)
    {
        SyncStage stage = await SyncStage.CreateAsync(target);
        var sync = new FolderSync(SyncFolder.Here(Here.Path), stage.Folder, new SyncOptions { Delete = delete, Force = delete });
        Assert.Equal(0, await sync.RunAsync(await sync.PlanAsync()));
        return stage;
    }
}
