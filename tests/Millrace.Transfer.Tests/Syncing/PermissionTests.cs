using System.Formats.Tar;
using System.Runtime.Versioning;

namespace Millrace.Transfer.Tests.Syncing;

/// <summary>A program stays a program where that is asked for, over every protocol, and no other bit of a mode travels.</summary>
[UnsupportedOSPlatform("windows")]
public sealed class PermissionTests : ServerTest
{
    private const UnixFileMode Readable = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead;
    private const UnixFileMode Program = Readable | UnixFileMode.UserExecute | UnixFileMode.GroupExecute;
    private const UnixFileMode Any = UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute;

    [NeedsTheory(Need.Unix), EveryProtocol(ProtocolSet.AllAndHttp2, 100, 400_000)]
    public async Task Program_is_one_at_the_other_side(TransferProtocol protocol, int bytes)
    {
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);
        string path = Write("x", Program | UnixFileMode.SetUser | UnixFileMode.SetGroup, bytes);

        await client.PutAsync(path, Clients.Name("x"), new PutOptions { Permissions = true });
        await client.PutAsync(path, Clients.Name("y"));

        AssertMode(true, Server.PathOf("x"));
        AssertMode(false, Server.PathOf("y"));
        Assert.False(File.GetUnixFileMode(Server.PathOf("x")).HasFlag(UnixFileMode.SetUser));
        Assert.True((await client.FindAsync(Clients.Name("x")))!.IsExecutable);
        Assert.False((await client.FindAsync(Clients.Name("y")))!.IsExecutable);
        var listed = new List<bool>();
        await foreach (RemoteEntry entry in client.ListAsync(default, recursive: false))
        {
            listed.Add(entry.IsExecutable);
        }

        Assert.Equal([true, false], listed);
        foreach (string name in (string[])["x", "y"])
        {
            await client.GetAsync(Clients.Name(name), Folder["with-" + name], new GetOptions { Permissions = true, Resume = true });
            await client.GetAsync(Clients.Name(name), Folder["without-" + name]);
            AssertMode(name == "x", Folder["with-" + name]);
            AssertMode(false, Folder["without-" + name]);
        }

        // And no more.
        File.SetUnixFileMode(path, Readable);
        await client.PutAsync(path, Clients.Name("x"), new PutOptions { Permissions = true });
        AssertMode(false, Server.PathOf("x"));
        await client.GetAsync(Clients.Name("x"), Folder["with-x"], new GetOptions { Permissions = true });
        AssertMode(false, Folder["with-x"]);
    }

    [NeedsFact(Need.Unix)]
    public async Task New_version_without_the_bit_has_the_mode_of_the_old_one()
    {
        using TransferClient client = Server.Connect();
        string path = Write("x", Program, 100);
        await client.PutAsync(path, Clients.Name("x"), new PutOptions { Permissions = true });
        await client.PutAsync(Write("z", Readable, 200), Clients.Name("x"));
        AssertMode(true, Server.PathOf("x"));
    }

    [NeedsFact(Need.Unix)]
    public async Task Sync_transfers_what_differs_in_that_bit_alone()
    {
        using TransferClient client = Server.Connect();
        Write("tree/run", Program, 100);
        Write("tree/text", Readable, 100);
        SyncFolder here = SyncFolder.Here(Folder["tree"]);
        SyncFolder there = SyncFolder.OnServer(client, Clients.Name("tree"));
        var options = new SyncOptions { Permissions = true };
        Assert.Equal(["run", "text"], await SyncAsync(here, there, options));
        Assert.Empty(await SyncAsync(here, there, options));
        AssertMode(true, Server.PathOf("tree/run"));

        File.SetUnixFileMode(Folder["tree/run"], Readable);
        File.SetUnixFileMode(Folder["tree/text"], Program);
        Assert.Empty(await SyncAsync(here, there, new SyncOptions()));
        Assert.Equal(["run", "text"], await SyncAsync(here, there, options));
        AssertMode(false, Server.PathOf("tree/run"));
        AssertMode(true, Server.PathOf("tree/text"));

        // Back, to a copy that differs, and between folders here.
        SyncFolder back = SyncFolder.Here(Folder["back"]);
        Assert.Equal(["run", "text"], await SyncAsync(there, back, options));
        AssertMode(true, Folder["back/text"]);
        File.SetUnixFileMode(Folder["back/text"], Readable);
        Assert.Equal(["text"], await SyncAsync(there, back, options));
        AssertMode(true, Folder["back/text"]);
        File.SetUnixFileMode(Folder["back/text"], Readable);
        Assert.Equal(["text"], await SyncAsync(here, back, options));
        AssertMode(true, Folder["back/text"]);
        Assert.Empty(await SyncAsync(here, back, options));
    }

    [NeedsFact(Need.Unix)]
    public async Task Copies_and_archives_have_it()
    {
        using TransferClient client = Server.Connect();
        await client.PutAsync(Write("x", Program, 100), Clients.Name("x"), new PutOptions { Permissions = true });
        await client.PutAsync(Write("y", Readable, 100), Clients.Name("y"), new PutOptions { Permissions = true });
        using var http = new HttpClient();
        using var copy = new HttpRequestMessage(new HttpMethod("COPY"), new Uri(Server.Files, "x"));
        copy.Headers.Add("Destination", new Uri(Server.Files, "z").AbsoluteUri);
        using HttpResponseMessage copied = await http.SendAsync(copy);
        Assert.True(copied.IsSuccessStatusCode);
        AssertMode(true, Server.PathOf("z"));

        await using Stream archive = await http.GetStreamAsync(new Uri(Server.Files, "?archive=tar"));
        await using var reader = new TarReader(archive);
        var modes = new SortedDictionary<string, bool>(StringComparer.Ordinal);
        while (await reader.GetNextEntryAsync() is { } entry)
        {
            if (entry.EntryType == TarEntryType.RegularFile)
            {
                modes[Path.GetFileName(entry.Name)] = entry.Mode.HasFlag(UnixFileMode.OtherExecute);
            }
        }

        Assert.Equal([("x", true), ("y", false), ("z", true)], modes.Select(static mode => (mode.Key, mode.Value)));
    }

    [NeedsTheory(Need.Unix)]
    [InlineData("1")]
    [InlineData("?2")]
    [InlineData("true")]
    public async Task Malformed_field_is_refused(string value)
    {
        using var http = new HttpClient();
        using var put = new HttpRequestMessage(HttpMethod.Put, new Uri(Server.Files, "x")) { Content = new ByteArrayContent([1]) };
        put.Headers.Add("Millrace-Executable", value);
        using HttpResponseMessage answer = await http.SendAsync(put);
        Assert.Equal(System.Net.HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Empty(Server.Visible());
    }

    private static async Task<IReadOnlyList<string>> SyncAsync(SyncFolder source, SyncFolder target, SyncOptions options)
    {
        var sync = new FolderSync(source, target, options);
        SyncPlan plan = await sync.PlanAsync();
        Assert.Equal(0, await sync.RunAsync(plan));
        return [.. plan.Phases.SelectMany(static phase => phase).Select(static step => step.Name.Value).Order(StringComparer.Ordinal)];
    }

    private string Write(string name, UnixFileMode mode, int bytes)
    {
        string path = Folder.Write(name, Content.Random(bytes));
        File.SetUnixFileMode(path, mode);
        return path;
    }

    private static void AssertMode(bool isExecutable, string path)
    {
        UnixFileMode mode = File.GetUnixFileMode(path);
        UnixFileMode expected = isExecutable ? (UnixFileMode)(((int)mode >> 2) & (int)Any) : UnixFileMode.None;
        Assert.Equal(expected, mode & Any);
    }
}
