using System.Diagnostics;

namespace Millrace.Tests.Infrastructure;

/// <summary>A process of Millrace.Tests.Child: it may be killed, or die of a signal, without ending the tests.</summary>
internal sealed class ChildProcess : IDisposable
{
    private readonly Process _process;

    private ChildProcess(ProcessStartInfo start)
    {
        start.RedirectStandardInput = true;
        start.RedirectStandardOutput = true;
        start.RedirectStandardError = true;
        _process = Process.Start(start)!;
    }

    private static string Program => Path.Combine(AppContext.BaseDirectory, "Millrace.Tests.Child.dll");

    private static string Host => Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) == "dotnet"
        ? path
        : "dotnet";

    public static ChildProcess Start(params string[] arguments) => new(new ProcessStartInfo(Host, ["exec", Program, .. arguments]));

    /// <summary>Starts it with a C library that returns blocks to the system when they are freed, as Linux' own calls do.</summary>
    public static ChildProcess StartReturningMemory(params string[] arguments)
    {
        var start = new ProcessStartInfo(Host, ["exec", Program, .. arguments]);
        start.Environment["MALLOC_MMAP_THRESHOLD_"] = "65536";
        return new ChildProcess(start);
    }

    /// <summary>Starts it in a shell after a command, with Linux's own calls even if the tests run without them.</summary>
    public static ChildProcess StartAfter(string shellCommand, params string[] arguments)
    {
        var start = new ProcessStartInfo(
            "bash", ["-c", shellCommand + " && exec \"$@\"", "bash", Host, "exec", Program, .. arguments]);
        start.Environment.Remove("MILLRACE_PORTABLE");
        start.Environment.Remove("MILLRACE_MISSING");
        return new ChildProcess(start);
    }

    /// <summary>Starts it with its calls on files of a folder written down.</summary>
    public static ChildProcess StartTraced(string log, string folder, params string[] arguments) =>
        new(TracedCalls.Trace(new ProcessStartInfo(Host, ["exec", Program, .. arguments]), log, folder));

    /// <summary>Starts it with all calls on files of a folder, and on the folder, written down.</summary>
    public static ChildProcess StartTracedWhole(string log, string folder, params string[] arguments) =>
        new(TracedCalls.Trace(new ProcessStartInfo(Host, ["exec", Program, .. arguments]), log, folder, all: true));

    /// <summary>Ends it as a power failure would: nothing of it runs any more.</summary>
    public async Task KillAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync().Soon();
    }

    public void WriteLine(string line)
    {
        _process.StandardInput.WriteLine(line);
        _process.StandardInput.Flush();
    }

    /// <exception cref="InvalidOperationException">It has ended; with its status and its error output.</exception>
    public async Task<string> ReadLineAsync()
    {
        string? line = await _process.StandardOutput.ReadLineAsync().Soon();
        if (line is not null)
        {
            return line;
        }

        await _process.WaitForExitAsync().Soon();
        string errors = await _process.StandardError.ReadToEndAsync().Soon();
        throw new InvalidOperationException($"The child ended with status {_process.ExitCode}. {errors}");
    }

    /// <summary>The lines that it printed and that are not read yet; waits until it has ended.</summary>
    public async Task<string[]> ReadRestAsync() =>
        (await _process.StandardOutput.ReadToEndAsync().Soon()).Split('\n', StringSplitOptions.RemoveEmptyEntries);

    /// <summary>Lets it end.</summary>
    /// <returns>Its status: 0, or 128 and the signal that killed it.</returns>
    public async Task<int> EndAsync()
    {
        _process.StandardInput.Close();
        await _process.WaitForExitAsync().Soon();
        return _process.ExitCode;
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        _process.Dispose();
    }
}
