using System.CommandLine;
using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Millrace.Cli;

/// <summary>`millrace lab`: runs `millrace-lab`, a tool in its own package, which only those who measure install.</summary>
internal static partial class LabTool
{
    public const string Name = "lab";
    private const string Program = "millrace-lab";

    private const string HowToInstall =
        "millrace lab: the laboratory is not installed; install it with: dotnet tool install --global Millrace.Lab.Cli";

    /// <summary>Only for the list of commands: the laboratory parses its own arguments.</summary>
    public static Command Describe() => new(Name, "Measure methods to read, write and transfer bytes on this machine (runs millrace-lab).");

    public static bool IsMeant(string line) => line.StartsWith(Name + " ", StringComparison.Ordinal);

    public static int Run(string[] arguments)
    {
        string? program = Find();
        int? exitCode = program is null ? null : Start(program, arguments);
        if (exitCode is null)
        {
            Console.Error.WriteLine(HowToInstall);
        }

        return exitCode ?? ExitCode.CannotStart;
    }

    /// <summary>Lets the laboratory complete its own words; suggests nothing where it is not installed.</summary>
    public static int Suggest(string[] arguments) =>
        (Find() is { } program ? Start(program, arguments) : null) ?? ExitCode.Success;

    // Beside this program or the link that started it, in the folder of global tools, on the PATH.
    private static string? Find()
    {
        string file = OperatingSystem.IsWindows() ? Program + ".exe" : Program;
        string home = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);
        string[] folders =
        [
            Path.GetDirectoryName(Environment.ProcessPath) ?? "",
            Path.GetDirectoryName(Environment.GetCommandLineArgs()[0]) is { Length: > 0 } folder ? Path.GetFullPath(folder) : "",
            Path.Combine(home, ".dotnet", "tools"),
            .. (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator),
        ];
        return folders.Where(Path.IsPathFullyQualified).Select(path => Path.Combine(path, file)).FirstOrDefault(File.Exists);
    }

    private static int? Start(string program, string[] arguments) =>
        OperatingSystem.IsWindows() ? StartChild(program, arguments) : Replace(program, arguments);

    // Returns only when the program cannot be started.
    [UnsupportedOSPlatform("windows")]
    private static int? Replace(string program, string[] arguments)
    {
        _ = Execute(program, [program, .. arguments, null]);
        return null;
    }

    private static int? StartChild(string program, string[] arguments)
    {
        // Ctrl-C reaches both processes; the laboratory decides what to do.
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, context => context.Cancel = true);
        try
        {
            using Process process = Process.Start(new ProcessStartInfo(program, arguments) { UseShellExecute = false })!;
            process.WaitForExit();
            return process.ExitCode;
        }
        catch (Win32Exception)
        {
            return null;
        }
    }

    // execv(3): the laboratory takes over this process, with its streams, signals and exit code.
    [LibraryImport("libc", EntryPoint = "execv", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Execute(string path, string?[] arguments);
}
