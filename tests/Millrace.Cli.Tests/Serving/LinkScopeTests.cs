using System.Net;
using System.Net.Http.Headers;

namespace Millrace.Cli.Tests.Serving;

/// <summary>A signed link gives access to its file and nothing else, against `millrace serve`.</summary>
public sealed class LinkScopeTests : CommandTests
{
    private const string Metadata = "filename b25lLnR4dA==";

    [Fact]
    public async Task Put_link_works_only_for_a_put_of_its_file()
    {
        (ServedCommand serve, string query) = await ServeLinkAsync("--put");
        using (serve)
        {
            foreach ((string method, string path, string? instead) in ((string, string, string?)[])
            [
                ("POST", "uploads", "PUT"), ("PUT", "uploads", "POST"), ("PUT", "uploads", null), ("POST", "uploads", null),
                ("PUT", "uploads/", "POST"), ("PUT", "uploads/one.txt", "PATCH"), ("PUT", "uploads/ID", "PATCH"),
                ("PATCH", "uploads/ID", "PUT"), ("PUT", "uploads/ID", "HEAD"), ("PUT", "uploads/ID", "DELETE"),
                ("DELETE", "uploads/ID", "PUT"), ("POST", "files/one.txt", "PUT"), ("DELETE", "files/one.txt", "PUT"),
                ("POST", "millrace.v1.FileTransfer/Delete", "PUT"),
            ])
            {
                foreach (bool isTus in (bool[])[true, false])
                {
                    string pathAndQuery = $"{path.Replace("ID", new string('A', 22), StringComparison.Ordinal)}?{query}";
                    string status = await StatusAsync(serve, method, pathAndQuery, instead, isTus);
                    Assert.True(status is "403" or "404" or "405" or "grpc 7", $"{method} {path} as {instead}, tus {isTus}: {status}");
                    Assert.Empty(Sessions());
                    Assert.Equal("one", await File.ReadAllTextAsync(Folder["served/one.txt"]));
                }
            }

            // Files know no other method than that of the request.
            Assert.Equal("204", await StatusAsync(serve, "PUT", $"files/one.txt?{query}", "DELETE", isTus: false));
            Assert.Equal(5, new FileInfo(Folder["served/one.txt"]).Length);
        }
    }

    [Fact]
    public async Task Link_starts_no_resumable_upload_at_the_url_of_its_file()
    {
        (ServedCommand serve, string query) = await ServeLinkAsync("--put");
        using (serve)
        {
            foreach (string method in (string[])["PUT", "POST"])
            {
                using var part = new HttpRequestMessage(new HttpMethod(method), $"files/one.txt?{query}") { Content = new StringContent("part") };
                part.Headers.Add("Upload-Complete", "?0");
                using HttpResponseMessage refused = await serve.Client.SendAsync(part);
                Assert.Equal(HttpStatusCode.Forbidden, refused.StatusCode);
                Assert.Equal("one", await File.ReadAllTextAsync(Folder["served/one.txt"]));
                Assert.Empty(Sessions());
            }

            // A client of the draft that sends all at once needs no session.
            using var whole = new HttpRequestMessage(HttpMethod.Put, $"files/one.txt?{query}") { Content = new StringContent("whole") };
            whole.Headers.Add("Upload-Complete", "?1");
            using HttpResponseMessage stored = await serve.Client.SendAsync(whole);
            Assert.Equal(HttpStatusCode.NoContent, stored.StatusCode);
            Assert.Equal("whole", await File.ReadAllTextAsync(Folder["served/one.txt"]));
            Assert.Empty(Sessions());
        }
    }

    [Fact]
    public async Task Get_link_works_for_no_other_method()
    {
        (ServedCommand serve, string query) = await ServeLinkAsync();
        using (serve)
        {
            foreach ((string method, string instead) in ((string, string)[])[("GET", "PUT"), ("GET", "DELETE"), ("PUT", "GET"), ("DELETE", "GET"), ("POST", "GET")])
            {
                using var request = new HttpRequestMessage(new HttpMethod(method), $"files/one.txt?{query}");
                request.Headers.Add("X-HTTP-Method-Override", instead);
                using HttpResponseMessage answer = await serve.Client.SendAsync(request);
                Assert.Equal(
                    method == "GET" ? HttpStatusCode.OK : method == "POST" ? HttpStatusCode.MethodNotAllowed : HttpStatusCode.Forbidden,
                    answer.StatusCode);
                Assert.Equal("one", await File.ReadAllTextAsync(Folder["served/one.txt"]));
            }

            foreach (string path in (string[])["files/", "files/one.txt/", "files/?archive=tar&"])
            {
                using HttpResponseMessage answer = await serve.Client.GetAsync(path + (path.EndsWith('&') ? "" : "?") + query);
                Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
            }
        }
    }

    /// <summary>The status of a request with everything that an upload of five bytes needs, by tus or the draft.</summary>
    private static async Task<string> StatusAsync(ServedCommand serve, string method, string pathAndQuery, string? instead, bool isTus)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), pathAndQuery) { Content = new ByteArrayContent(new byte[5]) };
        if (pathAndQuery.Contains("millrace", StringComparison.Ordinal))
        {
            // A message whose field 1 is the name.
            request.Content = new ByteArrayContent([0, 0, 0, 0, 9, 10, 7, .. "one.txt"u8]);
            request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/grpc-web");
        }

        if (instead is not null)
        {
            request.Headers.Add("X-HTTP-Method-Override", instead);
        }

        request.Headers.Add("Upload-Length", "5");
        request.Headers.Add("Upload-Offset", "0");
        request.Headers.Add("Upload-Metadata", Metadata);
        request.Headers.Add(isTus ? "Tus-Resumable" : "Upload-Complete", isTus ? "1.0.0" : "?1");
        using HttpResponseMessage answer = await serve.Client.SendAsync(request);
        return answer.Headers.TryGetValues("grpc-status", out IEnumerable<string>? status)
            ? $"grpc {status.Single()}"
            : $"{(int)answer.StatusCode}";
    }

    private string[] Sessions()
    {
        string folder = Folder["served/.millrace/uploads"];
        return Directory.Exists(folder) ? Directory.GetDirectories(folder) : [];
    }

    private async Task<(ServedCommand Serve, string Query)> ServeLinkAsync(params string[] options)
    {
        Directory.CreateDirectory(Folder["served"]);
        await File.WriteAllTextAsync(Folder["served/one.txt"], "one");
        await SucceedAsync("token", "add", "all", "--folder", "served");
        string url = await SucceedAsync(["link", "one.txt", "--folder", "served", .. options]);
        return (await ServeAsync("served"), new Uri(url.Trim()).Query[1..]);
    }
}
