using System.Net;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Through nginx that keeps responses, which asks with GET when a client asks with HEAD.</summary>
[Trait("Tier", "All")]
public sealed class NginxTests : CommandTests
{
    [NeedsTheory(Need.Nginx)]
    [InlineData("http1", 1000)]
    [InlineData("http1", 1_000_000)]
    [InlineData("tus", 0)]
    [InlineData("tus", 1_000_000)]
    public async Task Files_pass_through_a_proxy_that_caches(string protocol, int length)
    {
        byte[] content = Write("one", length);
        using ServedCommand server = await ServeAsync("served");
        using NginxProxy proxy = await ProxyAsync(server.Port);
        string files = proxy.Url + "/files/";

        await SucceedAsync("put", "one", files, "--via", protocol);
        await SucceedAsync("get", files + "one", "back", "--via", "http1");

        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["served/one"]));
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["back"]));
    }

    [NeedsTheory(Need.Nginx)]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Offset_of_an_upload_is_never_an_old_one(bool isTus)
    {
        using ServedCommand server = await ServeAsync("served");
        using NginxProxy proxy = await ProxyAsync(server.Port);
        using HttpResponseMessage begun = await SendAsync(server, isTus, HttpMethod.Post, proxy.Url + "/uploads", ("Upload-Length", "9"),
            ("Upload-Complete", "?0"), ("Upload-Metadata", "filename YQ=="));
        string upload = proxy.Url + begun.Headers.Location!.OriginalString;

        for (int offset = 0; offset < 3; offset++)
        {
            using HttpResponseMessage head = await SendAsync(server, isTus, HttpMethod.Head, upload);
            Assert.Equal($"{offset}", head.Headers.GetValues("Upload-Offset").Single());
            using HttpResponseMessage appended = await SendAsync(server, isTus, HttpMethod.Patch, upload, ("Upload-Offset", $"{offset}"),
                ("Upload-Complete", "?0"));
            Assert.Equal(HttpStatusCode.NoContent, appended.StatusCode);
        }
    }

    [NeedsTheory(Need.Nginx), InlineData("http1"), InlineData("tus"), InlineData("grpc-web"), InlineData("grpc-web-text")]
    public async Task Files_pass_through_a_proxy_with_its_default_limit_of_1_MB(string protocol)
    {
        byte[] content = Write("one", 5_000_000);
        using ServedCommand server = await ServeAsync("served");
        using NginxProxy proxy = await ProxyAsync(server.Port, settings: "");
        string files = proxy.Url + "/files/";

        await SucceedAsync("put", "one", files, "--via", protocol);

        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["served/one"]));
    }

    private static async Task<HttpResponseMessage> SendAsync(
        ServedCommand server, bool isTus, HttpMethod method, string url, params (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(method, url);
        if (method == HttpMethod.Patch)
        {
            request.Content = new ByteArrayContent([1]);
            request.Content.Headers.ContentType = new(isTus ? "application/offset+octet-stream" : "application/partial-upload");
        }

        foreach ((string name, string value) in fields.Where(field => !isTus || field.Name != "Upload-Complete"))
        {
            request.Headers.Add(name, value);
        }

        if (isTus)
        {
            request.Headers.Add("Tus-Resumable", "1.0.0");
        }

        return (await server.Client.SendAsync(request)).EnsureSuccessStatusCode();
    }

    /// <summary>Starts nginx as in docs/serve.md, with a cache.</summary>
    private Task<NginxProxy> ProxyAsync(
        int server, string settings = "client_max_body_size 0; proxy_request_buffering off; proxy_cache files; proxy_cache_valid 1m;") =>
        NginxProxy.StartAsync(Folder["nginx"], server, settings);
}
