using System.Diagnostics;
using System.IO.Compression;
using System.Text.RegularExpressions;
using Millrace.Cli.Tests.Releasing;

namespace Millrace.Cli.Tests;

/// <summary>What <c>dotnet pack</c> makes of the built solution, and whether the command runs from its package.</summary>
[Trait("Tier", "All")]
public sealed class PackagesTests : FolderTests
{
    [NeedsFact(Need.Wine, "has no .NET SDK")]
    public void The_library_package_carries_readme_licence_documentation_and_symbols()
    {
        Pack("Millrace");

        string[] library = Entries("Millrace.[0-9]*.nupkg");
        Assert.Contains("README.md", library);
        Assert.Contains("icon.png", library);
        Assert.Contains("LICENSE", library);
        Assert.Contains("lib/net10.0/Millrace.dll", library);
        Assert.Contains("lib/net10.0/Millrace.xml", library);
        Assert.Contains("lib/net10.0/Millrace.pdb", Entries("Millrace.[0-9]*.snupkg"));
    }

    [NeedsFact(Need.Wine, "has no .NET SDK")]
    public async Task Both_commands_install_as_dotnet_tools_and_one_starts_the_other()
    {
        Pack("Millrace.Cli");
        Pack("Millrace.Lab.Cli");
        Assert.DoesNotContain(
            Entries("Millrace.Cli.*.nupkg"), entry => Regex.IsMatch(entry, "/(BenchmarkDotNet|Millrace.Lab).*dll$"));
        Assert.Contains(Entries("Millrace.Lab.Cli.*.nupkg"), entry => entry.EndsWith("/Millrace.Lab.dll", StringComparison.Ordinal));
        string config = Folder["nuget.config"];
        File.WriteAllText(
            config,
            $"""<configuration><packageSources><clear /><add key="packed" value="{Folder.Path}" /></packageSources></configuration>""");
        string tools = Folder["tools"];
        foreach (string package in new[] { "Millrace.Cli", "Millrace.Lab.Cli" })
        {
            Run("dotnet", Folder.Path, "tool", "install", package, "--tool-path", tools, "--configfile", config, "--no-cache",
                "--prerelease");
        }

        string suffix = OperatingSystem.IsWindows() ? ".exe" : "";
        string millrace = Path.Combine(tools, "millrace" + suffix);
        Assert.Matches(@"^\d+\.\d+\.\d+", Run(millrace, Folder.Path, "--version"));
        Assert.Matches(@"^\d+\.\d+\.\d+", Run(Path.Combine(tools, "millrace-lab" + suffix), Folder.Path, "--version"));
        Assert.Contains("millrace lab files [options]", Run(millrace, Folder.Path, "lab", "files", "--help"), StringComparison.Ordinal);
        await new RoundTrip(Folder.Path, Folder.Path, millrace).RunAsync();
    }

    private static string Run(string file, string folder, params string[] arguments)
    {
        var start = new ProcessStartInfo(file, arguments)
        {
            WorkingDirectory = folder,
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using Process process = Process.Start(start)!;
        Task<string> error = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        Assert.True(process.ExitCode == 0, $"{file} {string.Join(' ', arguments)}:\n{output}\n{error.Result}");
        return output.Trim();
    }

    private void Pack(string project) => Run(
        "dotnet", Repository.Root, "pack", Path.Combine("src", project), "-c", Repository.Configuration, "--no-build",
        $"-p:PackageOutputPath={Folder.Path}");

    private string[] Entries(string pattern)
    {
        string package = Assert.Single(
            Directory.GetFiles(Folder.Path), path => Regex.IsMatch(
                Path.GetFileName(path), "^" + pattern.Replace(".", @"\.").Replace("*", ".*") + "$"));
        using ZipArchive archive = ZipFile.OpenRead(package);
        return [.. archive.Entries.Select(entry => entry.FullName)];
    }
}
