using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Millrace.Samples.Tests;

public sealed partial class TailLogTests : FolderTests
{
    private const int Interrupt = 2;

    [Fact]
    public async Task Lines_are_printed_as_they_come_over_a_rotation_until_interrupted()
    {
        string path = Folder.Write("log", "one\ntwo\n");
        using Process process = Sample.Start("TailLog", path);
        Assert.Equal("one", await Sample.ReadLineAsync(process));
        Assert.Equal("two", await Sample.ReadLineAsync(process));

        await File.AppendAllTextAsync(path, "three\n");
        Assert.Equal("three", await Sample.ReadLineAsync(process));

        File.Move(path, Folder["log.1"]);
        await File.WriteAllTextAsync(path, "four\n");
        Assert.Equal("four", await Sample.ReadLineAsync(process));

        if (OperatingSystem.IsWindows())
        {
            process.Kill();
            return;
        }

        Assert.Equal(0, Kill(process.Id, Interrupt));
        await TestProcess.WaitAsync(process);
        Assert.Equal(0, process.ExitCode);
    }

    [Fact]
    public async Task It_ends_by_itself_when_told_for_how_long()
    {
        // How much it printed until then is a matter of time.
        (int exitCode, _, string error) = await Sample.RunAsync("TailLog", Folder.Write("log", "one\n"), "--for", "0.1");

        Assert.Equal(0, exitCode);
        Assert.Empty(error);
    }

    /// <summary>https://man7.org/linux/man-pages/man2/kill.2.html</summary>
    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int Kill(int process, int signal);
}
