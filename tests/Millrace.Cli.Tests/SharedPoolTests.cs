using System.Diagnostics;
using System.Globalization;

namespace Millrace.Cli.Tests;

/// <summary>Arrays that the pool of the command's process keeps, counted in that process.</summary>
public sealed class SharedPoolTests : FolderTests
{
    [Fact]
    public async Task The_command_has_room_for_the_blocks_of_a_large_window() =>
        Assert.Equal(StartupHook.Rented, await CountKeptAsync(setByUser: null));

    [Fact]
    public async Task The_setting_of_the_user_is_kept()
    {
        // One for each processor, and one of the thread itself.
        Assert.InRange(await CountKeptAsync(setByUser: "1"), 1, Environment.ProcessorCount + 1);
    }

    private async Task<int> CountKeptAsync(string? setByUser)
    {
        string kept = Folder["kept"];
        var start = new ProcessStartInfo("dotnet")
        {
            ArgumentList = { Path.Combine(AppContext.BaseDirectory, "Millrace.Cli.dll"), "--version" },
            UseShellExecute = false,
            RedirectStandardOutput = true,
        };
        start.Environment["DOTNET_STARTUP_HOOKS"] = typeof(StartupHook).Assembly.Location;
        start.Environment[StartupHook.FileVariable] = kept;

        // No collection goes on while arrays are returned and rented again.
        start.Environment["DOTNET_gcConcurrent"] = "0";
        start.Environment.Remove(SharedPool.Variable);
        if (setByUser is not null)
        {
            start.Environment[SharedPool.Variable] = setByUser;
        }

        using Process process = Process.Start(start)!;
        await process.StandardOutput.ReadToEndAsync();
        await TestProcess.WaitAsync(process);
        Assert.Equal(0, process.ExitCode);
        return int.Parse(await File.ReadAllTextAsync(kept), CultureInfo.InvariantCulture);
    }
}
