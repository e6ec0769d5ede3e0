using System.Diagnostics;
using System.Text;
using System.Text.Json;

namespace Millrace.Lab.GrpcCore;

/// <summary>The program of gRPC's C++ core, which runs until this is disposed of. Not thread-safe.</summary>
internal sealed class CoreProcess : IDisposable
{
    private static readonly TimeSpan TimeToEnd = TimeSpan.FromSeconds(10);

    private readonly Process _process;

    /// <summary>Starts it.</summary>
    /// <param name="program">See <see cref="CoreProgram.PathIn"/>.</param>
    /// <param name="arguments">Its command.</param>
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

    /// <summary>Its id.</summary>
    public int Id => _process.Id;

    /// <summary>Gives it a line.</summary>
    public Task TellAsync(string line) => _process.StandardInput.WriteLineAsync(line);

    /// <summary>Reads a number of the next line that it prints.</summary>
    /// <exception cref="LabException">It says that it could not, or nothing more.</exception>
    public async Task<long> ReadAsync(string name)
    {
        string line = await _process.StandardOutput.ReadLineAsync().ConfigureAwait(false)
            ?? throw new LabException("The program of gRPC's C++ core has ended.");
        using var answer = JsonDocument.Parse(line);
        return answer.RootElement.TryGetProperty(name, out JsonElement value)
            ? value.GetInt64()
            : throw new LabException($"The program of gRPC's C++ core answered: {line}");
    }

    /// <summary>
    /// Reads whatever else it prints, a line for every call as a server: it would stand still when the pipe is full.
    /// </summary>
    public void ReadAllElse() =>
        _ = _process.StandardOutput.BaseStream.CopyToAsync(Stream.Null);

    /// <inheritdoc/>
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
