using System.Diagnostics;

namespace Millrace.Testing;

/// <summary>Programs that tests start and wait for.</summary>
public static class TestProcess
{
    /// <summary>Only against a hang: nothing here decides by time.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromMinutes(10);

    /// <summary>Waits for the end of a program. The lines that it printed end as on Unix.</summary>
    public static async Task<(int ExitCode, string Output, string Error)> EndAsync(Process process)
    {
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> error = process.StandardError.ReadToEndAsync();
        await WaitAsync(process);
        return (process.ExitCode, (await output).Replace(Environment.NewLine, "\n"), (await error).Replace(Environment.NewLine, "\n"));
    }

    /// <summary>Waits for its end, and ends it when that does not come.</summary>
    public static async Task WaitAsync(Process process)
    {
        using var limit = new CancellationTokenSource(Limit);
        try
        {
            await process.WaitForExitAsync(limit.Token);
        }
        catch (OperationCanceledException exception)
        {
            process.Kill(entireProcessTree: true);
            throw new TimeoutException($"The program did not end within {Limit}.", exception);
        }
    }
}
