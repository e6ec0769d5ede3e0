using System.Diagnostics;

namespace Millrace.Cli.Tests;

/// <summary>`millrace lab`, which starts another program; here a script on the PATH.</summary>
public sealed class LabToolTests : FolderTests
{
    [Fact]
    public async Task Missing_laboratory_is_reported_with_how_to_install_it()
    {
        (int exitCode, string output, string error) = await RunAsync("lab", "files", "--quick");

        Assert.Equal((1, ""), (exitCode, output));
        string line = Assert.Single(error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.EndsWith("dotnet tool install --global Millrace.Lab.Cli", line.TrimEnd(), StringComparison.Ordinal);
    }

    [NeedsTheory(Need.Unix)]
    [InlineData("bin", "")]
    [InlineData("", ".dotnet/tools")]
    public async Task Laboratory_gets_the_arguments_and_the_streams_and_decides_the_exit_code(string onPath, string inHome)
    {
        MakeLaboratory(onPath + inHome, "printf '%s|' \"$@\"; cat; echo problem >&2; exit 7");
        using Process process = Start("lab", "files", "--filter", "a b*", "");
        Task<string> error = process.StandardError.ReadToEndAsync();
        await process.StandardInput.WriteAsync("input");
        process.StandardInput.Close();

        Assert.Equal("files|--filter|a b*||input", await process.StandardOutput.ReadToEndAsync());
        Assert.Equal("problem\n", await error);
        await TestProcess.WaitAsync(process);
        Assert.Equal(7, process.ExitCode);
    }

    [NeedsTheory(Need.Unix)]
    [InlineData(2, "INT")]
    [InlineData(15, "TERM")]
    public async Task Signal_reaches_the_laboratory(int signal, string name)
    {
        MakeLaboratory("bin", $"trap 'echo stopped; exit 130' {name}; echo ready; while :; do sleep 0.05; done");
        using Process process = Start("lab", "files");
        Assert.Equal("ready", await process.StandardOutput.ReadLineAsync());
        Command.Signal(process, signal);

        Assert.Equal("stopped", await process.StandardOutput.ReadLineAsync());
        await TestProcess.WaitAsync(process);
        Assert.Equal(130, process.ExitCode);
    }

    [NeedsFact(Need.Unix)]
    public async Task Completion_after_lab_asks_the_laboratory()
    {
        MakeLaboratory("bin", "printf '%s|' \"$@\"");
        (_, string output, _) = await RunAsync("[suggest:6]", "lab fi");
        Assert.Equal("[suggest:6]|lab fi|", output);
    }

    private void MakeLaboratory(string folder, string script)
    {
        string path = Path.Combine(Directory.CreateDirectory(Folder[folder]).FullName, "millrace-lab");
        File.WriteAllText(path, "#!/bin/sh\n" + script + "\n");
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserExecute);
            OpenWriters.WaitUntilNone(path);
        }
    }

    private async Task<(int ExitCode, string Output, string Error)> RunAsync(params string[] arguments)
    {
        using Process process = Start(arguments);
        process.StandardInput.Close();
        return await TestProcess.EndAsync(process);
    }

    private Process Start(params string[] arguments)
    {
        ProcessStartInfo start = Command.Prepare(Folder.Path, arguments);
        start.RedirectStandardInput = true;

        // The caller's tools must not take part in the test.
        start.Environment["HOME"] = start.Environment["USERPROFILE"] = Folder.Path;
        start.Environment["PATH"] = $"{Folder["bin"]}{Path.PathSeparator}/usr/bin{Path.PathSeparator}/bin";
        return Process.Start(start)!;
    }
}
