using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text;

namespace Millrace.Cli.Tests;

/// <summary>The command that the test project is about, as a process.</summary>
internal static partial class Command
{
    public const int Interrupt = 2; // SIGINT
    public const int Terminate = 15; // SIGTERM

    /// <summary>The program and its first arguments. The laboratory's command is beside its tests.</summary>
    public static string[] Words { get; } = typeof(Command).Assembly.GetName().Name == "Millrace.Cli.Tests"
        ? TestedCommand.Words
        : ["dotnet", Path.Combine(AppContext.BaseDirectory, "Millrace.Lab.Cli.dll")];

    /// <summary>Starts it in a folder.</summary>
    public static Process Start(string folder, params string[] arguments) => Process.Start(Prepare(folder, arguments))!;

    /// <summary>How it is started in a folder, with its output and errors for the test to read.</summary>
    public static ProcessStartInfo Prepare(string folder, params string[] arguments) => new(Words[0], [.. Words[1..], .. arguments])
    {
        WorkingDirectory = folder,
        UseShellExecute = false,
        RedirectStandardOutput = true,
        RedirectStandardError = true,
        StandardOutputEncoding = Encoding.UTF8,
        StandardErrorEncoding = Encoding.UTF8,
    };

    /// <summary>Runs it to its end.</summary>
    public static async Task<(int ExitCode, string Output, string Error)> RunAsync(string folder, params string[] arguments)
    {
        using Process process = Start(folder, arguments);
        return await TestProcess.EndAsync(process);
    }

    /// <summary>https://man7.org/linux/man-pages/man2/kill.2.html</summary>
    public static void Signal(Process process, int signal) => Assert.Equal(0, Kill(process.Id, signal));

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int Kill(int process, int signal);
}
