using Millrace.Cli.Tests.Releasing;

namespace Millrace.Cli.Tests;

/// <summary>The command where the C library lacks functions; calling one of them would fail.</summary>
[Trait("Tier", "All")]
public sealed class MissingFunctionTests : FolderTests
{
    [NeedsTheory(Need.Native)]
    [InlineData("all", "Millrace")]
    [InlineData("sendfile", "Millrace.Kestrel")]
    [InlineData("sendmsg", "Millrace.Kestrel")]
    public async Task Command_puts_gets_and_scans_without(string function, string refused)
    {
        string hook = typeof(StartupHook).Assembly.Location;
        var trip = new RoundTrip(
            Folder.Path, Folder.Path, "env", $"DOTNET_STARTUP_HOOKS={hook}", $"{StartupHook.RefusedVariable}={refused}",
            $"MILLRACE_MISSING={function}", "dotnet",
            Path.Combine(AppContext.BaseDirectory, "Millrace.Cli.dll"));
        await trip.RunAsync();
    }
}
