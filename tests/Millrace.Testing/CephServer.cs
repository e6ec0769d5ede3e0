using System.Diagnostics;

namespace Millrace.Testing;

/// <summary>A real S3 server in separate processes: Ceph's object gateway, started by eng/ceph.sh on free ports.</summary>
/// <remarks>It ends when its standard input does, so also when the process that started it is killed.</remarks>
public sealed class CephServer : IDisposable
{
    public const string AccessKey = "testkey";
    public const string SecretKey = "testsecret";

    /// <summary>A user who may make buckets, and may do nothing with those of others.</summary>
    public const string RefusedAccessKey = "refused";
    public const string RefusedSecretKey = "refusedsecret";

    private static readonly Lazy<Task<CephServer>> Started = new(() => StartAsync());
    private static readonly string Script = Path.Combine(Repository.Root, "eng", "ceph.sh");

    private readonly TemporaryFolder _folder = new();
    private readonly Process _process;

    private CephServer(bool onDisk)
    {
        _process = Process.Start(new ProcessStartInfo(Script, ["run", .. (ReadOnlySpan<string>)(onDisk ? ["--bluestore"] : []), Data])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            UseShellExecute = false,
        })!;
    }

    /// <summary>One for all tests of an assembly, with its objects in memory.</summary>
    public static Task<CephServer> Shared => Started.Value;

    /// <summary>For example <c>http://127.0.0.1:41234</c>.</summary>
    public Uri Address { get; private set; } = null!;

    private string Data => _folder["ceph"];

    /// <summary>Starts one.</summary>
    /// <param name="onDisk">Whether objects survive <see cref="KillAsync"/>, and may take more than the machine's memory.</param>
    public static async Task<CephServer> StartAsync(bool onDisk = false)
    {
        var server = new CephServer(onDisk);
        string? address = await server._process.StandardOutput.ReadLineAsync().WaitAsync(TimeSpan.FromMinutes(5));
        server.Address = new Uri(address ?? throw new InvalidOperationException("Ceph did not start."));
        return server;
    }

    /// <summary>Ends its processes with SIGKILL.</summary>
    public Task KillAsync() => Task.Run(() => Shell.Run(Script, "kill", Data));

    /// <summary>Starts it again where it was, with its disk.</summary>
    public Task StartAgainAsync() => Task.Run(() => Shell.Run(Script, "start", Data));

    /// <summary>Runs radosgw-admin, for users and their keys.</summary>
    public Task RunAdminAsync(params string[] arguments) =>
        Task.Run(() => Shell.Run("radosgw-admin", ["-c", Path.Combine(Data, "ceph.conf"), .. arguments]));

    public void Dispose()
    {
        _process.StandardInput.Close();
        Assert.True(_process.WaitForExit(Bounded.Patience), "Ceph did not end.");
        _process.Dispose();
        _folder.Dispose();
    }
}
