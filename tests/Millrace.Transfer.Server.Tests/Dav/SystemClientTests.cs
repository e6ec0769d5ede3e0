using System.Xml.Linq;

namespace Millrace.Transfer.Server.Tests.Dav;

/// <summary>The requests that Finder and Windows send when they copy a file, in their order.</summary>
public sealed class SystemClientTests : DavTest
{
    private static XNamespace Windows { get; } = "urn:schemas-microsoft-com:";

    /// <summary>
    /// As sabre/dav documents it (https://sabre.io/dav/clients/finder/): an empty file first, then a lock, then the content, in chunks without a
    /// length and with the length in a separate field; and the same for the file of its attributes.
    /// </summary>
    [Fact]
    public async Task Finder_copies_a_file()
    {
        foreach (string path in (string[])["files/._a.txt", "files/a.txt"])
        {
            await StatusIsAsync(404, DavAsync("PROPFIND", path, null, ("Depth", "0")));
            await StatusIsAsync(201, SendAsync(HttpMethod.Put, path, new ByteArrayContent([])));
            string token = await LockAsync(path, null, ("Depth", "0"), ("Timeout", "Second-600"));
            using var content = new StreamContent(new ChunkedStream(Content.Of(100_000)));
            await StatusIsAsync(204, SendAsync(
                HttpMethod.Put, path, content, ("If", $"(<{token}>)"), ("X-Expected-Entity-Length", "100000"), ("Expect", "100-continue")));
            await StatusIsAsync(207, DavAsync("PROPFIND", path, null, ("Depth", "0")));
            await StatusIsAsync(204, DavAsync("UNLOCK", path, null, ("Lock-Token", $"<{token}>")));
        }

        Assert.Equal(Content.Of(100_000), await Client.GetByteArrayAsync(Server.Url("files/a.txt")));
    }

    /// <summary>
    /// As Microsoft documents it for its redirector ([MS-WDV], section 4, and [MS-WDVME], section 3.1.5.5): a lock of the unused name or an empty
    /// file, HEAD, the content, and the times and attributes of Windows as properties.
    /// </summary>
    [Fact]
    public async Task Windows_copies_a_file()
    {
        await StatusIsAsync(204, SendAsync(HttpMethod.Options, "files/"));
        await StatusIsAsync(404, DavAsync("PROPFIND", "files/a.txt", null, ("Depth", "0")));
        await StatusIsAsync(201, SendAsync(HttpMethod.Put, "files/a.txt", new ByteArrayContent([])));
        string token = await LockAsync("files/a.txt", null, ("Timeout", "Second-3600"));
        string times = "<Z:Win32CreationTime xmlns:Z=\"urn:schemas-microsoft-com:\">Sat, 01 Jan 2000 10:00:00 GMT</Z:Win32CreationTime>"
            + "<Z:Win32LastAccessTime xmlns:Z=\"urn:schemas-microsoft-com:\">Sat, 01 Jan 2000 11:00:00 GMT</Z:Win32LastAccessTime>"
            + "<Z:Win32LastModifiedTime xmlns:Z=\"urn:schemas-microsoft-com:\">Sat, 01 Jan 2000 12:00:00 GMT</Z:Win32LastModifiedTime>"
            + "<Z:Win32FileAttributes xmlns:Z=\"urn:schemas-microsoft-com:\">00000020</Z:Win32FileAttributes>";
        await StatusIsAsync(207, DavAsync("PROPPATCH", "files/a.txt", Set(times), ("If", $"(<{token}>)")));
        await StatusIsAsync(200, SendAsync(HttpMethod.Head, "files/a.txt"));
        await StatusIsAsync(204, SendAsync(HttpMethod.Put, "files/a.txt", new ByteArrayContent(Content.Of(5000)), ("If", $"(<{token}>)")));
        await StatusIsAsync(207, DavAsync("PROPPATCH", "files/a.txt", Set(times), ("If", $"(<{token}>)")));
        await StatusIsAsync(204, DavAsync("UNLOCK", "files/a.txt", null, ("Lock-Token", $"<{token}>")));
        XElement prop = (await FindAsync("files/a.txt", 0)).Single().Value;
        Assert.Equal("Sat, 01 Jan 2000 12:00:00 GMT", prop.Element(D + "getlastmodified")!.Value);
        Assert.Equal("00000020", prop.Element(Windows + "Win32FileAttributes")!.Value);
        Assert.Equal("5000", prop.Element(D + "getcontentlength")!.Value);
        prop = (await FindAsync("files/a.txt", 0, Ask("<Z:Win32LastModifiedTime xmlns:Z=\"urn:schemas-microsoft-com:\"/>"))).Single().Value;
        Assert.Equal("Sat, 01 Jan 2000 12:00:00 GMT", prop.Element(Windows + "Win32LastModifiedTime")!.Value);
    }

    [Fact]
    public async Task Put_of_a_part_is_refused()
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        await StatusIsAsync(400, SendAsync(HttpMethod.Put, "files/a", new ByteArrayContent([2]), ("Content-Range", "bytes 0-0/2")));
        Assert.Equal([1], await Client.GetByteArrayAsync(Server.Url("files/a")));
    }

    /// <summary>A stream without a length, so that its bytes are sent in chunks.</summary>
    private sealed class ChunkedStream(byte[] content) : MemoryStream(content)
    {
        public override bool CanSeek => false;
    }
}

/// <summary>The same where files that systems make for themselves are refused.</summary>
public sealed class SystemFileTests : DavTest
{
    protected override RunningServerOptions Options => new() { Server = new TransferServerOptions { RefuseSystemFiles = true } };

    [Theory]
    [InlineData("files/._a", 403)]
    [InlineData("files/f/.DS_Store", 403)]
    [InlineData("files/f/Thumbs.db", 403)]
    [InlineData("files/.a", 201)]
    [InlineData("files/f/a.DS_Store", 201)]
    public async Task Files_of_systems_are_refused(string path, int status)
    {
        await Server.WriteAsync("f/a", new byte[] { 1 });
        await StatusIsAsync(status, SendAsync(HttpMethod.Put, path, new ByteArrayContent([1])));
        await StatusIsAsync(status == 201 ? 200 : 403, DavAsync("LOCK", path, Exclusive));
    }
}

/// <summary>The same where WebDAV is off.</summary>
public sealed class NoDavTests : DavTest
{
    protected override RunningServerOptions Options => new() { Server = new TransferServerOptions { WebDav = false } };

    [Theory]
    [InlineData("PROPFIND")]
    [InlineData("PROPPATCH")]
    [InlineData("COPY")]
    [InlineData("LOCK")]
    [InlineData("UNLOCK")]
    public async Task Methods_of_WebDAV_are_unknown(string method)
    {
        await StatusIsAsync(405, DavAsync(method, "files/"));
        using HttpResponseMessage options = await SendAsync(HttpMethod.Options, "files/");
        Assert.False(options.Headers.Contains("DAV"));
        Assert.DoesNotContain(method, options.Content.Headers.Allow);
    }
}
