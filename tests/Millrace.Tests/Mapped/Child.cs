using System.Diagnostics;

namespace Millrace.Tests.Mapped;

/// <summary>A process of Millrace.Tests.Child, which a test can see die without dying itself.</summary>
internal sealed class Child : IDisposable
{
    private readonly Process _process;

    private Child(ProcessStartInfo start)
    {
        start.RedirectStandardInput = true;
        start.RedirectStandardOutput = true;
        start.RedirectStandardError = true;
        start.UseShellExecute = false;

        // Natively, whatever this process was told.
        start.Environment.Remove("MILLRACE_PORTABLE");
        _process = Process.Start(start)!;
    }

    private static string Program => Path.Combine(AppContext.BaseDirectory, "Millrace.Tests.Child.dll");

    public static Child Start(params string[] arguments) =>
        new(new ProcessStartInfo(Host, ["exec", Program, .. arguments]));

    /// <summary>Starts it from a shell that has done something first.</summary>
    public static Child StartAfter(string shellCommand, params string[] arguments) =>
        new(new ProcessStartInfo(
            "bash", ["-c", shellCommand + " && exec \"$@\"", "bash", Host, "exec", Program, .. arguments]));

    private static string Host => Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) == "dotnet"
        ? path
        : "dotnet";

    /// <summary>Ends it as a power failure would: nothing of it runs any more.</summary>
    public async Task KillAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync().Soon();
    }

    /// <summary>The rest of its output that nobody has read yet.</summary>
    public async Task<string[]> HearRestAsync() =>
        (await _process.StandardOutput.ReadToEndAsync().Soon()).Split((char)10, StringSplitOptions.RemoveEmptyEntries);

    public void Tell(string line)
    {
        _process.StandardInput.WriteLine(line);
        _process.StandardInput.Flush();
    }

    public async Task<string> HearAsync()
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

    /// <summary>Lets it end and gives its status: 0, or 128 and the signal that killed it.</summary>
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
