using System.Diagnostics;

namespace Millrace.Transfer.S3.Tests.Faults;

/// <summary>Uploads to a bucket, through nginx on a way that resets every connection.</summary>
public sealed class CutRequestTests : BucketTest
{
    private const int Length = 40_000_001;

    private Process? _nginx;

    /// <remarks>Connections get less through than a part of an object may have.</remarks>
    [NeedsTheory(Need.Ceph | Need.Nginx), InlineData("http1"), InlineData("tus"), InlineData("grpc-web")]
    public async Task Upload_arrives_whole_though_every_connection_is_reset(string via)
    {
        string digest = Write("large", Length);
        await using ServedBucket server = await ServeAsync("--trusted-proxy", "127.0.0.1");
        int port = await ProxyAsync(server.Client.BaseAddress!.Port);
        await using var relay = new TestRelay(() => port, static _ => new RelayPlan { CutUpAfter = 4_000_000, Reset = true });

        await MillraceCommand.SucceedAsync(Folder.Path, "put", "--via", via, "large", relay.Files + "large");

        // How much is sent again depends on the bytes that the kernel had when a connection was reset.
        Assert.True(relay.Connections >= Length / 4_000_000, $"{relay.Connections} connections");
        await MillraceCommand.SucceedAsync(Folder.Path, "get", server.Files + "large", "back");
        Assert.Equal(digest, DigestOf("back"));
        Assert.Empty(await Bucket.OpenUploadsAsync());
    }

    public override async Task DisposeAsync()
    {
        if (_nginx is { } nginx)
        {
            nginx.Kill(entireProcessTree: true);
            await nginx.WaitForExitAsync();
            nginx.Dispose();
        }

        await base.DisposeAsync();
    }

    /// <summary>Starts nginx in front of a server, which trusts its fields about the client.</summary>
    private async Task<int> ProxyAsync(int server)
    {
        string folder = Directory.CreateDirectory(Folder["nginx"]).FullName;
        while (true)
        {
            int port = TestPort.Free();
            File.WriteAllText(Folder["nginx/nginx.conf"], $$"""
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
                    server {
                        listen 127.0.0.1:{{port}};
                        client_max_body_size 0;
                        location / {
                            proxy_pass http://127.0.0.1:{{server}};
                            proxy_http_version 1.1;
                            proxy_request_buffering off;
                            proxy_set_header Host $http_host;
                            proxy_set_header X-Forwarded-For $remote_addr;
                            proxy_set_header X-Forwarded-Host $http_host;
                            proxy_set_header Upload-Draft-Interop-Version "";
                        }
                    }
                }

                """);
            _nginx = Process.Start(new ProcessStartInfo("nginx", ["-p", folder, "-c", Folder["nginx/nginx.conf"]])
            {
                UseShellExecute = false,
                RedirectStandardError = true,
            })!;
            _nginx.ErrorDataReceived += static (_, _) => { };
            _nginx.BeginErrorReadLine();
            if (await TestPort.IsListeningAsync(_nginx, port))
            {
                return port;
            }
        }
    }
}
