using System.Globalization;
using System.Text;

namespace Millrace.Fuzz.Tests;

/// <summary>
/// WebDAV with damaged documents, <c>If</c> and <c>Destination</c>: the server refuses each request or carries it out, and never fails; no name
/// leads out of the folder.
/// </summary>
public sealed class DavFuzzTests(FuzzedServer server) : IClassFixture<FuzzedServer>
{
    private const string Xml = "<?xml version=\"1.0\" encoding=\"utf-8\"?>";

    private static readonly (string Method, string Body)[] Documents =
    [
        ("PROPFIND", $"{Xml}<D:propfind xmlns:D=\"DAV:\"><D:prop><D:getetag/><x:y xmlns:x=\"urn:x\"/></D:prop></D:propfind>"),
        ("PROPFIND", "<propfind xmlns=\"DAV:\"><allprop/><include><quota-used-bytes/></include></propfind>"),
        ("PROPPATCH", $"{Xml}<D:propertyupdate xmlns:D=\"DAV:\" xmlns:x=\"urn:x\"><D:set><D:prop><x:a xml:lang=\"de\">1 &amp; <x:b/></x:a></D:prop></D:set><D:remove><D:prop><x:c/></D:prop></D:remove></D:propertyupdate>"),
        ("PROPPATCH", "<propertyupdate xmlns=\"DAV:\"><set><prop><getlastmodified>Sat, 01 Aug 2026 10:00:00 GMT</getlastmodified></prop></set></propertyupdate>"),
        ("LOCK", $"{Xml}<D:lockinfo xmlns:D=\"DAV:\"><D:lockscope><D:shared/></D:lockscope><D:locktype><D:write/></D:locktype><D:owner><D:href>a</D:href></D:owner></D:lockinfo>"),
    ];

    private static readonly string[] Conditions =
    [
        "(<urn:uuid:181d4fae-7d8c-11d0-a765-00a0c91e6bf2>)", "(Not <DAV:no-lock> [\"tag\"])", "</files/dav.txt> ([W/\"tag\"]) (Not [\"other\"])",
        "<http://localhost/files/dav.txt> (<urn:x> [\"a\"]) </files/> (<DAV:no-lock>)",
    ];

    private static readonly string[] Destinations =
    [
        "/files/dav-copy.txt", "http://localhost/files/dav-copy.txt", "/files/../../beside", "/files/%2e%2e/%2e%2e/beside", "/files/a%2Fb%00c", "//other/files/x",
        "/files/.millrace/tokens.json", "https://localhost:1/files/x", "/uploads/x",
    ];

    [Fact]
    public Task Damaged_documents_are_refused_or_mean_something() => Fuzzing.RunAsync(
        async (random, input) =>
        {
            (string method, string body) = Documents[random.Next(Documents.Length)];
            byte[] sent = random.Next(8) switch
            {
                0 => Encoding.Unicode.GetBytes(body),
                1 => Mutation.Latin(Nest(random.Next(1, 400))),
                2 => Mutation.Latin(Xml + "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><D:propfind xmlns:D=\"DAV:\">&b;</D:propfind>"),
                _ => Mutation.Change(random, Mutation.Latin(body)),
            };
            string depth = random.Next(3) switch { 0 => "Depth: 0\r\n", 1 => "Depth: 1\r\n", _ => "" };
            await SendAsync(random, input, method, $"/files/dav-{random.Next(3)}.txt", sent, depth, "Content-Type: application/xml\r\nTimeout: Second-1\r\n");
        },
        server.CheckAsync);

    [Fact]
    public Task Damaged_conditions_and_destinations_are_refused_or_mean_something() => Fuzzing.RunAsync(
        async (random, input) =>
        {
            string field = random.Next(2) == 0
                ? $"If: {Mutation.Change(random, Conditions[random.Next(Conditions.Length)])}\r\n"
                : $"If: {Conditions[random.Next(Conditions.Length)]}\r\n";
            string target = Destinations[random.Next(Destinations.Length)];
            target = random.Next(2) == 0 ? Mutation.Change(random, target) : target;
            (string method, byte[] body) = random.Next(4) switch
            {
                0 => ("PUT", Pattern.Of(10)),
                1 => ("COPY", []),
                2 => ("UNLOCK", (byte[])[]),
                _ => ("MOVE", []),
            };
            await SendAsync(
                random, input, method, "/files/dav.txt", body, random.Next(3) == 0 ? "" : field,
                method is "COPY" or "MOVE" ? $"Destination: {target}\r\n" : "", random.Next(2) == 0 ? "Overwrite: F\r\n" : "",
                method == "UNLOCK" ? $"Lock-Token: {Mutation.Change(random, "<urn:uuid:181d4fae-7d8c-11d0-a765-00a0c91e6bf2>")}\r\n" : "");
        },
        server.CheckAsync);

    private static string Nest(int levels) =>
        $"<D:propfind xmlns:D=\"DAV:\">{string.Concat(Enumerable.Repeat("<D:prop>", levels))}{string.Concat(Enumerable.Repeat("</D:prop>", levels))}</D:propfind>";

    private async Task SendAsync(Random random, List<byte[]> input, string method, string path, byte[] body, params string[] fields)
    {
        byte[] head = Mutation.Latin(string.Create(
            CultureInfo.InvariantCulture,
            $"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{string.Concat(fields)}Content-Length: {body.Length}\r\n\r\n"));
        byte[] bytes = [.. head, .. body];
        input.Add(bytes);
        byte[] response = await server.ExchangeAsync(random, bytes, whole: true);
        int status = FuzzedServer.Status(response);

        // 507: a property that has no room.
        Assert.True(status is < 500 or 507, Encoding.Latin1.GetString(response));
        Assert.DoesNotContain(FuzzedServer.Secret, Encoding.Latin1.GetString(response), StringComparison.Ordinal);
    }
}
