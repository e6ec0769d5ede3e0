using System.Diagnostics;
using System.IO.Compression;
using System.Text.RegularExpressions;

namespace Millrace.Cli.Tests;

/// <summary>What <c>dotnet pack</c> makes of the built solution, and whether the command runs from its package.</summary>
public sealed class PackagesTests : IDisposable
{
    internal static readonly string Root = FindRoot();
    private readonly string _folder = Directory.CreateTempSubdirectory("millrace-packages-").FullName;

    [Fact]
    public void The_library_package_carries_readme_licence_documentation_and_symbols()
    {
        Pack("Millrace");

        string[] library = Entries("Millrace.[0-9]*.nupkg");
        Assert.Contains("README.md", library);
        Assert.Contains("LICENSE", library);
        Assert.Contains("lib/net10.0/Millrace.dll", library);
        Assert.Contains("lib/net10.0/Millrace.xml", library);
        Assert.Contains("lib/net10.0/Millrace.pdb", Entries("Millrace.[0-9]*.snupkg"));
    }

    [Fact]
    public void The_command_installs_as_a_dotnet_tool_and_runs()
    {
        Pack("Millrace.Cli");
        string config = Path.Combine(_folder, "nuget.config");
        File.WriteAllText(
            config,
            $"""<configuration><packageSources><clear /><add key="packed" value="{_folder}" /></packageSources></configuration>""");
        string tools = Path.Combine(_folder, "tools");

        Run("dotnet", _folder, "tool", "install", "Millrace.Cli", "--tool-path", tools, "--configfile", config, "--no-cache");
        string version = Run(Path.Combine(tools, OperatingSystem.IsWindows() ? "millrace.exe" : "millrace"), _folder, "--version");

        Assert.Matches(@"^\d+\.\d+\.\d+", version);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static string FindRoot()
    {
        string? folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "Millrace.slnx")))
        {
            folder = Path.GetDirectoryName(folder);
        }

        return folder ?? throw new InvalidOperationException("The tests must run inside the repository.");
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

    private void Pack(string project) =>
        Run("dotnet", Root, "pack", Path.Combine("src", project), "-c", "Release", "--no-build", $"-p:PackageOutputPath={_folder}");

    private string[] Entries(string pattern)
    {
        string package = Assert.Single(
            Directory.GetFiles(_folder), path => Regex.IsMatch(
                Path.GetFileName(path), "^" + pattern.Replace(".", @"\.").Replace("*", ".*") + "$"));
        using ZipArchive archive = ZipFile.OpenRead(package);
        return [.. archive.Entries.Select(entry => entry.FullName)];
    }
}
