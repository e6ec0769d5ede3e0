using System.Xml.Linq;

namespace Millrace.Transfer.Server.Tests.Dav;

public sealed class PropFindTests : DavTest
{
    [Fact]
    public async Task Root_has_the_name_of_its_folder()
    {
        string name = (await FindAsync("files/", 0)).Single().Value.Element(D + "displayname")!.Value;
        Assert.Equal(TestedStore.IsBucket ? "files" : Path.GetFileName(Server.Root), name);
    }

    [Fact]
    public async Task File_has_the_properties_that_its_get_has()
    {
        await Server.WriteAsync("a/größe & <b>.txt", Content.Of(1234));
        const string Path = "files/a/gr%C3%B6%C3%9Fe%20%26%20%3Cb%3E.txt";
        (string href, XElement prop) = (await FindAsync(Path, 0)).Single();
        Assert.Equal("/" + Path, href);
        using HttpResponseMessage get = await GetAsync(Path);
        Assert.Equal("1234", prop.Element(D + "getcontentlength")!.Value);
        Assert.Equal(get.Headers.ETag!.ToString(), prop.Element(D + "getetag")!.Value);
        Assert.Equal($"{get.Content.Headers.LastModified:R}", prop.Element(D + "getlastmodified")!.Value);
        Assert.Equal("größe & <b>.txt", prop.Element(D + "displayname")!.Value);
        Assert.StartsWith("text/plain", prop.Element(D + "getcontenttype")!.Value, StringComparison.Ordinal);
        Assert.Empty(prop.Element(D + "resourcetype")!.Elements());
        Assert.True(DateTimeOffset.TryParse(prop.Element(D + "creationdate")!.Value, out _));
        Assert.Equal(2, prop.Element(D + "supportedlock")!.Elements().Count());
        Assert.Null(prop.Element(D + "quota-available-bytes"));
    }

    [Fact]
    public async Task Folder_of_more_than_a_page_is_listed_once_and_folders_end_with_a_slash()
    {
        for (int i = 0; i < 1100; i++)
        {
            await Server.WriteAsync($"f/{i:0000}", new byte[] { 1 });
        }

        await Server.WriteAsync("f/sub/x", new byte[] { 1 });
        IReadOnlyDictionary<string, XElement> found = await FindAsync("files/f", 1);
        Assert.Equal(1102, found.Count);
        Assert.NotNull(found["/files/f/"].Element(D + "resourcetype")!.Element(D + "collection"));
        Assert.NotNull(found["/files/f/sub/"].Element(D + "resourcetype")!.Element(D + "collection"));
        Assert.Null(found["/files/f/sub/"].Element(D + "getcontentlength"));
        Assert.DoesNotContain("/files/f/sub/x", found.Keys);
        Assert.Equal(["/files/f/"], (await FindAsync("files/f/", 0)).Keys);
    }

    [Theory]
    [InlineData("infinity")]
    [InlineData(null)]
    public async Task Everything_below_a_folder_is_refused_with_its_condition(string? depth)
    {
        using HttpResponseMessage refused = depth is null
            ? await DavAsync("PROPFIND", "files/")
            : await DavAsync("PROPFIND", "files/", null, ("Depth", depth));
        Assert.Equal(HttpStatusCode.Forbidden, refused.StatusCode);
        Assert.NotNull(XDocument.Parse(await refused.Content.ReadAsStringAsync()).Root!.Element(D + "propfind-finite-depth"));
    }

    [Fact]
    public async Task Missing_properties_are_404_and_names_are_without_values()
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        using HttpResponseMessage found = await DavAsync(
            "PROPFIND", "files/a", Ask("<D:getetag/><x xmlns=\"urn:a&amp;b\"/><y xmlns=\"\"/><D:quota-used-bytes/>"), ("Depth", "0"));
        XElement missing = XDocument.Parse(await found.Content.ReadAsStringAsync()).Descendants(D + "propstat")
            .Single(static stat => stat.Element(D + "status")!.Value.Contains("404", StringComparison.Ordinal));
        Assert.Equal(
            [D + "quota-used-bytes", XName.Get("x", "urn:a&b"), XName.Get("y", "")],
            missing.Element(D + "prop")!.Elements().Select(static one => one.Name).OrderBy(static name => name.NamespaceName == "" ? "z" : name.NamespaceName));
        XElement names = (await FindAsync("files/a", 0, "<D:propfind xmlns:D=\"DAV:\"><D:propname/></D:propfind>")).Single().Value;
        Assert.All(names.Elements(), static one => Assert.True(one.IsEmpty));
        Assert.NotNull(names.Element(D + "getetag"));
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Quota_of_a_folder_is_sent_to_who_names_it()
    {
        XElement prop = (await FindAsync("files/", 0, Ask("<D:quota-available-bytes/><D:quota-used-bytes/>"))).Single().Value;
        Assert.True(long.Parse(prop.Element(D + "quota-available-bytes")!.Value) > 0);
        Assert.True(long.Parse(prop.Element(D + "quota-used-bytes")!.Value) > 0);
    }

    [Theory]
    [InlineData("<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><D:propfind xmlns:D=\"DAV:\"><D:prop><D:x>&e;</D:x></D:prop></D:propfind>")]
    [InlineData("<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><x>&b;</x>")]
    [InlineData("<D:propfind xmlns:D=\"DAV:\"><D:prop><D:getetag></D:prop></D:propfind>")]
    [InlineData("<D:propfind xmlns:D=\"DAV:\"><bar:foo xmlns:bar=\"\"/></D:propfind>")]
    [InlineData("<D:propfind xmlns:D=\"DAV:\"/>")]
    [InlineData("<D:propfind xmlns:D=\"DAV:\"><D:prop/><D:allprop/></D:propfind>")]
    [InlineData("<propfind><prop/></propfind>")]
    [InlineData("<D:propertyupdate xmlns:D=\"DAV:\"/>")]
    [InlineData("<D:propfind xmlns:D=\"DAV:\"><D:allprop/></D:propfind><x/>")]
    [InlineData("<D:propfind xmlns:D=\"DAV:\"><D:prop>&#1;</D:prop></D:propfind>")]
    [InlineData("no xml")]
    [InlineData("\0")]
    public Task Xml_that_is_an_attack_or_another_document_is_refused(string body) =>
        StatusIsAsync(400, DavAsync("PROPFIND", "files/", body, ("Depth", "0")));

    [Fact]
    public async Task Xml_that_is_too_deep_too_long_or_names_too_much_is_refused()
    {
        string deep = string.Concat(Enumerable.Repeat("<a>", 10_000)) + string.Concat(Enumerable.Repeat("</a>", 10_000));
        await StatusIsAsync(400, DavAsync("PROPFIND", "files/", Ask($"<D:x>{deep}</D:x>"), ("Depth", "0")));
        await StatusIsAsync(413, DavAsync("PROPFIND", "files/", Ask(new string(' ', 1_000_000)), ("Depth", "0")));
        string many = string.Concat(Enumerable.Range(0, 5000).Select(static i => $"<D:x{i}/>"));
        await StatusIsAsync(400, DavAsync("PROPFIND", "files/", Ask(many), ("Depth", "0")));
        await StatusIsAsync(207, DavAsync("PROPFIND", "files/", Ask("<D:getetag/>"), ("Depth", "0")));
    }

    [Fact]
    public async Task Options_has_the_classes_and_the_methods()
    {
        using HttpResponseMessage answer = await SendAsync(HttpMethod.Options, "files/");
        Assert.Equal("1, 2, 3", answer.Headers.GetValues("DAV").Single());
        Assert.Equal("DAV", answer.Headers.GetValues("MS-Author-Via").Single());
        Assert.Superset(
            new HashSet<string> { "PROPFIND", "PROPPATCH", "COPY", "MOVE", "LOCK", "UNLOCK" }, answer.Content.Headers.Allow.ToHashSet());
    }
}
