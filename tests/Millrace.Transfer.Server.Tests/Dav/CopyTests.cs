namespace Millrace.Transfer.Server.Tests.Dav;

public sealed class CopyTests : DavTest
{
    [Fact]
    public async Task Copy_has_the_bytes_the_date_and_the_digest_of_the_file()
    {
        byte[] content = Content.Of(300_000);
        await SendAsync(HttpMethod.Put, "files/a", new ByteArrayContent(content), ("Millrace-Modified", "1000000000.5")).AnswersAsync(HttpStatusCode.Created);
        using HttpResponseMessage copied = await CopyAsync("files/a", "/files/b%20c");
        Assert.Equal((HttpStatusCode.Created, "/files/b%20c"), (copied.StatusCode, copied.Headers.Location?.OriginalString));
        using HttpResponseMessage first = await GetAsync("files/a");
        using HttpResponseMessage second = await GetAsync("files/b%20c");
        Assert.Equal(content, await second.Content.ReadAsByteArrayAsync());
        Assert.Equal("1000000000.5", second.Headers.GetValues("Millrace-Modified").Single());
        Assert.Equal(first.Headers.GetValues("Repr-Digest").Single(), second.Headers.GetValues("Repr-Digest").Single());
        Assert.Equal(copied.Headers.ETag, second.Headers.ETag);
    }

    [Fact]
    public async Task Folder_is_copied_with_everything_in_it_or_alone()
    {
        await Server.WriteAsync("f/a", "a"u8.ToArray());
        await Server.WriteAsync("f/g/b", "b"u8.ToArray());
        await StatusIsAsync(201, DavAsync("MKCOL", "files/f/empty/"));
        await StatusIsAsync(201, CopyAsync("files/f/", "/files/h/"));
        await StatusIsAsync(201, CopyAsync("files/f/", "/files/i/", ("Depth", "0")));
        Assert.Equal("a", await Client.GetStringAsync(Server.Url("files/h/a")));
        Assert.Equal("b", await Client.GetStringAsync(Server.Url("files/h/g/b")));
        Assert.Equal(["/files/h/", "/files/h/a", "/files/h/empty/", "/files/h/g/"], (await FindAsync("files/h/", 1)).Keys.Order(StringComparer.Ordinal));
        Assert.Equal(["/files/i/"], (await FindAsync("files/i/", 1)).Keys);
    }

    [Theory]
    [InlineData("files/none", "/files/x", null, 404)]
    [InlineData("files/a", "/files/none/x", null, 409)]
    [InlineData("files/a", "/files/a", null, 403)]
    [InlineData("files/f/", "/files/f/x/", null, 403)]
    [InlineData("files/f/b", "/files/f", null, 403)]
    [InlineData("files/", "/files/x/", null, 403)]
    [InlineData("files/a", "/files/f", null, 409)]
    [InlineData("files/a", "/files/f/b", "F", 412)]
    [InlineData("files/f/", "/files/a", "F", 412)]
    [InlineData("files/a", "/files/f/b", null, 204)]
    [InlineData("files/a", "/files/f", "T", 204)]
    [InlineData("files/f/", "/files/a", "T", 204)]
    [InlineData("files/a", "http://example.org/files/x", null, 400)]
    [InlineData("files/a", "/uploads/x", null, 400)]
    [InlineData("files/a", "/files/../x", null, 400)]
    [InlineData("files/a", "/files/.millrace/x", null, 400)]
    [InlineData("files/.millrace/lock", "/files/x", null, 400)]
    public async Task Overwrite_and_names_decide_what_is_copied(string from, string to, string? overwrite, int status)
    {
        await Server.WriteAsync("a", "a"u8.ToArray());
        await Server.WriteAsync("f/b", "b"u8.ToArray());
        await StatusIsAsync(status, overwrite is null ? CopyAsync(from, to) : CopyAsync(from, to, ("Overwrite", overwrite)));
        if (status >= 400)
        {
            Assert.Equal(["a", "f/b"], Server.VisibleFiles());
        }
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Copies_of_a_killed_server_are_removed_at_the_start()
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        await StatusIsAsync(201, CopyAsync("files/a", "/files/b"));
        string copies = Path.Combine(Server.Root, ".millrace", "copies");
        Assert.Empty(Directory.GetFiles(copies));
        using var folder = new TemporaryFolder();
        Directory.CreateDirectory(Path.Combine(folder.Path, ".millrace", "copies"));
        await File.WriteAllTextAsync(Path.Combine(folder.Path, ".millrace", "copies", "x"), "x");
        await using (new LocalFileStore(folder.Path))
        {
            Assert.False(File.Exists(Path.Combine(folder.Path, ".millrace", "copies", "x")));
        }
    }

    [Theory]
    [InlineData("COPY")]
    [InlineData("MOVE")]
    public async Task Folder_takes_the_place_of_a_folder_with_its_properties(string method)
    {
        if (method == "MOVE" && !Server.Store.CanMoveFolders)
        {
            return;
        }

        await Server.WriteAsync("f/a", "a"u8.ToArray());
        await Server.WriteAsync("f/g/b", "b"u8.ToArray());
        await Server.WriteAsync("h/old", "old"u8.ToArray());
        await Server.WriteAsync("h/g/c", "c"u8.ToArray());
        await StatusIsAsync(207, DavAsync("PROPPATCH", "files/f/a", Set("<x xmlns=\"urn:x\">new</x>")));
        await StatusIsAsync(207, DavAsync("PROPPATCH", "files/h/old", Set("<x xmlns=\"urn:x\">old</x>")));
        await StatusIsAsync(204, DavAsync(method, "files/f/", null, ("Destination", "/files/h/"), ("Overwrite", "T")));
        Assert.Equal(method == "COPY" ? ["f/a", "f/g/b", "h/a", "h/g/b"] : ["h/a", "h/g/b"], Server.VisibleFiles());
        Assert.Equal("b", await Client.GetStringAsync(Server.Url("files/h/g/b")));
        Assert.Contains("new", (await FindAsync("files/h/a", 0, Ask("<x xmlns=\"urn:x\"/>"))).Single().Value.ToString(), StringComparison.Ordinal);
        await Server.WriteAsync("h/old", "old"u8.ToArray());
        Assert.DoesNotContain("<x", (await FindAsync("files/h/old", 0)).Single().Value.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("COPY", "f/", 207)]
    [InlineData("MOVE", "f/", 400)]
    [InlineData("COPY", "f/", 207, "old")]
    public async Task Folder_stays_as_it_was_if_the_new_one_cannot_be_made(string method, string from, int status, string old = "old/b")
    {
        if (method == "MOVE" && !Server.Store.CanMoveFolders)
        {
            return;
        }

        // Names of up to 1,024 bytes: one below the folder becomes too long for the new name.
        string target = new('t', 200);
        string deep = string.Join('/', Enumerable.Repeat(new string('d', 200), 4)) + "/" + new string('e', 100);
        await Server.WriteAsync("f/a", "a"u8.ToArray());
        await Server.WriteAsync("f/" + deep, "deep"u8.ToArray());
        string present = old.Replace("old", target, StringComparison.Ordinal);
        await Server.WriteAsync(present, "old"u8.ToArray());
        string[] before = [.. Server.VisibleFiles()];
        using HttpResponseMessage answer = await DavAsync(method, "files/" + from, null, ("Destination", $"/files/{target}"), ("Overwrite", "T"));
        string text = await answer.Content.ReadAsStringAsync();
        Assert.True((int)answer.StatusCode == status, $"{(int)answer.StatusCode}: {text}");
        Assert.Equal(before, Server.VisibleFiles());
        Assert.Equal("old", await Client.GetStringAsync(Server.Url("files/" + present)));
        Assert.Equal(before.Length, (await FindAsync("files/", 1)).Count - 1 + (before.Length - 2));
    }

    [Theory]
    [InlineData("COPY")]
    [InlineData("MOVE")]
    public async Task Folder_with_a_locked_member_is_not_replaced_and_nothing_is_moved(string method)
    {
        if (method == "MOVE" && !Server.Store.CanMoveFolders)
        {
            return;
        }

        await Server.WriteAsync("f/a", "a"u8.ToArray());
        await Server.WriteAsync("h/g/old", "old"u8.ToArray());
        string token = await LockAsync("files/h/g/old");
        await StatusIsAsync(423, DavAsync(method, "files/f/", null, ("Destination", "/files/h/"), ("Overwrite", "T")));
        Assert.Equal(["f/a", "h/g/old"], Server.VisibleFiles());
        await StatusIsAsync(204, DavAsync(
            method, "files/f/", null, ("Destination", "/files/h/"), ("Overwrite", "T"), ("If", $"</files/h/g/old> (<{token}>)")));
        Assert.Equal(method == "COPY" ? ["f/a", "h/a"] : ["h/a"], Server.VisibleFiles());
        await StatusIsAsync(201, SendAsync(HttpMethod.Put, "files/h/g/old", new ByteArrayContent([1])));
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Folder_with_hidden_files_does_not_take_the_place_of_another_one()
    {
        await using ServedFolder served = await ServedFolder.StartAsync(static options => options.HiddenNames = [".*"]);
        await served.WriteAsync("f/.hidden", "x"u8.ToArray());
        await served.WriteAsync("f/a", "a"u8.ToArray());
        await served.WriteAsync("h/old", "old"u8.ToArray());
        Assert.Equal(409, await AskAsync("MOVE", "files/f/"));
        Assert.Equal("old", await served.Client.GetStringAsync("files/h/old"));
        Assert.Equal(204, await AskAsync("MOVE", "files/f/?hidden"));
        Assert.True(File.Exists(Path.Combine(served.Folder, "h", ".hidden")));
        Assert.Equal("a", await served.Client.GetStringAsync("files/h/a"));

        // What is hidden in the old one is not deleted unasked, and the new one is back where it was.
        await served.WriteAsync("f/b", "b"u8.ToArray());
        Assert.Equal(409, await AskAsync("MOVE", "files/f/"));
        Assert.Equal(409, await AskAsync("COPY", "files/f/"));
        Assert.Equal(["f", "h"], Directory.GetDirectories(served.Folder).Select(Path.GetFileName).Where(static name => name != ".millrace").Order());
        Assert.Equal("b", await served.Client.GetStringAsync("files/f/b"));

        async Task<int> AskAsync(string method, string path)
        {
            using var request = new HttpRequestMessage(new HttpMethod(method), path) { Headers = { { "Destination", "/files/h/" }, { "Overwrite", "T" } } };
            using HttpResponseMessage answer = await served.Client.SendAsync(request);
            return (int)answer.StatusCode;
        }
    }

    private Task<HttpResponseMessage> CopyAsync(string from, string to, params (string, string)[] fields) =>
        DavAsync("COPY", from, null, [("Destination", to), .. fields]);
}
