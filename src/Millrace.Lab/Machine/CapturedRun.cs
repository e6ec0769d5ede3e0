namespace Millrace.Lab.Machine;

/// <summary>A program that ran to its end.</summary>
internal readonly record struct CapturedRun(int ExitCode, string Output, string Error)
{
    /// <summary>Runs a program without a shell, and kills it at the end of the limit.</summary>
    /// <exception cref="System.ComponentModel.Win32Exception">It could not be started.</exception>
    public static CapturedRun Of(ProcessStartInfo start, TimeSpan limit)
    {
        start.UseShellExecute = false;
        start.RedirectStandardOutput = true;
        start.RedirectStandardError = true;
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> error = process.StandardError.ReadToEndAsync();
        if (!process.WaitForExit(limit))
        {
            process.Kill(entireProcessTree: true);
        }

        process.WaitForExit();
        return new(process.ExitCode, output.GetAwaiter().GetResult(), error.GetAwaiter().GetResult());
    }
}
