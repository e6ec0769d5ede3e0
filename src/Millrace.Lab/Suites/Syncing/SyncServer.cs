using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Millrace.Lab.Network;
using Millrace.Lab.Suites.Serving;
using Millrace.Lab.Suites.Transfers;
using Millrace.Transfer.Server;

namespace Millrace.Lab.Suites.Syncing;

/// <summary>
/// The server's end: the server of `millrace serve`, also with a durable store, and rsync's daemon, on the same folder, over loopback or
/// a link.
/// </summary>
internal sealed class SyncServer : IServedFiles
{
    private const string AskPath = "sync";
    private const string LinkPath = "sync-link";
    private const int StartTries = 100;

    private readonly WebApplication _app;
    private readonly ServerMeters _meters = new(static (_, _) => null);
    private readonly List<TransferServer> _servers = [];
    private readonly Process? _daemon;
    private readonly ServeRequest _request;
    private readonly Lock _gate = new();
    private ShapedLink? _link;
    private IServedFiles? _far;

    private SyncServer(ServeRequest request)
    {
        _request = request;
        IPAddress address = request.Address is { } given ? IPAddress.Parse(given) : IPAddress.Loopback;
        bool isLinked = request.Address is not null;
        string folder = SyncFolders.FolderOf(request.Inputs[0]);
        string served = SyncFolders.Served(folder, isLinked, isDurable: false);
        SyncFolders.Furnish(folder, served);
        Uri files = StartServer(served, address, Durability.None);
        string durableFolder = SyncFolders.Served(folder, isLinked, isDurable: true);
        Directory.CreateDirectory(durableFolder);
        Uri durable = isLinked ? files : StartServer(durableFolder, address, Durability.OnCommit);
        string rsync = "-";
        if (Installed.Find("rsync") is { } program && !OperatingSystem.IsWindows())
        {
            (_daemon, int port) = StartDaemon(program, served, address);
            rsync = $"rsync://{address}:{port}/m/";
        }

        MakeSums(served);
        var addresses = new SyncAddresses(files, durable, rsync == "-" ? null : new Uri(rsync));
        WebApplicationBuilder builder = ServerEnd.CreateBuilder(options => options.Listen(address, 0));
        builder.Services.AddRoutingCore();
        _app = builder.Build();
        _meters.Map(_app);
        _app.MapMethods("/" + AskPath, [HttpMethods.Get], context => context.Response.WriteAsync(addresses.ToString()));
        _app.MapMethods("/" + LinkPath, [HttpMethods.Get], AnswerLinkAsync);
        _app.StartAsync().GetAwaiter().GetResult();
        Address = new Uri(_app.Urls.Single() + "/");
    }

    public Uri Address { get; }

    public static SyncServer Start(ServeRequest request) => new(request);

    /// <summary>Where the servers of a case are.</summary>
    public static SyncAddresses Find(SyncCase planned) =>
        SyncAddresses.Parse(Question.Ask(new Uri(planned.Server, planned.IsLinked ? LinkPath : AskPath)));

    /// <summary>Why the link is missing; null when there is one.</summary>
    public static string? WhyNoLink(Uri server)
    {
        try
        {
            Question.Ask(new Uri(server, LinkPath));
            return null;
        }
        catch (LabException exception)
        {
            return exception.Message;
        }
    }

    public void Dispose()
    {
        _app.DisposeAsync().AsTask().GetAwaiter().GetResult();
        foreach (TransferServer server in _servers)
        {
            server.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }

        _meters.Dispose();
        if (_daemon is not null)
        {
            _daemon.Kill();
            _daemon.WaitForExit();
            _daemon.Dispose();
        }

        _far?.Dispose();
        if (OperatingSystem.IsLinux())
        {
            _link?.Dispose();
        }
    }

    private Uri StartServer(string folder, IPAddress address, Durability durability)
    {
        TransferServer server = TransferServer.StartAsync(new TransferHostOptions
        {
            Folder = folder,
            Port = 0,
            Http2Port = 0,
            Host = address.ToString(),

            // Across a link it is not loopback, and there are no other clients.
            Insecure = true,
            Store = new LocalFileStoreOptions { Durability = durability },
        }).GetAwaiter().GetResult();
        _servers.Add(server);
        return new Uri(server.Address, new TransferServerOptions().FilesPath + "/");
    }

    private static (Process Daemon, int Port) StartDaemon(string program, string folder, IPAddress address)
    {
        int port;
        using (var free = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp))
        {
            free.Bind(new IPEndPoint(address, 0));
            port = ((IPEndPoint)free.LocalEndPoint!).Port;
        }

        string settings = folder + ".rsyncd.conf";
        File.WriteAllText(
            settings,
            $"use chroot = no\nmax connections = 0\n[m]\npath = {folder}\nread only = no\n" + (Environment.IsPrivilegedProcess ? "uid = 0\ngid = 0\n" : ""));
        var start = new ProcessStartInfo(
            program, ["--daemon", "--no-detach", $"--config={settings}", $"--address={address}", string.Create(CultureInfo.InvariantCulture, $"--port={port}"), "--log-file=/dev/null"]);
        Process daemon = Process.Start(start)!;
        for (int i = 0; i < StartTries; i++)
        {
            try
            {
                using var probe = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
                probe.Connect(address, port);
                return (daemon, port);
            }
            catch (SocketException) when (!daemon.HasExited)
            {
                Thread.Sleep(TimeSpan.FromMilliseconds(20));
            }
        }

        daemon.Kill();
        throw new LabException($"rsync's daemon did not answer at {address}:{port}.");
    }

    /// <summary>The sums that zsync needs; zsyncmake makes them beforehand.</summary>
    private static void MakeSums(string served)
    {
        if (Installed.Find("zsyncmake") is not { } program || OperatingSystem.IsWindows())
        {
            return;
        }

        foreach (string file in Directory.EnumerateDirectories(served).Select(folder => Path.Combine(folder, SyncFolders.FileName)).Where(File.Exists))
        {
            string sums = Path.GetDirectoryName(file) + ".zsync";
            if (!File.Exists(sums))
            {
                string name = Path.GetFileName(Path.GetDirectoryName(file)!);
                SyncProgram.Run(program, "-u", $"{name}/{SyncFolders.FileName}", "-o", sums, file);
            }
        }
    }

    // Asked for before anything is measured, so it may wait.
    private Task AnswerLinkAsync(HttpContext context)
    {
        string answer;
        try
        {
            lock (_gate)
            {
                answer = OperatingSystem.IsLinux() ? Far() : throw new LabException("only Linux has network namespaces and tc");
            }
        }
        catch (LabException exception)
        {
            context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
            answer = exception.Message;
        }

        return context.Response.WriteAsync(answer);
    }

    [SupportedOSPlatform("linux")]
    private string Far()
    {
        if (_far is null)
        {
            _link = ShapedLink.Create(SyncSuite.LinkBitsPerSecond);
            _far = new WorkerHost(_link.Inside(WorkerCommand.Self())).Serve(_request with { Address = _link.Far.ToString() });
        }

        return Question.Ask(new Uri(_far.Address, AskPath));
    }
}

/// <param name="Files">Of a Millrace server that does not wait for its device.</param>
/// <param name="Durable">Of one that does.</param>
/// <param name="Rsync">Of rsync's daemon; null without one.</param>
internal sealed record SyncAddresses(Uri Files, Uri Durable, Uri? Rsync)
{
    public static SyncAddresses Parse(string text)
    {
        string[] parts = text.Split(' ');
        return new SyncAddresses(new Uri(parts[0]), new Uri(parts[1]), parts.Length > 2 ? new Uri(parts[2]) : null);
    }

    public override string ToString() => $"{Files} {Durable}{(Rsync is null ? "" : $" {Rsync}")}";
}
