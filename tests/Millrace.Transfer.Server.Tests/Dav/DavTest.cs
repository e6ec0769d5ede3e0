using System.Xml.Linq;

namespace Millrace.Transfer.Server.Tests.Dav;

/// <summary>WebDAV requests, and the content of their responses.</summary>
public abstract class DavTest : ServerTest
{
    protected static XNamespace D { get; } = "DAV:";

    protected const string Exclusive =
        "<D:lockinfo xmlns:D=\"DAV:\"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype><D:owner><D:href>me</D:href></D:owner></D:lockinfo>";

    protected static readonly string Shared = Exclusive.Replace("exclusive", "shared", StringComparison.Ordinal);

    protected Task<HttpResponseMessage> DavAsync(string method, string path, string? body = null, params (string, string)[] fields) =>
        SendAsync(
            new HttpMethod(method), path, body is null ? null : new StringContent(body, Encoding.UTF8, "application/xml"), fields);

    /// <summary>The properties of everything that a PROPFIND finds, by path.</summary>
    protected async Task<IReadOnlyDictionary<string, XElement>> FindAsync(string path, int depth, string? body = null)
    {
        using HttpResponseMessage found = await DavAsync("PROPFIND", path, body, ("Depth", $"{depth}"));
        string text = await found.Content.ReadAsStringAsync();
        Assert.True(found.StatusCode == HttpStatusCode.MultiStatus, $"{found.StatusCode}: {text}");
        return XDocument.Parse(text).Root!.Elements(D + "response").ToDictionary(
            static response => response.Element(D + "href")!.Value,
            static response => response.Elements(D + "propstat")
                .Single(static stat => stat.Element(D + "status")!.Value == "HTTP/1.1 200 OK").Element(D + "prop")!);
    }

    /// <summary>Takes a lock and returns its token.</summary>
    protected async Task<string> LockAsync(string path, string? body = null, params (string, string)[] fields)
    {
        using HttpResponseMessage locked = await DavAsync("LOCK", path, body ?? Exclusive, fields);
        Assert.True(locked.IsSuccessStatusCode, $"{locked.StatusCode}: {await locked.Content.ReadAsStringAsync()}");
        return locked.Headers.GetValues("Lock-Token").Single().Trim('<', '>');
    }

    protected static string Set(string properties) =>
        $"<D:propertyupdate xmlns:D=\"DAV:\"><D:set><D:prop>{properties}</D:prop></D:set></D:propertyupdate>";

    protected static string Ask(string names) => $"<D:propfind xmlns:D=\"DAV:\"><D:prop>{names}</D:prop></D:propfind>";

    protected static async Task StatusIsAsync(int status, Task<HttpResponseMessage> sending)
    {
        using HttpResponseMessage response = await sending;
        Assert.True((int)response.StatusCode == status, $"{(int)response.StatusCode}: {await response.Content.ReadAsStringAsync()}");
    }
}
