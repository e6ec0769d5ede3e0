using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Millrace.Cli.Tests;

/// <summary>
/// A process that runs the command whenever it is asked, one run after the other: most of a short run's time goes into starting a process
/// and compiling. For its terminal, its input or its memory, a test starts a separate process.
/// </summary>
internal sealed class CommandHost : IDisposable
{
    private static readonly ConcurrentBag<CommandHost> Idle = [];

    private CommandHost()
    {
        ProcessStartInfo start = Command.Prepare(AppContext.BaseDirectory);
        start.RedirectStandardInput = true;
        start.Environment.Remove("MILLRACE_TOKEN");
        start.Environment["DOTNET_STARTUP_HOOKS"] = typeof(StartupHook).Assembly.Location;
        start.Environment[StartupHook.HostVariable] = "1";
        Process = Process.Start(start)!;
    }

    /// <summary>It may be killed or get a signal while the command runs.</summary>
    public Process Process { get; }

    /// <summary>The errors that the run printed, when it ends.</summary>
    public Task<string> Error { get; private set; } = Task.FromResult("");

    /// <summary>Runs the command to its end, in a folder, without input.</summary>
    public static async Task<(int ExitCode, string Output, string Error)> RunAsync(string folder, string states, string[] arguments)
    {
        CommandHost host = await StartAsync(folder, states, arguments);
        return await host.EndAsync();
    }

    /// <summary>Lets an idle process, or a new one, run the command in a folder, with the states of its uploads in another.</summary>
    public static async Task<CommandHost> StartAsync(string folder, string states, string[] arguments)
    {
        CommandHost host = Idle.TryTake(out CommandHost? idle) ? idle : new CommandHost();
        await host.Process.StandardInput.WriteLineAsync(JsonSerializer.Serialize<string[]>([folder, states, .. arguments]));
        await host.Process.StandardInput.FlushAsync();
        host.Error = ReadAsync(host.Process.StandardError);
        return host;
    }

    /// <summary>Waits for the end of a run; then it can run something else.</summary>
    /// <exception cref="InvalidOperationException">The run ended the process.</exception>
    public async Task<(int ExitCode, string Output, string Error)> EndAsync()
    {
        try
        {
            (int ExitCode, string Output, string Error) result = await ReadEndAsync().WaitAsync(TestProcess.Limit);
            Idle.Add(this);
            return result;
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Ends a run that takes a signal, so that the process can run something else; if that takes long, ends the process.</summary>
    public void Stop()
    {
        if (!Process.HasExited)
        {
            Command.Signal(Process, Command.Terminate);
            Task ending = Task.Run(ReadEndAsync);
            if (Task.WaitAny([ending], TimeSpan.FromSeconds(5)) == 0 && ending.IsCompletedSuccessfully)
            {
                Idle.Add(this);
                return;
            }
        }

        Dispose();
    }

    public void Dispose()
    {
        Process.Kill(entireProcessTree: true);
        Process.Dispose();
    }

    private async Task<(int ExitCode, string Output, string Error)> ReadEndAsync()
    {
        string output = await ReadAsync(Process.StandardOutput);
        string error = await Error;
        string exitCode = await Process.StandardOutput.ReadLineAsync() ?? throw new InvalidOperationException(output + error);
        return (int.Parse(exitCode, CultureInfo.InvariantCulture), output, error);
    }

    /// <summary>Reads the output of one run.</summary>
    private static async Task<string> ReadAsync(StreamReader reader)
    {
        var text = new StringBuilder();
        char[] next = new char[1];
        while (await reader.ReadAsync(next.AsMemory()) == 1 && next[0] != StartupHook.End)
        {
            text.Append(next[0]);
        }

        return text.ToString();
    }
}
