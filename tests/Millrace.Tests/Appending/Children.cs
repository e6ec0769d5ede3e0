using System.Diagnostics;

namespace Millrace.Tests.Appending;

/// <summary>Starts programs that lie beside the tests.</summary>
internal static class Children
{
    private static string Host => Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) == "dotnet"
        ? path
        : "dotnet";

    /// <summary>A command of Millrace.Tests.Child.</summary>
    public static Process Start(params string[] arguments) => Run("Millrace.Tests.Child", arguments);

    /// <summary>The same from a shell that has done something first, and natively, whatever this process was told.</summary>
    public static Process StartAfter(string shellCommand, params string[] arguments)
    {
        var start = new ProcessStartInfo(
            "bash", ["-c", shellCommand + " && exec \"$@\"", "bash", Host, "exec", Program("Millrace.Tests.Child"), .. arguments]);
        start.Environment.Remove("MILLRACE_PORTABLE");
        return Start(start);
    }

    /// <summary>Any program.</summary>
    public static Process Run(string program, params string[] arguments) =>
        Start(new ProcessStartInfo(Host, ["exec", Program(program), .. arguments]));

    private static string Program(string name) => Path.Combine(AppContext.BaseDirectory, name + ".dll");

    private static Process Start(ProcessStartInfo start)
    {
        start.RedirectStandardInput = true;
        start.RedirectStandardOutput = true;
        start.RedirectStandardError = true;
        start.UseShellExecute = false;
        return Process.Start(start)!;
    }
}
