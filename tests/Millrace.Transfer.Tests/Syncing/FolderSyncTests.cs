using System.Collections.Concurrent;

namespace Millrace.Transfer.Tests.Syncing;

/// <summary>Folders that become the same, in every direction.</summary>
public sealed class FolderSyncTests : SyncTest
{
    /// <summary>With characters on both sides of the slash.</summary>
    private static readonly string[] Parts = ["a", "a-", "a.", "a0", "b", "é"];

    [Theory]
    [InlineData("up", 1)]
    [InlineData("up", 2)]
    [InlineData("up", 3)]
    [InlineData("down", 4)]
    [InlineData("down", 5)]
    [InlineData("copy", 6)]
    [InlineData("copy", 7)]
    public async Task Random_trees_become_the_same_and_stay_so(string direction, int seed)
    {
        using TransferClient client = Server.Connect();
        string root = direction == "copy" ? There.Path : Directory.CreateDirectory(Server.PathOf("f")).FullName;
        (string from, string to) = direction == "down" ? (root, Here.Path) : (Here.Path, root);
        var random = new Random(seed);
        for (int round = 0; round < 6; round++)
        {
            Scramble(from, random);
            if (round % 2 == 0)
            {
                Scramble(to, random);
            }

            FolderSync sync = Sync(client, direction, new SyncOptions { Delete = true, Force = true });
            SyncPlan plan = await sync.PlanAsync();
            Assert.Equal(0, await sync.RunAsync(plan));
            Assert.Equal(Tree(from), Tree(to));
            SyncPlan again = await Sync(client, direction, new SyncOptions { Delete = true }).PlanAsync();
            Assert.Empty(again.Steps);
            Assert.Equal(Tree(from).Count, again.Unchanged);
        }
    }

    [Theory]
    [InlineData(TransferProtocol.Http1)]
    [InlineData(TransferProtocol.Grpc)]
    public async Task Files_that_differ_only_in_their_dates_are_compared_by_the_digests_of_the_listing(TransferProtocol protocol)
    {
        // More than a page.
        const int Count = 1_100;
        const int LastOfEqualDate = 40;
        byte[] content = Content.Random(300, 1);
        for (int i = 0; i < Count; i++)
        {
            Here.Write($"{i:0000}", content);
        }

        using TransferClient client = Server.Connect(options => options.Protocol = protocol);
        await RunAsync(client, "up", new SyncOptions());
        for (int i = LastOfEqualDate + 1; i < Count; i++)
        {
            LocalTime.Set(Here[$"{i:0000}"], new FileTime(i, 0));
        }

        var requests = new ConcurrentQueue<Uri>();
        using var handler = new CountingHandler { Watch = request => requests.Enqueue(request.RequestUri!) };
        using TransferClient counted = new(Server.Files, handler, disposeHandler: false, new TransferClientOptions { Protocol = protocol });
        SyncPlan plan = await Sync(counted, "up", new SyncOptions()).PlanAsync();

        Assert.Empty(plan.Steps);
        Assert.Equal(Count, plan.Unchanged);
        Assert.InRange(requests.Count, 3, 12);
    }

    [NeedsFact(Need.Unix)]
    public async Task Hostile_names_and_those_around_the_slash_are_compared_in_order()
    {
        foreach (string name in (string[])["a", "a-b", "a.b/x", "b/x", "b-", "b0", "b!", "c\n/d", "c\n", "日本/x", "日本.txt", "\U0001F600", "\uFF61", "What?/*", "back\\slash"])
        {
            if (!File.Exists(Here[name]) && !Directory.Exists(Here[name]) && name != "c\n")
            {
                Here.Write(name, Content.Random(100, name.Length));
            }
        }

        using TransferClient client = Server.Connect();
        FolderSync sync = Sync(client, "up", new SyncOptions());
        Assert.Equal(0, await sync.RunAsync(await sync.PlanAsync()));
        Assert.Empty((await Sync(client, "up", new SyncOptions { Delete = true }).PlanAsync()).Steps);
        FolderSync back = new(SyncFolder.OnServer(client, Clients.Name("f")), SyncFolder.Here(There.Path), new SyncOptions());
        Assert.Equal(0, await back.RunAsync(await back.PlanAsync()));
        Assert.Equal(Tree(Here.Path), Tree(There.Path));
    }

    [Fact]
    public async Task Renamed_files_are_renamed_and_not_sent()
    {
        using TransferClient client = Server.Connect();
        for (int i = 0; i < 20; i++)
        {
            Here.Write($"old/{i}", Content.Random(5_000, i));
        }

        await RunAsync(client, "up", new SyncOptions());
        Directory.CreateDirectory(Here["new/deep"]);
        for (int i = 0; i < 20; i++)
        {
            File.Move(Here[$"old/{i}"], Here[$"new/deep/{19 - i}"]);
        }

        SyncPlan plan = await RunAsync(client, "up", new SyncOptions { Delete = true, Force = true });
        Assert.Equal(20, plan.Steps.Count);
        Assert.All(plan.Steps, static step => Assert.Equal(SyncAction.Rename, step.Action));
        Assert.Equal(Tree(Here.Path), Tree(Server.PathOf("f")));
        Assert.False(Directory.Exists(Server.PathOf("f/old")));
    }

    [Fact]
    public async Task Nothing_is_removed_without_being_asked_from_an_empty_source_or_more_than_half()
    {
        using TransferClient client = Server.Connect();
        for (int i = 0; i < 10; i++)
        {
            Here.Write($"{i}", [1]);
        }

        await RunAsync(client, "up", new SyncOptions());
        foreach (string name in Here.Files.Skip(4).ToArray())
        {
            File.Delete(Here[name]);
        }

        Assert.Empty((await Sync(client, "up", new SyncOptions()).PlanAsync()).Steps);
        await RefusedAsync(new SyncOptions { Delete = true }, "6 of the target's 10 files");
        await RefusedAsync(new SyncOptions { Delete = true, MaxDelete = 5 }, "5 may be");
        Assert.Equal(6, (await Sync(client, "up", new SyncOptions { Delete = true, MaxDelete = 6 }).PlanAsync()).Steps.Count);
        Assert.Equal(6, (await Sync(client, "up", new SyncOptions { Delete = true, MaxDeleteShare = 0.6 }).PlanAsync()).Steps.Count);
        foreach (string name in Here.Files.ToArray())
        {
            File.Delete(Here[name]);
        }

        await RefusedAsync(new SyncOptions { Delete = true, MaxDeleteShare = 1 }, "the source has no file");
        await RunAsync(client, "up", new SyncOptions { Delete = true, Force = true });
        Assert.Empty(Server.Visible());

        async Task RefusedAsync(SyncOptions options, string why)
        {
            TransferException exception = await Assert.ThrowsAsync<TransferException>(() => Sync(client, "up", options).PlanAsync());
            Assert.Contains(why, exception.Message, StringComparison.Ordinal);
        }
    }

    [NeedsFact(Need.Unix)]
    public async Task Source_that_cannot_be_read_in_full_removes_nothing()
    {
        using TransferClient client = Server.Connect();
        string half = string.Join('/', Enumerable.Repeat(new string('d', 200), 11));
        Here.Write("a", [1]);
        Here.Write("b", [2]);
        await RunAsync(client, "up", new SyncOptions());
        File.Delete(Here["b"]);
        There.Write($"deep/{half}/c", [3]);
        Directory.CreateDirectory(Here[half]);

        // Its path is too long for the system.
        Directory.Move(There["deep"], Here[$"{half}/deep"]);
        try
        {
            TransferException exception = await Assert.ThrowsAsync<TransferException>(
                () => Sync(client, "up", new SyncOptions { Delete = true }).PlanAsync());
            Assert.Contains("could not be read", exception.Message, StringComparison.Ordinal);
            SyncPlan plan = await Sync(client, "up", new SyncOptions()).PlanAsync();
            Assert.True(Assert.Single(plan.Faults).HidesFiles);
        }
        finally
        {
            Directory.Move(Here[$"{half}/deep"], There["deep"]);
        }
    }

    [Theory]
    [InlineData("up")]
    [InlineData("down")]
    [InlineData("copy")]
    public async Task Removed_files_are_kept_where_they_are_wanted(string direction)
    {
        using TransferClient client = Server.Connect();
        string root = direction == "copy" ? There.Path : Directory.CreateDirectory(Server.PathOf("f")).FullName;
        (string from, string to) = direction == "down" ? (root, Here.Path) : (Here.Path, root);
        File.WriteAllText(Path.Combine(from, "a"), "a");
        Directory.CreateDirectory(Path.Combine(to, "sub"));
        File.WriteAllText(Path.Combine(to, "sub/b"), "b");
        File.WriteAllText(Path.Combine(to, "a"), "old");
        var options = new SyncOptions { Delete = true, BackupFolder = direction == "up" ? "f/kept/of today" : "kept/of today" };
        for (int i = 0; i < 2; i++)
        {
            FolderSync sync = Sync(client, direction, options);
            Assert.Equal(0, await sync.RunAsync(await sync.PlanAsync()));
            Assert.Equal("b", File.ReadAllText(Path.Combine(to, "kept/of today/sub/b")));
            Assert.Equal("a", File.ReadAllText(Path.Combine(to, "a")));
            Assert.False(Directory.Exists(Path.Combine(to, "sub")));
        }
    }

    [Theory]
    [InlineData("up")]
    [InlineData("down")]
    [InlineData("copy")]
    public async Task File_that_others_change_after_the_plan_is_compared_again_and_their_removal_is_not_undone(string direction)
    {
        using TransferClient client = Server.Connect();
        string root = direction == "copy" ? There.Path : Directory.CreateDirectory(Server.PathOf("f")).FullName;
        (string from, string to) = direction == "down" ? (root, Here.Path) : (Here.Path, root);
        Write(from, "same", "new");
        Write(to, "same", "old!");
        Write(from, "added", "mine");
        Write(to, "extra", "theirs");
        Write(from, "kept", "x");
        Write(to, "kept", "x");
        FolderSync sync = Sync(client, direction, new SyncOptions { Delete = true });
        SyncPlan plan = await sync.PlanAsync();

        // Replaced, created, changed and made the same by another program.
        Write(to, "same", "newer");
        Write(to, "added", "theirs");
        Write(to, "extra", "changed since");
        var errors = new ConcurrentBag<(SyncStep Step, Exception? Error)>();
        int failed = await sync.RunAsync(plan, new Direct(errors.Add));
        Assert.Equal("new", File.ReadAllText(Path.Combine(to, "same")));
        Assert.Equal("mine", File.ReadAllText(Path.Combine(to, "added")));
        Assert.Equal("changed since", File.ReadAllText(Path.Combine(to, "extra")));
        Assert.Equal(1, failed);
        Assert.Equal("extra", Assert.Single(errors, static one => one.Error is not null).Step.Name.Value);
    }

    [Theory]
    [InlineData("up")]
    [InlineData("down")]
    public async Task Source_that_changes_while_it_is_read_is_moved_whole_in_one_of_its_versions(string direction)
    {
        await using TestRelay relay = Server.Behind(TransferProtocol.Http1, static _ => new RelayPlan { BytesPerSecond = 20_000_000 });
        using TransferClient client = Clients.To(relay.Files, static options => options.Delta = TransferDelta.Never);
        string served = Directory.CreateDirectory(Server.PathOf("f")).FullName;
        (string from, string to) = direction == "down" ? (served, Here.Path) : (Here.Path, served);
        string source = Path.Combine(from, "a");
        byte[] moved = [];
        for (int round = 0; round < 4; round++)
        {
            byte[] first = Content.Random(4_000_000, round);
            byte[] next = round % 2 == 0 ? Content.Random(4_000_000 + round, 100 + round) : first[..3_000_000];
            File.WriteAllBytes(source, first);
            LocalTime.Set(source, new FileTime(round, 1));
            FolderSync sync = Sync(client, direction, new SyncOptions());
            SyncPlan plan = await sync.PlanAsync();
            var errors = new ConcurrentBag<Exception>();
            long passed = direction == "down" ? relay.Down : relay.Up;
            Task<int> running = sync.RunAsync(plan, new Direct(done => errors.Add(done.Error!)));
            while (!running.IsCompleted && (direction == "down" ? relay.Down : relay.Up) < passed + 1_000_000)
            {
                await Task.Delay(1);
            }

            // Each in one step, so that there are two versions.
            if (round % 2 == 0)
            {
                File.Move(There.Write("next", next), source, overwrite: true);
            }
            else
            {
                using var open = new FileStream(source, FileMode.Open, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
                open.SetLength(next.Length);
            }

            // It is moved again, unless that takes too many attempts. A file of a server that is changed in place may have neither version's digest.
            await running;
            Assert.All(errors, error => Assert.True(
                error is null or TransferException { Error: TransferError.Changed }
                || (round % 2 == 1 && direction == "down" && error is TransferException { Error: TransferError.DigestMismatch }),
                $"{round}: {error}"));
            byte[] before = moved;
            moved = File.Exists(Path.Combine(to, "a")) ? File.ReadAllBytes(Path.Combine(to, "a")) : [];
            Assert.True(((byte[][])[before, first, next]).Any(version => version.AsSpan().SequenceEqual(moved)), $"The file is torn in round {round}.");
        }

        FolderSync last = Sync(client, direction, new SyncOptions());
        Assert.Equal(0, await last.RunAsync(await last.PlanAsync()));
        Assert.Equal(Tree(from), Tree(to));
    }

    [Fact]
    public async Task Two_syncs_into_one_target_end_with_one_of_the_sources_for_each_file()
    {
        using TransferClient client = Server.Connect();
        for (int i = 0; i < 40; i++)
        {
            Here.Write($"{i}", Content.Random(3_000, 1));
            There.Write($"{i}", Content.Random(3_000, 2));
        }

        Task<SyncPlan> one = RunAsync(client, "up", new SyncOptions(), Here.Path);
        Task<SyncPlan> other = RunAsync(client, "up", new SyncOptions(), There.Path);
        await Task.WhenAll(one, other);
        for (int i = 0; i < 40; i++)
        {
            byte[] bytes = File.ReadAllBytes(Server.PathOf($"f/{i}"));
            Assert.True(bytes.AsSpan().SequenceEqual(Content.Random(3_000, 1)) || bytes.AsSpan().SequenceEqual(Content.Random(3_000, 2)));
        }
    }

    [Fact]
    public async Task Filtered_files_are_neither_moved_nor_removed()
    {
        using TransferClient client = Server.Connect();
        Here.Write("a.txt", [1]);
        Here.Write("b.tmp", [2]);
        Server.Write("f/c.tmp", 3);
        Server.Write("f/d.txt", 3);
        await RunAsync(client, "up", new SyncOptions { Delete = true, Force = true, Filter = static name => !name.Value.EndsWith(".tmp", StringComparison.Ordinal) });
        Assert.Equal(["f/a.txt", "f/c.tmp"], Server.Visible());
    }

    [Fact]
    public async Task Two_servers_and_a_folder_that_keeps_itself_are_refused()
    {
        using TransferClient client = Server.Connect();
        var sync = new FolderSync(SyncFolder.OnServer(client, default), SyncFolder.OnServer(client, Clients.Name("x")), new SyncOptions());
        Assert.Equal(TransferError.InvalidRequest, (await Assert.ThrowsAsync<TransferException>(() => sync.PlanAsync())).Error);
        foreach ((string direction, string backup) in (ValueTuple<string, string>[])[("up", "f"), ("copy", ".")])
        {
            await Assert.ThrowsAsync<TransferException>(
                () => Sync(client, direction, new SyncOptions { Delete = true, BackupFolder = backup }).PlanAsync());
        }
    }

    private static void Write(string folder, string name, string text) => File.WriteAllText(Path.Combine(folder, name), text);

    /// <summary>Writes, changes, renames and removes some files; folders become files and the other way round.</summary>
    internal static void Scramble(string root, Random random)
    {
        for (int i = 0; i < 25; i++)
        {
            string path = root;
            for (int depth = random.Next(3); depth >= 0; depth--)
            {
                path = Path.Combine(path, Parts[random.Next(Parts.Length)]);
                if (depth > 0 && File.Exists(path))
                {
                    File.Delete(path);
                }
            }

            if (Directory.Exists(path))
            {
                Directory.Delete(path, recursive: true);
            }

            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            if (random.Next(3) == 0)
            {
                File.Delete(path);
            }
            else
            {
                // Of the same content there are two dates, of another content never the same.
                int length = random.Next(5);
                int content = random.Next(6);
                File.WriteAllBytes(path, Content.Random(length * 100, content));
                LocalTime.Set(path, new FileTime((length * 100) + content, random.Next(1, 3)));
            }
        }
    }

    /// <summary>The date and the content of every file.</summary>
    internal static SortedDictionary<string, string> Tree(string root)
    {
        var tree = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (string path in Directory.EnumerateFiles(root, "*", SearchOption.AllDirectories))
        {
            string name = Path.GetRelativePath(root, path);
            if (!name.StartsWith(".millrace", StringComparison.Ordinal))
            {
                tree.Add(name, $"{LocalTime.Of(path)} {Convert.ToHexString(File.ReadAllBytes(path))}");
            }
        }

        return tree;
    }

    private async Task<SyncPlan> RunAsync(TransferClient client, string direction, SyncOptions options, string? here = null)
    {
        FolderSync sync = Sync(client, direction, options, here);
        SyncPlan plan = await sync.PlanAsync();
        Assert.Equal(0, await sync.RunAsync(plan));
        return plan;
    }
}
