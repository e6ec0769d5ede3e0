using System.Net;
using System.Net.Http.Headers;
using System.Text;

namespace Millrace.Cli.Tests.Serving;

/// <summary>What a signed link is good for besides its file: nothing, against `millrace serve`.</summary>
public sealed class LinkScopeTests : CommandTests
{
    private const string Metadata = "filename b25lLnR4dA==";

    [Theory]
    [InlineData("POST", "uploads", "PUT")]
    [InlineData("PUT", "uploads", "POST")]
    [InlineData("PUT", "uploads", null)]
    [InlineData("POST", "uploads", null)]
    [InlineData("PUT", "uploads/", "POST")]
    [InlineData("PUT", "uploads/one.txt", "PATCH")]
    [InlineData("PUT", "uploads/ID", "PATCH")]
    [InlineData("PATCH", "uploads/ID", "PUT")]
    [InlineData("PUT", "uploads/ID", "HEAD")]
    [InlineData("PUT", "uploads/ID", "DELETE")]
    [InlineData("DELETE", "uploads/ID", "PUT")]
    [InlineData("PUT", "files/one.txt", "DELETE", HttpStatusCode.NoContent)]
    [InlineData("POST", "files/one.txt", "PUT")]
    [InlineData("DELETE", "files/one.txt", "PUT")]
    [InlineData("POST", "millrace.v1.FileTransfer/Delete", "PUT")]
    public async Task Put_link_works_only_for_a_put_of_its_file(
        string method, string path, string? instead, HttpStatusCode expected = HttpStatusCode.Forbidden)
    {
        (ServedCommand serve, string query) = await ServeLinkAsync("--put");
        using (serve)
        {
            foreach (bool isTus in (bool[])[true, false])
            {
                using var request = new HttpRequestMessage(
                    new HttpMethod(method), $"{path.Replace("ID", new string('A', 22), StringComparison.Ordinal)}?{query}");
                request.Content = new ByteArrayContent(new byte[5]);
                if (path.Contains("millrace", StringComparison.Ordinal))
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
                string status = answer.Headers.TryGetValues("grpc-status", out IEnumerable<string>? grpc) ? "grpc " + grpc.Single() : "";
                Assert.True(
                    answer.StatusCode == expected || status == "grpc 7" || answer.StatusCode is HttpStatusCode.MethodNotAllowed or HttpStatusCode.NotFound,
                    $"{answer} {status}");
                Assert.Empty(Sessions());
            }

            Assert.Equal(expected == HttpStatusCode.Forbidden ? 3 : 5, new FileInfo(Folder["served/one.txt"]).Length);
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
