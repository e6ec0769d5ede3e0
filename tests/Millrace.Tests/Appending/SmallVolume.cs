using System.Diagnostics;
using System.Globalization;
using Millrace.Tests.Infrastructure;

namespace Millrace.Tests.Appending;

/// <summary>A file system in memory with little space; only root can have one.</summary>
internal sealed class SmallVolume : IDisposable
{
    public const int Bytes = 1024 * 1024;

    private SmallVolume(string path) => Path = path;

    public string Path { get; }

    /// <returns>Null where this process may not mount.</returns>
    public static SmallVolume? TryMount()
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess)
        {
            return null;
        }

        string path = TestFolder.NewPath(".mount");
        Directory.CreateDirectory(path);
        string size = string.Create(CultureInfo.InvariantCulture, $"size={Bytes}");
        return TryRun("mount", "-t", "tmpfs", "-o", size, "millrace-tests", path) ? new SmallVolume(path) : null;
    }

    public void Enlarge() => Assert.True(
        TryRun("mount", "-o", string.Create(CultureInfo.InvariantCulture, $"remount,size={4 * Bytes}"), Path));

    public void MakeReadOnly() => Assert.True(TryRun("mount", "-o", "remount,ro", Path));

    public void Dispose()
    {
        TryRun("umount", "-l", Path);
        Directory.Delete(Path);
    }

    public static bool TryRun(string program, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardError = true,
            RedirectStandardOutput = true,
            UseShellExecute = false,
        };
        try
        {
            using Process process = Process.Start(start)!;
            process.StandardError.ReadToEnd();
            process.WaitForExit();
            return process.ExitCode == 0;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            // There is no such program here.
            return false;
        }
    }
}
