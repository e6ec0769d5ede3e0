using System.Net;
using System.Text;

namespace Millrace.Transfer.Tests.Folders;

public sealed class FolderTests : ServerTest
{
    [Theory, EveryProtocol(ProtocolSet.Downloads)]
    public async Task Folder_makes_a_round_trip_with_its_names(TransferProtocol protocol)
    {
        using var here = new TemporaryFolder();
        using var back = new TemporaryFolder();
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);
        for (int i = 0; i < 30; i++)
        {
            here.Write($"sub {i % 3}/ä{i}.bin", Content.Random(i * 20_000, i));
        }

        IReadOnlyList<TransferResult> put = await client.PutFolderAsync(here.Path, Clients.Name("all"));
        IReadOnlyList<TransferResult> got = await client.GetFolderAsync(Clients.Name("all"), back.Path);

        Assert.Equal(30, put.Count);
        Assert.Equal(put.Select(result => (result.Name, result.Sha256)), got.Select(result => (result.Name, result.Sha256)));
        Assert.Equal(here.Files, back.Files);
        Assert.All(here.Files, name => Assert.Equal(File.ReadAllBytes(here[name]), File.ReadAllBytes(back[name])));
    }

    [NeedsTheory(Need.Unix), EveryProtocol]
    public async Task Names_that_Windows_cannot_have_make_a_round_trip(TransferProtocol protocol)
    {
        using var here = new TemporaryFolder();
        using var back = new TemporaryFolder();
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);
        foreach (string name in (string[])[
            "a:b.png", "c:/aux.c", "What?.mp3", "dots ./...", "back\\slash", "esc\u001b[2J", "line\nbreak", "c1\u009b\u007f", "turn\u202Egpj.exe", new('x', 255)])
        {
            here.Write($"f/{name}", Content.Random(1_000, name.Length));
        }

        await client.PutFolderAsync(here["f"], Clients.Name("12:30?"));
        await client.GetFolderAsync(Clients.Name("12:30?"), back["f"]);
        Assert.Equal(10, back.Files.Count);
        Assert.Equal(here.Files, back.Files);
        Assert.All(here.Files, name => Assert.Equal(File.ReadAllBytes(here[name]), File.ReadAllBytes(back[name])));
        await client.MoveAsync(Clients.Name("12:30?/a:b.png"), Clients.Name("12:30?/nul."));
        Assert.True(await client.DeleteAsync(Clients.Name("12:30?/nul.")));
        Assert.True(await client.DeleteFolderAsync(Clients.Name("12:30?")));
        Assert.Empty(Server.Visible());
    }

    [NeedsFact(Need.Unix)]
    public async Task Failures_are_gathered_and_the_others_go_on()
    {
        using var here = new TemporaryFolder();
        using TransferClient client = Server.Connect();
        here.Write("a", [1]);
        here.Write("MILLRA~1", [2]);
        here.Write("b", [3]);

        AggregateException exception = await Assert.ThrowsAsync<AggregateException>(() => client.PutFolderAsync(here.Path));

        Assert.Equal(TransferError.InvalidName, Assert.IsType<TransferException>(Assert.Single(exception.InnerExceptions)).Error);
        Assert.Equal(["a", "b"], Server.Visible());
    }

    [NeedsFact(Need.Unix)]
    public async Task Folder_that_cannot_be_read_is_one_failure()
    {
        using var here = new TemporaryFolder();
        using TransferClient client = Server.Connect();
        string half = string.Join('/', Enumerable.Repeat(new string('d', 200), 11));
        here.Write("all/a", [1]);
        here.Write($"deep/{half}/b", [2]);
        Directory.CreateDirectory(here[$"all/{half}"]);

        // Its path is too long for the system.
        Directory.Move(here["deep"], here[$"all/{half}/deep"]);
        try
        {
            AggregateException exception = await Assert.ThrowsAsync<AggregateException>(() => client.PutFolderAsync(here["all"]));
            Assert.IsType<PathTooLongException>(Assert.Single(exception.InnerExceptions));
        }
        finally
        {
            Directory.Move(here[$"all/{half}/deep"], here["deep"]);
        }

        Assert.Equal(["a"], Server.Visible());
    }

    [NeedsFact(Need.Unix)]
    public async Task FIFO_in_a_folder_is_refused_and_not_waited_for()
    {
        using var here = new TemporaryFolder();
        using TransferClient client = Server.Connect();
        here.Write("a", [1]);
        Shell.Run("mkfifo", here["fifo"]);
        File.CreateSymbolicLink(here["link"], "fifo");

        AggregateException exception = await Assert.ThrowsAsync<AggregateException>(() => client.PutFolderAsync(here.Path).Soon());

        Assert.Equal(2, exception.InnerExceptions.Count);
        Assert.All(exception.InnerExceptions, inner => Assert.Contains("FIFO", inner.Message, StringComparison.Ordinal));
        Assert.Equal(["a"], Server.Visible());
    }

    [NeedsFact(Need.Links)]
    public async Task A_link_in_the_target_does_not_lead_out_of_it()
    {
        using var here = new TemporaryFolder();
        using var outside = new TemporaryFolder();
        using TransferClient client = Server.Connect();
        Server.Write("d/x", 100);
        Server.Write("y", 100);
        Directory.CreateSymbolicLink(here["d"], outside.Path);

        AggregateException exception = await Assert.ThrowsAsync<AggregateException>(
            () => client.GetFolderAsync(default, here.Path));

        Assert.Equal(TransferError.Forbidden, Assert.IsType<TransferException>(Assert.Single(exception.InnerExceptions)).Error);
        Assert.Empty(outside.Files);
        Assert.True(File.Exists(here["y"]));
    }

    [Theory]
    [InlineData("../evil")]
    [InlineData("/etc/evil")]
    [InlineData("a/../../evil")]
    [InlineData("other/x")]
    public async Task A_listing_that_leads_out_of_the_folder_is_refused(string listed)
    {
        using var here = new TemporaryFolder();
        using var handler = new LyingServer(listed);
        using var client = new TransferClient(new Uri("http://127.0.0.1:9/files/"), handler, disposeHandler: false);

        await Fails.WithAsync(TransferError.Protocol, () => client.GetFolderAsync(Clients.Name("mine"), here.Path));
        Assert.Empty(here.Files);
    }

    [Fact]
    public async Task Files_with_impossible_lengths_in_a_listing_are_downloaded()
    {
        using var here = new TemporaryFolder();
        using var handler = new LyingServer("mine/a", length: -5);
        using var client = new TransferClient(new Uri("http://127.0.0.1:9/files/"), handler, disposeHandler: false);

        await client.GetFolderAsync(Clients.Name("mine"), here.Path);
        Assert.Equal(["a"], here.Files);
    }

    [Theory, EveryProtocol(ProtocolSet.Downloads)]
    public async Task Listing_spans_pages_and_folders(TransferProtocol protocol)
    {
        for (int i = 0; i < 1500; i++)
        {
            Server.Write($"d/{i:d4}", 0);
        }

        using TransferClient client = Server.Connect(options => options.Protocol = protocol);
        var names = new List<string>();
        await foreach (RemoteEntry entry in client.ListAsync(recursive: true))
        {
            names.Add(entry.Name.Value);
        }

        Assert.Equal(Enumerable.Range(0, 1500).Select(i => $"d/{i:d4}"), names);
        await foreach (RemoteEntry entry in client.ListAsync())
        {
            Assert.True(entry.IsFolder);
        }
    }

    [Theory, EveryProtocol(ProtocolSet.Downloads)]
    public async Task Files_are_found_and_deleted(TransferProtocol protocol)
    {
        byte[] content = Server.Write("x", 1000);
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);

        StoredFile? found = await client.FindAsync(Clients.Name("x"));

        Assert.Equal(1000, found!.Length);
        Assert.Equal(Sha256Digest.Compute(content), found.Sha256);
        Assert.True(await client.DeleteAsync(Clients.Name("x")));
        Assert.False(await client.DeleteAsync(Clients.Name("x")));
        Assert.Null(await client.FindAsync(Clients.Name("x")));
    }

    [Theory, EveryProtocol(ProtocolSet.Downloads)]
    public async Task Folders_are_created_moved_and_deleted(TransferProtocol protocol)
    {
        Server.Write("x", 1000);
        Server.Write("y", 10);
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);

        await client.CreateFolderAsync(Clients.Name("a b"));
        TransferException taken = await Assert.ThrowsAsync<TransferException>(() => client.CreateFolderAsync(Clients.Name("a b")));
        Assert.Equal(TransferError.AlreadyExists, taken.Error);
        await client.MoveAsync(Clients.Name("x"), Clients.Name("a b/x"));
        await client.MoveAsync(Clients.Name("a b"), Clients.Name("c%d"));
        Assert.Equal(1000, (await client.FindAsync(Clients.Name("c%d/x")))!.Length);

        taken = await Assert.ThrowsAsync<TransferException>(() => client.MoveAsync(Clients.Name("y"), Clients.Name("c%d/x")));
        Assert.Equal(TransferError.AlreadyExists, taken.Error);
        await client.MoveAsync(Clients.Name("y"), Clients.Name("c%d/x"), new MoveOptions { Replace = true });
        Assert.Equal(10, (await client.FindAsync(Clients.Name("c%d/x")))!.Length);
        TransferException missing = await Assert.ThrowsAsync<TransferException>(() => client.MoveAsync(Clients.Name("y"), Clients.Name("z")));
        Assert.Equal(TransferError.NotFound, missing.Error);

        Assert.True(await client.DeleteFolderAsync(Clients.Name("c%d")));
        Assert.False(await client.DeleteFolderAsync(Clients.Name("c%d")));
    }

    [NeedsTheory(Need.Unix), EveryProtocol(ProtocolSet.Downloads)]
    public async Task What_a_server_leaves_out_is_counted_and_not_deleted(TransferProtocol protocol)
    {
        Server.Write("f/a", 10);
        Server.Write("f/MILLRA~1", 10);
        Server.Write("f/sub/.millrace-mine", 10);
        using var back = new TemporaryFolder();
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);

        OmittedEntries omitted = default;
        Assert.Equal(2, await client.ListAsync(Clients.Name("f"), false, count => omitted += count).CountAsync());
        Assert.Equal(new OmittedEntries { Names = 1 }, omitted);
        AggregateException missing = await Assert.ThrowsAsync<AggregateException>(() => client.GetFolderAsync(Clients.Name("f"), back.Path));
        Assert.Equal(2, Assert.IsType<TransferException>(Assert.Single(missing.InnerExceptions)).Omitted);
        Assert.Equal(["a"], back.Files);
        TransferException refused = await Assert.ThrowsAsync<TransferException>(() => client.DeleteFolderAsync(Clients.Name("f")));
        Assert.Equal(2, refused.Omitted);
        Assert.Equal(10, (await client.FindAsync(Clients.Name("f/a")))!.Length);
    }

    /// <summary>A server that lists invalid entries, which ours cannot do.</summary>
    private sealed class LyingServer(string listed, int length = 1) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
            Task.FromResult(request.RequestUri!.AbsolutePath.StartsWith("/.well-known", StringComparison.Ordinal)
                ? new HttpResponseMessage(HttpStatusCode.NotFound)
                : new HttpResponseMessage
                {
                    Content = new StringContent(
                        $$"""{"folder":"mine","entries":[{"name":"{{listed}}","kind":"file","length":{{length}} }]}""", Encoding.UTF8, "application/json"),
                });
    }
}
