using System.Diagnostics;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>A file system in memory that is soon full, which only root can mount.</summary>
internal sealed class SmallDisk : IDisposable
{
    private readonly string _path;

    public SmallDisk(string path, long bytes)
    {
        _path = Directory.CreateDirectory(path).FullName;
        Run("mount", "-t", "tmpfs", "-o", $"size={bytes}", "millrace-tests", _path);
    }

    public void Dispose() => Run("umount", "--lazy", _path);

    private static void Run(string program, params string[] arguments)
    {
        using Process process = Process.Start(
            new ProcessStartInfo(program, arguments) { UseShellExecute = false, RedirectStandardError = true })!;
        string error = process.StandardError.ReadToEnd();
        process.WaitForExit();
        Assert.True(process.ExitCode == 0, $"{program} was refused, these tests need root: {error}");
    }
}
