using System.Collections.Concurrent;

namespace Millrace.Lab.GrpcCore;

/// <summary>The program of gRPC's C++ core, which runs until this is disposed of. Not thread-safe.</summary>
internal sealed class CoreProcess : IDisposable
{
    private static readonly TimeSpan TimeToEnd = TimeSpan.FromSeconds(10);

    private readonly Process _process;

    public CoreProcess(string program, params IEnumerable<string> arguments)
    {
        _process = Process.Start(new ProcessStartInfo(program, arguments)
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            StandardInputEncoding = new UTF8Encoding(false),
            StandardOutputEncoding = Encoding.UTF8,
        })!;
        _process.StandardInput.AutoFlush = true;
    }

    public int Id => _process.Id;

    public Task TellAsync(string line) => _process.StandardInput.WriteLineAsync(line);

    /// <exception cref="LabException">It reports a failure, or stops answering.</exception>
    public async Task<long> ReadAsync(string name)
    {
        string line = await _process.StandardOutput.ReadLineAsync().ConfigureAwait(false)
            ?? throw new LabException("The program of gRPC's C++ core has ended.");
        using var answer = JsonDocument.Parse(line);
        return answer.RootElement.TryGetProperty(name, out JsonElement value)
            ? value.GetInt64()
            : throw new LabException($"The program of gRPC's C++ core answered: {line}");
    }

    /// <summary>Reads whatever else it prints, a line for every call as a server: it would stand still when the pipe is full.</summary>
    public void ReadAllElse() =>
        _ = _process.StandardOutput.BaseStream.CopyToAsync(Stream.Null);

    public void Dispose()
    {
        try
        {
            _process.StandardInput.Close();
        }
        catch (IOException)
        {
            // It has ended already.
        }

        if (!_process.WaitForExit(TimeToEnd))
        {
            _process.Kill();
            _process.WaitForExit();
        }

        _process.Dispose();
    }
}

/// <summary>
/// The client of gRPC's C++ core: one process for all cases, as long as there are any; its connections stay open between
/// transfers. One transfer runs at a time.
/// </summary>
internal static class CoreClient
{
    private static readonly Shared<CoreProcess> Process = new();

    public static int? Id => Process.Current?.Id;

    /// <summary>Keeps the process until the result is disposed of.</summary>
    public static ForeignProcess Hold(string program)
    {
        Acquire(program);
        return new Held();
    }

    /// <summary>Starts the process, or joins its users; <see cref="Release"/> it once.</summary>
    public static void Acquire(string program) => Process.Acquire(() => new CoreProcess(program, "work"));

    public static void Release() => Process.Release();

    /// <returns>How many bytes were moved.</returns>
    public static async Task<long> MoveAsync(string verb, string server, string name, string path, int chunk, string coding)
    {
        CoreProcess process = Process.Current!;
        await process.TellAsync(string.Join('\t', verb, server, name, path, chunk.ToString(CultureInfo.InvariantCulture), coding))
            .ConfigureAwait(false);
        return await process.ReadAsync("bytes").ConfigureAwait(false);
    }

    private sealed class Held : ForeignProcess
    {
        public override int Id => Process.Current!.Id;

        public override void Dispose() => Release();
    }
}

/// <summary>Servers of gRPC's C++ core, one for each length of chunks, begun when they are asked for.</summary>
internal sealed class CoreServers(string program, string folder) : IDisposable
{
    private readonly ConcurrentDictionary<int, Lazy<(CoreProcess Process, int Port)>> _servers = new();

    public int PortOf(int chunk) => Of(chunk).Port;

    public int IdOf(int chunk) => Of(chunk).Process.Id;

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

/// <summary>Which ends of a transfer are the program of gRPC's C++ core.</summary>
[Flags]
internal enum CoreEnds
{
    None = 0,
    Client = 1,
    Server = 2,
    Both = Client | Server,
}
