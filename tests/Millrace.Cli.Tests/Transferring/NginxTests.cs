using System.Diagnostics;
using System.Net;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Through nginx that keeps responses, which asks with GET when a client asks with HEAD.</summary>
[Trait("Tier", "All")]
public sealed class NginxTests : CommandTests
{
    private Process? _nginx;

    [NeedsTheory(Need.Nginx)]
    [InlineData("http1", 1000)]
    [InlineData("http1", 1_000_000)]
    [InlineData("tus", 0)]
    [InlineData("tus", 1_000_000)]
    public async Task Files_pass_through_a_proxy_that_caches(string protocol, int length)
    {
        byte[] content = Write("one", length);
        using ServedCommand server = await ServeAsync("served");
        string files = await ProxyAsync(server.Port) + "/files/";

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
        string proxy = await ProxyAsync(server.Port);
        using HttpResponseMessage begun = await SendAsync(server, isTus, HttpMethod.Post, proxy + "/uploads", ("Upload-Length", "9"),
            ("Upload-Complete", "?0"), ("Upload-Metadata", "filename YQ=="));
        string upload = proxy + begun.Headers.Location!.OriginalString;

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
        string files = await ProxyAsync(server.Port, settings: "") + "/files/";

        await SucceedAsync("put", "one", files, "--via", protocol);

        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["served/one"]));
    }

    public override void Dispose()
    {
        if (_nginx is { } nginx)
        {
            Command.Signal(nginx, Command.Terminate);
            nginx.WaitForExit();
            nginx.Dispose();
        }

        base.Dispose();
        GC.SuppressFinalize(this);
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

    /// <summary>Starts nginx in front of a server, as in docs/serve.md, with a cache.</summary>
    /// <returns>Its URL, without a path.</returns>
    private async Task<string> ProxyAsync(
        int server, string settings = "client_max_body_size 0; proxy_request_buffering off; proxy_cache files; proxy_cache_valid 1m;")
    {
        string folder = Directory.CreateDirectory(Folder["nginx"]).FullName;
        while (true)
        {
            int port = TestPort.Free();
            string configuration = Folder.Write("nginx/nginx.conf", $$"""
                daemon off;
                pid {{folder}}/pid;
                error_log {{folder}}/error.log;
                {{(Environment.UserName == "root" ? "user root;" : "")}}
                events {}
                http {
                    access_log off;
                    client_body_temp_path {{folder}}/body;
                    proxy_temp_path {{folder}}/proxy;
                    fastcgi_temp_path {{folder}}/fastcgi;
                    scgi_temp_path {{folder}}/scgi;
                    uwsgi_temp_path {{folder}}/uwsgi;
                    proxy_cache_path {{folder}}/cache keys_zone=files:1m;
                    server {
                        listen 127.0.0.1:{{port}};
                        location / {
                            proxy_pass http://127.0.0.1:{{server}};
                            proxy_http_version 1.1;
                            proxy_set_header Host $http_host;
                            proxy_set_header Upload-Draft-Interop-Version "";
                            {{settings}}
                        }
                    }
                }

                """);
            _nginx = Process.Start(new ProcessStartInfo("nginx", ["-p", folder, "-c", configuration])
            {
                UseShellExecute = false,
                RedirectStandardError = true,
            })!;
            _nginx.ErrorDataReceived += static (_, _) => { };
            _nginx.BeginErrorReadLine();
            if (await TestPort.IsListeningAsync(_nginx, port))
            {
                return $"http://127.0.0.1:{port}";
            }
        }
    }
}
