using Millrace.Interop;
using Millrace.Transfer.Server;

namespace Millrace.Transfer.Tests.Syncing;

/// <summary>Symbolic links that are moved as such: in every direction, and never out of the folder.</summary>
public sealed class SymbolicLinkTests : SyncTest
{
    private static readonly SyncOptions WithLinks = new() { SymbolicLinks = true, Delete = true, Force = true };

    [Theory]
    [InlineData(0, "file", true)]
    [InlineData(0, ".", true)]
    [InlineData(0, "folder/file", true)]
    [InlineData(0, "folder//./file/", true)]
    [InlineData(1, "../file", true)]
    [InlineData(1, "..", true)]
    [InlineData(2, "./../.././file", true)]
    [InlineData(0, "...", true)]
    [InlineData(0, "a\nb", true)]
    [InlineData(0, "", false)]
    [InlineData(0, "..", false)]
    [InlineData(0, "../file", false)]
    [InlineData(1, "../../file", false)]
    [InlineData(2, "folder/..", false)]
    [InlineData(2, "folder/../file", false)]
    [InlineData(2, "../folder/..", false)]
    [InlineData(0, "/", false)]
    [InlineData(0, "/etc/passwd", false)]
    [InlineData(0, "//server/share", false)]
    [InlineData(0, "a\0b", false)]
    [InlineData(0, "not\uFFFDUTF-8", false)]
    [InlineData(0, ".millrace", false)]
    [InlineData(0, ".MillRace/tokens.json", false)]
    [InlineData(1, "../.millrace/tokens.json", false)]
    [InlineData(-1, "file", false)]
    public void Targets_stay_in_the_folder(int depth, string target, bool stays) => Assert.Equal(stays, SymbolicLink.StaysInside(depth, target));

    [NeedsTheory(Need.Links | Need.Unix)]
    [InlineData("up", TransferProtocol.Auto)]
    [InlineData("up", TransferProtocol.Grpc)]
    [InlineData("down", TransferProtocol.Auto)]
    [InlineData("down", TransferProtocol.Grpc)]
    [InlineData("copy", TransferProtocol.Auto)]
    public async Task Links_become_the_same_and_stay_so(string direction, TransferProtocol protocol)
    {
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);
        string served = Directory.CreateDirectory(Server.PathOf("f")).FullName;
        (string from, string to) = direction == "down" ? (served, Here.Path) : (Here.Path, direction == "copy" ? There.Path : served);
        Write(from, "file", "content");
        Write(from, "folder/inner", "content");
        Write(from, "becomes a link", "x");
        Write(from, "folder becomes a link/a", "x");
        Link(from, "to file", "file");
        Link(from, "to folder", "folder");
        Link(from, "folder/up", "../file");
        Link(from, "to nothing", "missing/there");
        Link(from, "to link", "to file");
        Link(from, "very/deep/er/link", "../../../folder/inner");
        Link(from, "日本\n語", "é/ü");
        Link(from, "changes", "file");
        Link(from, "goes", "file");
        Link(from, "becomes a file", "file");
        Link(from, "becomes a folder", "folder");
        Link(from, "folder-", "folder/");
        await InStepAsync();

        File.Delete(Path.Combine(from, "becomes a link"));
        Link(from, "becomes a link", "file");
        Directory.Delete(Path.Combine(from, "folder becomes a link"), recursive: true);
        Link(from, "folder becomes a link", "folder");
        File.Delete(Path.Combine(from, "changes"));
        Link(from, "changes", "folder");
        File.Delete(Path.Combine(from, "goes"));
        File.Delete(Path.Combine(from, "becomes a file"));
        Write(from, "becomes a file", "not written through the link");
        File.Delete(Path.Combine(from, "becomes a folder"));
        Write(from, "becomes a folder/inner", "not written through the link");
        await InStepAsync();
        Assert.Equal("content", File.ReadAllText(Path.Combine(to, "file")));
        Assert.Equal("content", File.ReadAllText(Path.Combine(to, "folder/inner")));

        async Task InStepAsync()
        {
            FolderSync sync = Sync(client, direction, WithLinks);
            await sync.RunAsync(await sync.PlanAsync(), new Direct(static done => Assert.True(done.Error is null, $"{done.Step.Name}: {done.Error}")));
            Assert.Equal(Tree(from), Tree(to));
            SyncPlan again = await Sync(client, direction, WithLinks).PlanAsync();
            Assert.True(again.IsEmpty, string.Join(", ", again.Steps.Select(static step => $"{step.Action} {step.Name}")));
            Assert.Empty(again.Faults);
        }
    }

    [NeedsTheory(Need.Links | Need.Unix)]
    [InlineData("up")]
    [InlineData("down")]
    public async Task Renamed_files_are_found_among_links(string direction)
    {
        using TransferClient client = Server.Connect();
        string served = Directory.CreateDirectory(Server.PathOf("f")).FullName;
        (string from, string to) = direction == "down" ? (served, Here.Path) : (Here.Path, served);
        for (int i = 0; i < 20; i++)
        {
            Write(from, $"{i}", $"content {i:00}");
            Link(from, $"{i}-", $"{i}");
        }

        FolderSync sync = Sync(client, direction, WithLinks);
        Assert.Equal(0, await sync.RunAsync(await sync.PlanAsync()));
        for (int i = 0; i < 20; i += 3)
        {
            File.Move(Path.Combine(from, $"{i}"), Path.Combine(from, $"{i}+"));
            File.Move(Path.Combine(from, $"{i}-"), Path.Combine(from, $"{i}--"));
        }

        SyncPlan plan = await Sync(client, direction, WithLinks).PlanAsync();
        Assert.Equal(
            [(SyncAction.Add, 7), (SyncAction.Rename, 7), (SyncAction.Remove, 7)],
            plan.Steps.GroupBy(static step => step.Action).OrderBy(static steps => steps.Key).Select(static steps => (steps.Key, steps.Count())));
        Assert.All(plan.Steps, static step => Assert.Equal(step.Action == SyncAction.Add, step.LinkTarget is not null));
        Assert.Equal(0, await sync.RunAsync(plan));
        Assert.Equal(Tree(from), Tree(to));
    }

    [NeedsFact(Need.Links | Need.Unix)]
    public async Task Links_that_lead_out_of_the_source_are_left_out_and_named()
    {
        using TransferClient client = Server.Connect();
        string[] targets = ["/etc/passwd", "..", "../outside", "a/../../x", ".millrace/x"];
        for (int i = 0; i < targets.Length; i++)
        {
            Link(Here.Path, $"{i}", targets[i]);
        }

        Link(Here.Path, "sub/deep", "../../outside");
        Link(Here.Path, "sub/kept", "../0");
        FolderSync sync = Sync(client, "up", new SyncOptions { SymbolicLinks = true });
        SyncPlan plan = await sync.PlanAsync();
        Assert.Equal("sub/kept", Assert.Single(plan.Steps).Name.Value);
        Assert.Equal(targets.Length + 1, plan.Faults.Count);
        Assert.All(plan.Faults, static fault => Assert.Contains("leads out of the folder", fault.Exception.Message, StringComparison.Ordinal));
        Assert.Equal(0, await sync.RunAsync(plan));
    }

    [NeedsFact(Need.Links | Need.Unix)]
    public async Task Links_are_what_they_lead_to_unless_they_are_asked_for()
    {
        using TransferClient client = Server.Connect();
        Write(Here.Path, "file", "content");
        Link(Here.Path, "link", "file");
        FolderSync sync = Sync(client, "up", new SyncOptions());
        Assert.Equal(0, await sync.RunAsync(await sync.PlanAsync()));
        Assert.Null(SymbolicLink.Read(Server.PathOf("f/link")));
        await client.PutSymbolicLinkAsync(Clients.Name("f/other"), "file");
        RemoteEntry[] plain = await client.ListAsync(Clients.Name("f")).ToArrayAsync();
        Assert.Equal(["f/file", "f/link", "f/other"], plain.Select(static entry => entry.Name.Value));
        Assert.All(plain, static entry => Assert.Equal((7, null), (entry.Length, entry.LinkTarget)));
        Assert.Equal(7, (await client.FindAsync(Clients.Name("f/other")))!.Length);
        RemoteEntry link = (await client.ListAsync(new ListOptions { Folder = Clients.Name("f"), SymbolicLinks = true }).ToArrayAsync())[2];
        Assert.Equal("file", link.LinkTarget);
        await Fails.WithAsync(
            TransferError.PreconditionFailed,
            () => client.DeleteSymbolicLinkAsync(link.Name, new WritePrecondition { Match = [plain[2].Tag!.Value] }));
        Assert.True(await client.DeleteSymbolicLinkAsync(link.Name, new WritePrecondition { Match = [link.Tag!.Value] }));
        Assert.False(await client.DeleteSymbolicLinkAsync(link.Name));
        Assert.False(await client.DeleteSymbolicLinkAsync(Clients.Name("f/file")));
        Assert.True(File.Exists(Server.PathOf("f/file")));
    }

    [NeedsFact(Need.Links | Need.Unix)]
    public async Task Hostile_links_are_refused_by_the_server()
    {
        using TransferClient client = Server.Connect();
        string outside = Path.Combine(Path.GetDirectoryName(Server.Root)!, "outside-" + Guid.NewGuid().ToString("N"));
        File.WriteAllText(outside, "secret");
        try
        {
            Server.Write("folder/file", 10);
            Link(Server.Root, "to folder", "folder");
            Link(Server.Root, "folder/out", outside);
            foreach ((string name, string target) in (ValueTuple<string, string>[])
                [
                    ("a", outside), ("a", "../" + Path.GetFileName(outside)), ("a", "folder/../../" + Path.GetFileName(outside)), ("folder/a", "../../x"),
                    ("a", ".millrace/x"), ("to folder/a", "file"), ("to folder/new/a", "x"), ("a", "/proc/self/environ"),
                ])
            {
                TransferException refused = await Assert.ThrowsAsync<TransferException>(
                    () => client.PutSymbolicLinkAsync(Clients.Name(name), target));
                Assert.Equal(TransferError.Forbidden, refused.Error);
            }

            // Through another one, which is followed no further.
            await client.PutSymbolicLinkAsync(Clients.Name("through"), "folder/out");
            await Fails.WithAsync(TransferError.Forbidden, () => client.GetAsync(Clients.Name("through"), Here["x"]));
            await Fails.WithAsync(TransferError.Forbidden, () => client.PutAsync(new MemoryStream([1]), Clients.Name("through")));
            Assert.Equal("secret", File.ReadAllText(outside));

            // A folder is not replaced; conditions hold for the link itself.
            Assert.Equal(TransferError.AlreadyExists, (await Assert.ThrowsAsync<TransferException>(() => client.PutSymbolicLinkAsync(Clients.Name("folder"), "x"))).Error);
            await Assert.ThrowsAsync<TransferException>(
                () => client.PutSymbolicLinkAsync(Clients.Name("through"), "x", new WritePrecondition { CreateNew = true }));
            await Fails.WithAsync(
                TransferError.PreconditionFailed,
                () => client.PutSymbolicLinkAsync(Clients.Name("through"), "x", new WritePrecondition { Match = [new EntityTag("no")] }));
            Assert.Equal("folder/out", SymbolicLink.Read(Server.PathOf("through")));
            using var http = new HttpClient();
            foreach (byte[] body in (byte[][])[[], new byte[5000], [0xFF, 0xFE], [0]])
            {
                HttpResponseMessage answer = await http.PostAsync(new Uri(Server.Files, "a?symlink"), new ByteArrayContent(body));
                Assert.InRange((int)answer.StatusCode, 400, 403);
            }

            Assert.False(Path.Exists(Server.PathOf("a")));
            Assert.False(Directory.Exists(Server.PathOf("folder/new")));
            RemoteEntry[] listed = await client.ListAsync(new ListOptions { Recursive = true, SymbolicLinks = true }).ToArrayAsync();
            Assert.DoesNotContain(listed, static entry => entry.Name.Value == "folder/out");
        }
        finally
        {
            File.Delete(outside);
        }
    }

    [NeedsFact(Need.Links | Need.Unix)]
    public async Task Links_of_a_token_stay_in_its_prefix()
    {
        string token = (await new TokenStore(TokenStore.DefaultPath(Server.Root)).AddAsync("mine", TransferScope.All, Clients.Name("mine"))).Secret;
        Server.Write("theirs/secret", 10);
        using TransferClient client = Server.Connect(options => options.Token = token);
        foreach ((string name, string target) in (ValueTuple<string, string>[])[("mine/a", "../theirs/secret"), ("mine/sub/a", "../../theirs/secret"), ("mine", "theirs")])
        {
            await Fails.WithAsync(TransferError.Forbidden, () => client.PutSymbolicLinkAsync(Clients.Name(name), target));
        }

        await client.PutSymbolicLinkAsync(Clients.Name("mine/sub/a"), "../b");
        Link(Server.Root, "mine/owner's", "../theirs/secret");
        RemoteEntry[] listed = await client
            .ListAsync(new ListOptions { Folder = Clients.Name("mine"), Recursive = true, SymbolicLinks = true }).ToArrayAsync();
        Assert.Equal("mine/sub/a", Assert.Single(listed).Name.Value);
        await Fails.WithAsync(TransferError.Forbidden, () => client.PutSymbolicLinkAsync(Clients.Name("theirs/a"), "secret"));
    }

    [NeedsFact(Need.Links | Need.Unix)]
    public async Task Servers_with_hidden_names_keep_no_links()
    {
        await using TestServer hiding = await TestServer.StartAsync(static options => options.HiddenNames = [".*"]);
        hiding.Write(".secret", 10);
        using TransferClient client = hiding.Connect();
        await Fails.WithAsync(TransferError.InvalidRequest, () => client.PutSymbolicLinkAsync(Clients.Name("a"), ".secret"));
        Assert.False(Path.Exists(hiding.PathOf("a")));
    }

    [NeedsTheory(Need.Links | Need.Unix)]
    [InlineData("/etc/passwd")]
    [InlineData("../outside")]
    [InlineData("sub/../../outside")]
    [InlineData("theirs/passwd")]
    [InlineData("")]
    public async Task Hostile_links_of_a_server_are_not_made(string target)
    {
        Directory.CreateSymbolicLink(Here["theirs"], "/etc");
        string listing = $$"""{"folder":"f","entries":[{"name":"f/evil","kind":"symlink","target":"{{target}}","etag":"\"1\""},{"name":"f/good","kind":"symlink","target":"file","etag":"\"1\""}]}""";
        await using HostileServer server = await HostileServer.StartDescribedAsync(context => HostileServer.JsonAsync(context, listing));
        using TransferClient client = Clients.To(server.Files);
        var sync = new FolderSync(
            SyncFolder.OnServer(client, Clients.Name("f")), SyncFolder.Here(Here.Path), new SyncOptions { SymbolicLinks = true });
        SyncPlan plan = await sync.PlanAsync();
        Assert.Equal(1, await sync.RunAsync(plan));
        Assert.Equal("file", SymbolicLink.Read(Here["good"]));
        Assert.False(new FileInfo(Here["evil"]).Exists || SymbolicLink.Read(Here["evil"]) is not null);
    }

    [NeedsFact(Need.Links | Need.Unix)]
    public async Task Nothing_is_written_through_a_link()
    {
        using TransferClient client = Server.Connect();
        Write(There.Path, "file", "untouched");
        Directory.CreateSymbolicLink(Here["folder"], There.Path);
        File.CreateSymbolicLink(Here["file"], There["file"]);
        Server.Write("f/folder/file", 10);
        Server.Write("f/file", 10);
        FolderSync down = Sync(client, "down", new SyncOptions { SymbolicLinks = true });
        var errors = new List<TransferException>();
        Assert.Equal(1, await down.RunAsync(await down.PlanAsync(), new Direct(done => errors.AddRange(done.Error is TransferException error ? [error] : []))));
        Assert.Contains("would be written through the link", Assert.Single(errors).Message, StringComparison.Ordinal);
        Assert.Equal("untouched", File.ReadAllText(There["file"]));
        Assert.Null(SymbolicLink.Read(Here["file"]));
        Assert.Equal(10, new FileInfo(Here["file"]).Length);
    }

    [NeedsFact(Need.Links | Need.Unix)]
    public async Task Link_is_never_missing_while_it_is_replaced()
    {
        using TransferClient client = Server.Connect();
        await client.PutSymbolicLinkAsync(Clients.Name("a"), "0");
        using var stop = new CancellationTokenSource();
        int count = 0;
        Task looks = Task.Run(() =>
        {
            for (; !stop.IsCancellationRequested; Interlocked.Increment(ref count))
            {
                Assert.NotNull(SymbolicLink.Read(Server.PathOf("a")));
            }
        });
        await Bounded.UntilAsync(() => looks.IsCompleted || Volatile.Read(ref count) > 0);
        await Parallel.ForEachAsync(Enumerable.Range(0, 100), async (i, token) => await client.PutSymbolicLinkAsync(Clients.Name("a"), $"{i}", default, token));
        await stop.CancelAsync();
        await looks;
        Assert.Equal(["a"], new DirectoryInfo(Server.Root).GetFileSystemInfos().Select(static info => info.Name).Where(static name => name != ".millrace"));
    }

    private static void Write(string folder, string name, string text)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(Path.Combine(folder, name))!);
        File.WriteAllText(Path.Combine(folder, name), text);
    }

    private static void Link(string folder, string name, string target)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(Path.Combine(folder, name))!);
        File.CreateSymbolicLink(Path.Combine(folder, name), target);
    }

    /// <summary>The content of every file and the target of every link.</summary>
    private static SortedDictionary<string, string> Tree(string root)
    {
        var tree = new SortedDictionary<string, string>(StringComparer.Ordinal);
        var folders = new Stack<string>([root]);
        while (folders.TryPop(out string? folder))
        {
            foreach (string path in Directory.GetFileSystemEntries(folder))
            {
                if (SymbolicLink.Read(path) is { } target)
                {
                    tree.Add(Path.GetRelativePath(root, path), "-> " + target);
                }
                else if (Directory.Exists(path))
                {
                    folders.Push(path);
                }
                else
                {
                    tree.Add(Path.GetRelativePath(root, path), File.ReadAllText(path));
                }
            }
        }

        return tree;
    }
}
