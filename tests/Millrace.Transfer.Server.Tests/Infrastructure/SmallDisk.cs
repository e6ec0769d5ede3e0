using System.Diagnostics;
using System.Globalization;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>A file system in memory, mounted on a folder: small, so that it can be filled.</summary>
internal sealed class SmallDisk : IDisposable
{
    public SmallDisk(string path, int bytes)
    {
        Path = path;
        Directory.CreateDirectory(path);
        Run("mount", "-t", "tmpfs", "-o", string.Create(CultureInfo.InvariantCulture, $"size={bytes}"), "millrace-store", path);
    }

    public string Path { get; }

    public void Dispose() => Run("umount", "--lazy", Path);

    private static void Run(string program, params string[] arguments)
    {
        using var process = Process.Start(new ProcessStartInfo(program, arguments) { UseShellExecute = false })!;
        Assert.True(process.WaitForExit(Bounded.Patience), $"{program} did not end.");
        Assert.Equal(0, process.ExitCode);
    }
}
