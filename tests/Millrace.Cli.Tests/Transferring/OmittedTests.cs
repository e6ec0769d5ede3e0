using System.Formats.Tar;
using System.IO.Compression;
using System.Net;
using System.Runtime.Versioning;
using System.Text;
using System.Text.Json;
using Millrace.Transfer;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Entries that a server cannot list are neither deleted nor ignored silently.</summary>
[Trait("Tier", "All")]
public sealed class OmittedTests : CommandTests
{
    [NeedsTheory(Need.Unix)]
    [InlineData("http1")]
    [InlineData("grpc")]
    [InlineData("grpc-web")]
    [InlineData("grpc-web-text")]
    public async Task Commands_say_how_many_entries_a_server_leaves_out(string via)
    {
        Folder.Write("served/music/02.mp3", [2]);
        Folder.Write("served/music/01 - What is love?.mp3", [1]);
        Folder.Write("served/music/sub/aux.txt", [3]);
        Folder.Write("served/only/a:b", [4]);
        using ServedCommand server = await ServeAsync("served", "--names", "portable");
        string url = server.Files + "music/";

        (int exitCode, string output, string error) = await RunAsync("ls", url, "--via", via);
        Assert.Equal((4, "02.mp3\nsub/\n"), (exitCode, output));
        Assert.StartsWith($"millrace ls: 1 entry of {url} is not listed: 1 with names that the server does not take.", error, StringComparison.Ordinal);
        (exitCode, output, error) = await RunAsync("ls", "-r", url, "--via", via);
        Assert.Equal((4, "02.mp3\n"), (exitCode, output));
        Assert.StartsWith($"millrace ls: 2 entries of {url} are not listed: 2 with names ", error, StringComparison.Ordinal);
        (exitCode, output, error) = await RunAsync("ls", "-r", "--json", url, "--via", via);
        Assert.Equal(4, exitCode);
        Assert.Equal(2, Lines(output)[^1].GetProperty("omitted").GetInt32());
        Assert.Equal((2, 0), (Lines(output)[^1].GetProperty("omittedNames").GetInt32(), Lines(output)[^1].GetProperty("omittedKinds").GetInt32()));

        (exitCode, _, error) = await RunAsync("get", url, "got", "--via", via);
        Assert.Equal(4, exitCode);
        Assert.StartsWith("millrace get: 2 entries of ", error, StringComparison.Ordinal);
        Assert.Equal([2], File.ReadAllBytes(Folder["got/02.mp3"]));
        (exitCode, _, error) = await RunAsync("get", server.Files + "only/", "nothing", "--via", via);
        Assert.Equal(4, exitCode);
        Assert.Contains("1 entry of", error, StringComparison.Ordinal);

        (exitCode, _, error) = await RunAsync("rm", "-r", "-y", url, "--via", via);
        Assert.Equal(4, exitCode);
        Assert.StartsWith("millrace rm: 2 entries of ", error, StringComparison.Ordinal);
        Assert.False(File.Exists(Folder["served/music/02.mp3"]));
        (exitCode, _, error) = await RunAsync("rm", "-r", "-y", server.Files + "only/", "--via", via);
        Assert.Equal(4, exitCode);
        Assert.Contains("1 entry of", error, StringComparison.Ordinal);
        Assert.True(File.Exists(Folder["served/music/01 - What is love?.mp3"]));
        Assert.True(File.Exists(Folder["served/music/sub/aux.txt"]));
        Assert.True(File.Exists(Folder["served/only/a:b"]));
    }

    [NeedsTheory(Need.Linux)]
    [InlineData("http1")]
    [InlineData("grpc")]
    [InlineData("grpc-web")]
    public async Task Each_reason_is_counted(string via)
    {
        Folder.Write("served/f/ok", [1]);
        Folder.Write("served/f/a:b", [1]);
        Folder.Write("served/f/c:d", [1]);
        Shell.Run("mkfifo", Folder["served/f/fifo"]);
        File.CreateSymbolicLink(Folder["served/f/gone"], "nothing");
        File.CreateSymbolicLink(Folder["served/f/out"], "/");
        using ServedCommand server = await ServeAsync("served", "--names", "portable");

        (int exitCode, string output, string error) = await RunAsync("ls", server.Files + "f/", "--via", via);

        Assert.Equal((4, "ok\n"), (exitCode, output));
        Assert.EndsWith(
            "5 entries of " + server.Files + "f/ are not listed: 2 with names that the server does not take, 3 that are no files or folders, or links that lead nowhere or out.\n",
            error,
            StringComparison.Ordinal);
    }

    [NeedsTheory(Need.Linux), InlineData("put"), InlineData("sync")]
    public async Task Why_an_entry_here_is_left_out_is_said(string command)
    {
        Folder.Write("up/ok", [1]);
        File.CreateSymbolicLink(Folder["up/gone"], "nothing");
        Shell.Run("sh", "-c", $"touch \"$(printf '{Folder["up"]}/\\377')\"");
        Directory.CreateDirectory(Folder["served"]);
        using ServedCommand server = await ServeAsync("served");

        (int exitCode, _, string error) = await RunAsync(command, "up", server.Files);
        // The framework cannot.
        Shell.Run("rm", "-r", Folder["up"]);

        Assert.Equal(4, exitCode);
        Assert.Contains("/gone' is a link to nothing and was left out.", error, StringComparison.Ordinal);
        Assert.Contains("/\uFFFD' is a file whose name is not UTF-8, and was left out. Rename it.", error, StringComparison.Ordinal);
    }

    [NeedsTheory(Need.Unix)]
    [UnsupportedOSPlatform("windows")]
    [InlineData(UnixFileMode.None)]
    [InlineData(UnixFileMode.UserExecute)]
    [InlineData(UnixFileMode.UserRead)]
    public async Task Folder_that_the_server_may_not_read_is_missed_everywhere(UnixFileMode mode)
    {
        Folder.Write("served/all/a", [1]);
        Folder.Write("served/all/sub/b", [2]);
        IsBoundByRights = true;
        using ServedCommand server = await ServeAsync("served");
        File.SetUnixFileMode(Folder["served/all/sub"], mode);
        try
        {
            string all = server.Files + "all/";
            (int exitCode, string output, string error) = await RunAsync("ls", "-r", all);
            Assert.Equal((4, "a\n"), (exitCode, output));
            Assert.EndsWith("is not listed: 1 that the server may not read.\n", error, StringComparison.Ordinal);
            (exitCode, _, error) = await RunAsync("get", all, "got");
            Assert.Equal(4, exitCode);
            Assert.Contains("1 entry of", error, StringComparison.Ordinal);
            Assert.Equal([1], File.ReadAllBytes(Folder["got/a"]));

            using var zip = new ZipArchive(await server.Client.GetStreamAsync("files/all/?archive=zip"));
            Assert.Equal(["a", "millrace-omitted.txt"], zip.Entries.Select(entry => entry.FullName));
            using (var text = new StreamReader(await zip.Entries[1].OpenAsync()))
            {
                Assert.Equal("1 entry of this folder is left out: 1 that the server may not read.\n", await text.ReadToEndAsync());
            }

            await using var tar = new TarReader(await server.Client.GetStreamAsync("files/all/?archive=tar"));
            Assert.Equal(["a", "millrace-omitted.txt"], [(await tar.GetNextEntryAsync())!.Name, (await tar.GetNextEntryAsync())!.Name]);

            // It does not seem to be empty.
            await FailAsync("ls", all + "sub/");
            foreach (string accept in (string[])["application/json", "text/html"])
            {
                using var request = new HttpRequestMessage(HttpMethod.Get, "files/all/sub/");
                request.Headers.Accept.ParseAdd(accept);
                using HttpResponseMessage refused = await server.Client.SendAsync(request);
                Assert.Equal(HttpStatusCode.Forbidden, refused.StatusCode);
            }

            using var delete = new HttpRequestMessage(HttpMethod.Delete, "files/all/");
            delete.Headers.Add("Depth", "infinity");
            using HttpResponseMessage kept = await server.Client.SendAsync(delete);
            using JsonDocument problem = JsonDocument.Parse(await kept.Content.ReadAsStringAsync());
            Assert.Equal((HttpStatusCode.Conflict, 1), (kept.StatusCode, problem.RootElement.GetProperty("omitted").GetInt32()));
        }
        finally
        {
            File.SetUnixFileMode(Folder["served/all/sub"], UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }

        Assert.Equal([2], File.ReadAllBytes(Folder["served/all/sub/b"]));
    }

    [NeedsTheory(Need.Unix)]
    [InlineData("http1")]
    [InlineData("tus")]
    [InlineData("grpc")]
    [InlineData("grpc-web")]
    public async Task Put_names_what_the_server_does_not_take_and_uploads_the_others(string via)
    {
        Folder.Write("tree/a:b.png", [1]);
        Folder.Write("tree/sub/aux.c", [2]);
        Folder.Write("tree/sub/ok", [3]);
        Folder.Write("tree/MILLRA~1", [4]);
        Directory.CreateSymbolicLink(Folder["tree/link"], Folder["tree/sub"]);
        using ServedCommand server = await ServeAsync("served", "--names", "portable");

        (int exitCode, string output, string error) = await RunAsync("put", "tree", server.Files, "--via", via);
        Assert.Equal(4, exitCode);
        Assert.Contains("; 4 left out: 3 with names that the server does not take, 1 that are links to folders, FIFOs, sockets or devices.", output, StringComparison.Ordinal);
        foreach (string name in (string[])["tree/a:b.png", "tree/sub/aux.c", "tree/MILLRA~1", "tree/link"])
        {
            Assert.Contains($"millrace put: {name} to ", error, StringComparison.Ordinal);
        }

        Assert.Equal("tree/sub/ok\n", await SucceedAsync("ls", "-r", server.Files));
        (exitCode, output, error) = await RunAsync("put", "tree", "missing", server.Files, "--via", via);
        Assert.Equal(1, exitCode);
        Assert.Contains("; 1 failed; 4 left out: 3 with names that the server does not take, 1 that are links to folders, FIFOs, sockets or devices.", output, StringComparison.Ordinal);

        // Named by the user, it is not left out of anything.
        await FailAsync("put", "tree/a:b.png", server.Files, "--via", via);
    }

    [NeedsFact(Need.Unix)]
    public async Task Files_whose_names_Windows_cannot_have_are_left_out_there()
    {
        Folder.Write("served/f/12:30/x", [1]);
        Folder.Write("served/f/ok", [2]);
        Folder.Write("served/a:b/ok", [3]);
        using ServedCommand server = await ServeAsync("served");
        using var session = new TransferSession(new TransferClientOptions());
        (TransferTarget target, TransferClient client) = await session.OpenAsync(TransferTarget.Parse(server.Files + "f/"), default);

        List<TransferItem> items = await GetPlan.ListAsync(client, target, "got", static _ => { }, default, isWindows: true);
        Assert.Equal(["f/12:30/x", "f/ok"], items.Select(static item => item.Name.Value));
        Assert.Null(items[1].Refused);
        var outcome = new TransferOutcome(items[0], null, items[0].Refused, 0);
        Assert.True(outcome.IsLeftOut);
        Assert.Contains("Windows", outcome.Error!.Message, StringComparison.Ordinal);

        // The folder itself becomes one of the user's choice.
        (target, client) = await session.OpenAsync(TransferTarget.Parse(server.Files + "a:b/"), default);
        Assert.Null(Assert.Single(await GetPlan.ListAsync(client, target, "got", static _ => { }, default, isWindows: true)).Refused);
    }

    [NeedsTheory(Need.Unix)]
    [InlineData("http1")]
    [InlineData("tus")]
    [InlineData("grpc")]
    [InlineData("grpc-web-text")]
    public async Task Names_that_only_Windows_forbids_go_there_and_back(string via)
    {
        string[] names = ["a:b.png", "aux.c", "What?.mp3", "dots.", "back\\slash", "esc\u001b[2J", "line\nbreak", "c1\u009b", "turn\u202Egpj.exe"];
        foreach (string name in names)
        {
            Folder.Write($"tree/{name}", Encoding.UTF8.GetBytes(name));
        }

        using ServedCommand server = await ServeAsync("served");
        string printed = await SucceedAsync("put", "tree", server.Files, "--via", via);
        printed += await SucceedAsync("ls", "-r", server.Files);
        printed += await SucceedAsync("ls", "--long", server.Files + "tree/");
        printed += await SucceedAsync("ls", "--json", server.Files + "tree/");
        printed += await SucceedAsync("get", server.Files + "tree/", "back", "--via", via);
        printed += await SucceedAsync("get", server.Files + "tree/line%0Abreak", "--via", via);
        printed += await SucceedAsync("put", "tree/esc\u001b[2J", server.Files + "again/", "--via", via);
        printed += await FailAsync("put", "missing\u001b[2J\n", server.Files + "again/", "--via", via);
        printed += await FailAsync("get", server.Files + "missing%1B%5B2J%0A", "--via", via);
        Assert.Equal(Digests("tree"), Digests("back"));
        Assert.Equal("line\nbreak", File.ReadAllText(Folder["line\nbreak"]));
        printed += await SucceedAsync("rm", "-r", "-y", server.Files + "tree/");
        Assert.Equal("again/esc\uFFFD[2J\n", await SucceedAsync("ls", "-r", server.Files));
        Assert.True(PrintableText.IsClean(printed.Replace("\n", "", StringComparison.Ordinal)), printed);
    }

    [NeedsFact(Need.Unix)]
    [UnsupportedOSPlatform("windows")]
    public async Task Folder_that_cannot_be_read_is_named_and_the_others_are_uploaded()
    {
        Folder.Write("tree/a", [1]);
        Folder.Write("tree/closed/b", [2]);
        Folder.Write("tree/open/c", [3]);
        Directory.CreateDirectory(Folder["served"]);
        using ServedCommand server = await ServeAsync("served");
        IsBoundByRights = true;
        File.SetUnixFileMode(Folder["tree/closed"], UnixFileMode.None);
        try
        {
            Assert.Contains("tree/closed", await FailAsync("put", "tree", server.Files), StringComparison.Ordinal);
        }
        finally
        {
            File.SetUnixFileMode(Folder["tree/closed"], UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }

        Assert.Equal("tree/a\ntree/open/c\n", await SucceedAsync("ls", "-r", server.Files));
    }
}
