using System.Collections.Concurrent;
using System.Globalization;

namespace Millrace.Lab.GrpcCore;

/// <summary>Servers of gRPC's C++ core, one for each length of chunks, begun when they are asked for.</summary>
/// <param name="program">See <see cref="CoreProgram.PathIn"/>.</param>
/// <param name="folder">What they serve.</param>
internal sealed class CoreServers(string program, string folder) : IDisposable
{
    private readonly ConcurrentDictionary<int, Lazy<(CoreProcess Process, int Port)>> _servers = new();

    /// <summary>The port of one.</summary>
    public int PortOf(int chunk) => Of(chunk).Port;

    /// <summary>The id of its process.</summary>
    public int IdOf(int chunk) => Of(chunk).Process.Id;

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (Lazy<(CoreProcess Process, int Port)> server in _servers.Values)
        {
            server.Value.Process.Dispose();
        }
    }

    private (CoreProcess Process, int Port) Of(int chunk) =>
        _servers.GetOrAdd(chunk, key => new(() => Start(key))).Value;

    private (CoreProcess Process, int Port) Start(int chunk)
    {
        var process = new CoreProcess(
            program, "serve", "--folder", folder, "--chunk", chunk.ToString(CultureInfo.InvariantCulture));
        try
        {
            int port = (int)process.ReadAsync("port").GetAwaiter().GetResult();
            process.ReadAllElse();
            return (process, port);
        }
        catch
        {
            process.Dispose();
            throw;
        }
    }
}
