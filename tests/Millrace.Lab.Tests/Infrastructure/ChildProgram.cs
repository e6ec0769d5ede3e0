namespace Millrace.Lab.Tests.Infrastructure;

/// <summary>The program that tests run in separate processes.</summary>
internal static class ChildProgram
{
    public static string Path { get; } = System.IO.Path.Combine(AppContext.BaseDirectory, "Millrace.Lab.Tests.Child.dll");

    public static WorkerHost Workers { get; } = Host(LabWorker.Argument);

    public static WorkerHost Host(string argument) => new(new WorkerCommand("dotnet", [Path, argument]));

    public static string Run(params IEnumerable<string> arguments)
    {
        using Process process = Process.Start(
            new ProcessStartInfo("dotnet", [Path, .. arguments]) { UseShellExecute = false, RedirectStandardOutput = true })!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        Assert.Equal(0, process.ExitCode);
        return output;
    }
}
