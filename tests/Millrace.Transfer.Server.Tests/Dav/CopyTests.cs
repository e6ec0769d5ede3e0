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

    private Task<HttpResponseMessage> CopyAsync(string from, string to, params (string, string)[] fields) =>
        DavAsync("COPY", from, null, [("Destination", to), .. fields]);
}
