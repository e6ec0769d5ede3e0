using System.Diagnostics;

namespace Millrace.Transfer.S3.Tests.Infrastructure;

/// <summary>No S3 server outlives the tests that started it, whatever ends them.</summary>
public sealed class CephServerTests : FolderTests
{
    [NeedsTheory(Need.Ceph), InlineData(true), InlineData(false)]
    public async Task It_ends_with_its_input_and_with_its_script(bool isKilled)
    {
        using Process script = Process.Start(new ProcessStartInfo(
            Path.Combine(Repository.Root, "eng", "ceph.sh"), ["run", Folder["ceph"]])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        })!;
        Assert.StartsWith("http://", await script.StandardOutput.ReadLineAsync(), StringComparison.Ordinal);
        string[] processes = [.. Directory.GetFiles(Folder["ceph"], "*.pid").Select(path => "/proc/" + File.ReadAllText(path).Trim())];
        Assert.Equal(3, processes.Length);
        Assert.All(processes, path => Assert.True(Directory.Exists(path)));

        if (isKilled)
        {
            script.Kill();
        }
        else
        {
            script.StandardInput.Close();
        }

        await script.WaitForExitAsync().WaitAsync(Bounded.Patience);
        await Bounded.UntilAsync(() => processes.All(HasEnded));
        Assert.Equal(isKilled, Directory.Exists(Folder["ceph"]));
    }

    /// <summary>A zombie process has no command line any more.</summary>
    private static bool HasEnded(string process)
    {
        try
        {
            return File.ReadAllText(Path.Combine(process, "cmdline")).Length == 0;
        }
        catch (IOException)
        {
            return true;
        }
    }
}
