using System.Diagnostics;
using System.Globalization;

namespace Millrace.Transfer.S3.Tests.Infrastructure;

/// <summary>samples/cluster: three servers on one bucket, which are started again when they die, and nginx in front of them.</summary>
internal sealed class Cluster : IAsyncDisposable
{
    private const int Servers = 3;

    /// <summary>More than a health check takes, and less than an upload.</summary>
    private static readonly TimeSpan Enough = TimeSpan.FromMilliseconds(150);

    private readonly Process _process;
    private readonly string _folder;

    private Cluster(Process process, string[] ready)
    {
        _process = process;
        Files = ready[1];
        _folder = ready[2];
        BucketName = ready[3];
    }

    /// <summary>The URL of the files, behind nginx.</summary>
    public string Files { get; }

    public string BucketName { get; }

    /// <summary>The log of all servers.</summary>
    public string Log => File.ReadAllText(Path.Combine(_folder, "servers.log"));

    /// <param name="ceph">The S3 server; null for one that the sample starts.</param>
    /// <returns>The cluster, and its output.</returns>
    public static async Task<Cluster> StartAsync(CephServer? ceph)
    {
        var start = new ProcessStartInfo(
            Path.Combine(Repository.Root, "samples", "cluster", "start.sh"), [Servers.ToString(CultureInfo.InvariantCulture), "0"])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        start.Environment["MILLRACE"] = string.Join(' ', TestedCommand.Words);
        start.Environment["CEPH"] = ceph?.Address.GetLeftPart(UriPartial.Authority);
        Process process = Process.Start(start)!;
        string? line = await process.StandardOutput.ReadLineAsync().WaitAsync(TimeSpan.FromMinutes(5));
        Assert.StartsWith("ready ", line, StringComparison.Ordinal);
        return new Cluster(process, line!.Split(' '));
    }

    /// <summary>Kills the server that works most with SIGKILL, once it works.</summary>
    /// <param name="running">A client; its end ends the wait.</param>
    /// <returns>False when the client had ended before.</returns>
    public async Task<bool> KillBusiestAsync(Process running)
    {
        Dictionary<int, TimeSpan> before = Used();
        int busiest = 0;
        await Bounded.UntilAsync(() =>
        {
            (busiest, TimeSpan used) = Used()
                .Select(now => (now.Key, now.Value - before.GetValueOrDefault(now.Key, now.Value))).MaxBy(item => item.Item2);
            return used > Enough || running.HasExited;
        });
        if (running.HasExited)
        {
            return false;
        }

        using Process server = Process.GetProcessById(busiest);
        server.Kill();
        return true;
    }

    public async ValueTask DisposeAsync()
    {
        _process.StandardInput.Close();
        await _process.StandardOutput.ReadToEndAsync();
        await _process.WaitForExitAsync().WaitAsync(TimeSpan.FromMinutes(5));
        _process.Dispose();
    }

    /// <summary>Processor time of each server.</summary>
    private Dictionary<int, TimeSpan> Used()
    {
        var used = new Dictionary<int, TimeSpan>();
        for (int i = 0; i < Servers; i++)
        {
            try
            {
                int id = int.Parse(File.ReadAllText(Path.Combine(_folder, $"server-{i}.pid")), CultureInfo.InvariantCulture);
                using Process server = Process.GetProcessById(id);
                used[id] = server.TotalProcessorTime;
            }
            catch (Exception exception) when (exception is IOException or FormatException or InvalidOperationException or ArgumentException)
            {
                // It has just been killed, and is not back yet.
            }
        }

        return used;
    }
}
