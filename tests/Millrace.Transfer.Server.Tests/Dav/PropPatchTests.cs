using System.Xml.Linq;

namespace Millrace.Transfer.Server.Tests.Dav;

public sealed class PropPatchTests : DavTest
{
    private static XNamespace X { get; } = "urn:x";

    [Fact]
    public async Task Properties_stay_with_a_file_that_is_replaced_copied_and_moved()
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        await PatchAsync("files/a", Set("<x:color xmlns:x=\"urn:x\" x:of='sea'>blue &amp; <b>green</b></x:color>"));
        await SendAsync(HttpMethod.Put, "files/a", new ByteArrayContent([2])).AnswersAsync(HttpStatusCode.NoContent);
        await StatusIsAsync(201, DavAsync("COPY", "files/a", null, ("Destination", "/files/b")));
        await StatusIsAsync(201, DavAsync("MOVE", "files/a", null, ("Destination", "/files/c")));
        IReadOnlyDictionary<string, XElement> found = await FindAsync("files/", 1);
        foreach (string path in (string[])["/files/b", "/files/c"])
        {
            XElement color = found[path].Element(X + "color")!;
            Assert.Equal(("blue & green", "sea", "green"), (color.Value, color.Attribute(X + "of")!.Value, color.Element("b")!.Value));
        }

        // A new file of an old name has none of them.
        await SendAsync(HttpMethod.Delete, "files/c").AnswersAsync(HttpStatusCode.NoContent);
        await Server.WriteAsync("c", new byte[] { 1 });
        await Server.WriteAsync("a", new byte[] { 1 });
        found = await FindAsync("files/", 1);
        Assert.Null(found["/files/c"].Element(X + "color"));
        Assert.Null(found["/files/a"].Element(X + "color"));
        Assert.NotNull(found["/files/b"].Element(X + "color"));
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Properties_of_everything_in_a_folder_move_with_it()
    {
        await Server.WriteAsync("f/g/a", new byte[] { 1 });
        await PatchAsync("files/f/", Set("<x:one xmlns:x=\"urn:x\"/>"));
        await PatchAsync("files/f/g/a", Set("<x:two xmlns:x=\"urn:x\"/>"));
        await StatusIsAsync(201, DavAsync("COPY", "files/f/", null, ("Destination", "/files/h/")));
        await StatusIsAsync(201, DavAsync("MOVE", "files/f/", null, ("Destination", "/files/i/")));
        foreach (string folder in (string[])["h", "i"])
        {
            Assert.NotNull((await FindAsync($"files/{folder}/", 0)).Single().Value.Element(X + "one"));
            Assert.NotNull((await FindAsync($"files/{folder}/g/a", 0)).Single().Value.Element(X + "two"));
        }

        await SendAsync(HttpMethod.Delete, "files/i/").AnswersAsync(HttpStatusCode.NoContent);
        await Server.WriteAsync("i/g/a", new byte[] { 1 });
        Assert.Null((await FindAsync("files/i/g/a", 0)).Single().Value.Element(X + "two"));
    }

    [Fact]
    public async Task Nothing_is_changed_if_one_property_cannot_be()
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        using HttpResponseMessage answer = await DavAsync(
            "PROPPATCH", "files/a", Set("<x:one xmlns:x=\"urn:x\"/><D:getetag>1</D:getetag>"));
        string text = await answer.Content.ReadAsStringAsync();
        Assert.Contains("HTTP/1.1 403", text);
        Assert.Contains("HTTP/1.1 424", text);
        Assert.Null((await FindAsync("files/a", 0)).Single().Value.Element(X + "one"));
    }

    [Theory]
    [InlineData("<D:getlastmodified>Sat, 01 Jan 2000 10:00:00 GMT</D:getlastmodified>")]
    [InlineData("<D:lastmodified>946720800</D:lastmodified>")]
    [InlineData("<Z:Win32LastModifiedTime xmlns:Z=\"urn:schemas-microsoft-com:\">Sat, 01 Jan 2000 10:00:00 GMT</Z:Win32LastModifiedTime><Z:Win32FileAttributes xmlns:Z=\"urn:schemas-microsoft-com:\">00000020</Z:Win32FileAttributes>")]
    public async Task Date_of_a_file_is_set_and_its_digest_stays(string properties)
    {
        await SendAsync(HttpMethod.Put, "files/a", new ByteArrayContent([1])).AnswersAsync(HttpStatusCode.Created);
        using HttpResponseMessage before = await GetAsync("files/a");
        await PatchAsync("files/a", Set(properties));
        using HttpResponseMessage after = await GetAsync("files/a");
        Assert.Equal(new DateTimeOffset(2000, 1, 1, 10, 0, 0, TimeSpan.Zero), after.Content.Headers.LastModified);
        Assert.Equal(
            before.Headers.GetValues("Repr-Digest").Single(), after.Headers.GetValues("Repr-Digest").Single());
    }

    [Theory]
    [InlineData("<D:getlastmodified>yesterday</D:getlastmodified>")]
    [InlineData("<D:creationdate/>")]
    public async Task Date_that_is_none_is_refused(string property)
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        using HttpResponseMessage answer = await DavAsync("PROPPATCH", "files/a", Set(property));
        Assert.Contains("HTTP/1.1 409", await answer.Content.ReadAsStringAsync());
    }

    [Fact]
    public async Task Properties_are_limited_for_each_file()
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        string large = $"<x:large xmlns:x=\"urn:x\">{new string('x', 60_000)}</x:large>";
        await PatchAsync("files/a", Set(large));
        using HttpResponseMessage answer = await DavAsync("PROPPATCH", "files/a", Set(large.Replace("x:large", "x:more", StringComparison.Ordinal)));
        Assert.Contains("HTTP/1.1 507", await answer.Content.ReadAsStringAsync());
        Assert.Null((await FindAsync("files/a", 0)).Single().Value.Element(X + "more"));
    }

    [Fact]
    public async Task Many_callers_at_once_lose_no_property()
    {
        const int Count = 20;
        for (int i = 0; i < Count; i++)
        {
            await Server.WriteAsync($"f/{i}", new byte[] { 1 });
        }

        await Task.WhenAll(Enumerable.Range(0, Count).Select(i => PatchAsync($"files/f/{i}", Set($"<x:one xmlns:x=\"urn:x\">{i}</x:one>"))));
        IReadOnlyDictionary<string, XElement> found = await FindAsync("files/f/", 1);
        Assert.All(Enumerable.Range(0, Count), i => Assert.Equal($"{i}", found[$"/files/f/{i}"].Element(X + "one")!.Value));
    }

    private async Task PatchAsync(string path, string body)
    {
        using HttpResponseMessage answer = await DavAsync("PROPPATCH", path, body);
        string text = await answer.Content.ReadAsStringAsync();
        Assert.True(
            answer.StatusCode == HttpStatusCode.MultiStatus && XDocument.Parse(text).Descendants(D + "status").All(static one => one.Value == "HTTP/1.1 200 OK"),
            text);
    }
}
