using System.Diagnostics;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>A program of others, run as users run it.</summary>
internal sealed class ForeignProgram : IDisposable
{
    private static readonly TimeSpan Bound = TimeSpan.FromMinutes(3);

    private readonly Process _process;
    private readonly Task<string> _output;
    private readonly Task<string> _errors;

    private ForeignProgram(Process process)
    {
        _process = process;
        _output = process.StandardOutput.ReadToEndAsync();
        _errors = process.StandardError.ReadToEndAsync();
    }

    /// <summary>A program's result.</summary>
    public sealed record Result(int ExitCode, string Output, string Errors)
    {
        /// <summary>Asserts that it succeeded.</summary>
        public Result Succeeded()
        {
            Assert.True(ExitCode == 0, $"{ExitCode}: {Output}\n{Errors}");
            return this;
        }
    }

    public static ForeignProgram Start(string folder, string program, params string[] arguments) =>
        new(Process.Start(new ProcessStartInfo(program, arguments)
        {
            WorkingDirectory = folder,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = false,
            UseShellExecute = false,
        })!);

    public static async Task<Result> RunAsync(string folder, string program, params string[] arguments)
    {
        using ForeignProgram running = Start(folder, program, arguments);
        return await running.EndAsync();
    }

    public async Task<Result> EndAsync()
    {
        await _process.WaitForExitAsync().WaitAsync(Bound);
        return new Result(_process.ExitCode, await _output, await _errors);
    }

    /// <summary>Ends it at once with SIGKILL, once a condition holds. It must not have ended before.</summary>
    public async Task KillWhenAsync(Func<bool> condition)
    {
        long started = Stopwatch.GetTimestamp();
        while (!condition())
        {
            Assert.False(_process.HasExited, "It ended before it could be killed.");
            Assert.True(Stopwatch.GetElapsedTime(started) < Bound, "There was nothing to kill it for.");
            await Task.Delay(5);
        }

        Assert.False(_process.HasExited, "It ended before it could be killed.");
        _process.Kill(entireProcessTree: true);
        await _process.WaitForExitAsync().WaitAsync(Bound);
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill(entireProcessTree: true);
        }

        _process.Dispose();
    }
}
