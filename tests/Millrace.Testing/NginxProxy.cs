using System.Diagnostics;

namespace Millrace.Testing;

/// <summary>nginx in front of a server.</summary>
public sealed class NginxProxy : IDisposable
{
    private readonly Process _process;

    private NginxProxy(Process process, int port) => (_process, Port) = (process, port);

    public int Port { get; }

    /// <summary>Without a path.</summary>
    public string Url => $"http://127.0.0.1:{Port}";

    /// <param name="folder">A folder for its files.</param>
    /// <param name="server">The port of the server.</param>
    /// <param name="settings">More settings of its location.</param>
    public static async Task<NginxProxy> StartAsync(string folder, int server, string settings)
    {
        string configuration = Path.Combine(Directory.CreateDirectory(folder).FullName, "nginx.conf");
        while (true)
        {
            int port = TestPort.Free();
            await File.WriteAllTextAsync(configuration, $$"""
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
            Process process = Process.Start(new ProcessStartInfo("nginx", ["-p", folder, "-c", configuration])
            {
                UseShellExecute = false,
                RedirectStandardError = true,
            })!;
            process.ErrorDataReceived += static (_, _) => { };
            process.BeginErrorReadLine();
            if (await TestPort.IsListeningAsync(process, port))
            {
                return new NginxProxy(process, port);
            }

            process.Dispose();
        }
    }

    public void Dispose()
    {
        _process.Kill(entireProcessTree: true);
        _process.WaitForExit();
        _process.Dispose();
    }
}
