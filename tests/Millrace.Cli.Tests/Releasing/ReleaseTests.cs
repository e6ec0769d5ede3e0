using System.IO.Compression;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Millrace.Cli.Tests.Releasing;

/// <summary>What <c>eng/publish.sh linux-x64</c> made, installed as its users do.</summary>
public sealed class ReleaseTests : FolderTests
{
    private const string Rid = "linux-x64";
    private const string OpenSsl = "/usr/lib/x86_64-linux-gnu/libssl.so.3";

    [NeedsFact(Need.Published)]
    public void Checksums_are_those_of_all_files()
    {
        string[] lines = [.. Directory.GetFiles(Needs.Published).Where(path => Path.GetFileName(path) != "SHA256SUMS")
            .Select(path => $"{Convert.ToHexStringLower(SHA256.HashData(File.ReadAllBytes(path)))}  {Path.GetFileName(path)}")];
        Assert.Equal(lines.Order(StringComparer.Ordinal), File.ReadAllLines(One("SHA256SUMS")).Order(StringComparer.Ordinal));
    }

    [NeedsFact(Need.Published)]
    public void Bill_of_materials_names_what_is_shipped_with_its_licence()
    {
        JsonElement bill = JsonDocument.Parse(File.ReadAllText(One($"millrace-.*-{Rid}.cdx.json"))).RootElement;
        Dictionary<string, string> licences = bill.GetProperty("components").EnumerateArray().ToDictionary(
            component => component.GetProperty("name").GetString()!,
            component => component.GetProperty("licenses")[0].GetProperty("expression").GetString()!);

        Assert.Equal("BSD-3-Clause", licences["Google.Protobuf"]);
        Assert.Equal("MIT", licences["System.CommandLine"]);
        Assert.Contains($"Microsoft.NETCore.App.Runtime.NativeAOT.{Rid}", licences.Keys);
        Assert.Contains($"Microsoft.AspNetCore.App.Runtime.{Rid}", licences.Keys);
        Assert.DoesNotContain("MinVer", licences.Keys);
        Assert.DoesNotContain("Meziantou.Analyzer", licences.Keys);
        string copyright = File.ReadAllText(Path.Combine(Repository.Root, "eng/deb/copyright"));
        Assert.All(
            licences.Where(static entry => !entry.Key.Contains(".Runtime.", StringComparison.Ordinal)),
            entry =>
            {
                Assert.Contains(entry.Key, copyright, StringComparison.Ordinal);
                Assert.Contains($"\nLicense: {entry.Value}\n", copyright, StringComparison.Ordinal);
            });
    }

    /// <summary>
    /// Nothing but the file, the C libraries, OpenSSL, /proc and /dev/urandom: no .NET, no shell, no folder for temporary files.
    /// </summary>
    [NeedsFact(Need.Linux | Need.Root | Need.Mount | Need.Published)]
    public async Task File_runs_in_an_empty_root()
    {
        string root = Directory.CreateDirectory(Folder["root"]).FullName;
        foreach (string folder in (string[])["dev", "proc", "work"])
        {
            Directory.CreateDirectory(Path.Combine(root, folder));
        }

        await File.WriteAllTextAsync(Path.Combine(root, "dev/urandom"), "");
        Shell.Run("tar", "-xzf", One($"millrace-.*-{Rid}.tar.gz"), "-C", root);
        string program = Path.Combine(root, "millrace");
        foreach (string library in (string[])[.. Libraries(program), .. Libraries(OpenSsl), OpenSsl])
        {
            string copy = root + library;
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(library, copy, overwrite: true);
        }

        // The mounts end with the process, whose namespace they are in.
        var trip = new RoundTrip(
            Path.Combine(root, "work"), "/work", "unshare", "--mount", "sh", "-c",
            $"cd '{root}' && mount --bind /proc proc && mount --bind /dev/urandom dev/urandom && exec chroot . /millrace \"$@\"", "sh");
        Assert.Equal(Version(), await trip.PrintAsync("--version"));
        await trip.RunAsync();
    }

    /// <summary>Machine code has no runtime beside it that would listen for dotnet-trace and dotnet-counters.</summary>
    [NeedsFact(Need.Linux | Need.Published)]
    public async Task Events_of_the_file_reach_a_trace()
    {
        Shell.Run("tar", "-xzf", One($"millrace-.*-{Rid}.tar.gz"), "-C", Folder.Path);
        string trace = Folder["trace"];
        Shell.Run(
            "env", "DOTNET_EnableEventPipe=1", "DOTNET_EventPipeConfig=Millrace:ffffffffffffffff:5", $"DOTNET_EventPipeOutputPath={trace}",
            Folder["millrace"], "scan", Folder["README.md"]);

        // Where it begins is not even.
        Assert.NotEqual(-1, (await File.ReadAllBytesAsync(trace)).AsSpan().IndexOf(Encoding.Unicode.GetBytes("FileOpened")));
    }

    /// <summary>Machine code for this system, from a package that only names those of all systems; its link finds the laboratory.</summary>
    [NeedsFact(Need.Linux | Need.Published)]
    public async Task Tools_install_from_the_packages_and_one_starts_the_other()
    {
        string tools = Folder["tools"];
        foreach (string package in (string[])["Millrace.Cli", "Millrace.Lab.Cli"])
        {
            DotNet("tool", "install", package, "--version", Version(), "--tool-path", tools, "--source", Needs.Published);
        }

        string millrace = Path.Combine(tools, "millrace");
        Assert.Equal(["Millrace.Cli"], Directory.GetFiles(Path.GetDirectoryName(File.ResolveLinkTarget(millrace, returnFinalTarget: true)!.FullName)!)
            .Select(Path.GetFileName).Where(static name => name != "DotnetToolSettings.xml"));
        var trip = new RoundTrip(Folder.Path, Folder.Path, millrace);
        Assert.Equal(Version(), await trip.PrintAsync("--version"));
        Assert.Contains("millrace lab files [options]", await trip.PrintAsync("lab", "files", "--help"), StringComparison.Ordinal);
        await trip.RunAsync();
    }

    [NeedsFact(Need.Linux | Need.Published)]
    public void Tool_runs_once_without_an_installation() => Assert.Equal(
        Version(), DotNet("tool", "exec", "--yes", "--source", Needs.Published, $"Millrace.Cli@{Version()}", "--", "--version"));

    /// <summary>On a system that no package names.</summary>
    [NeedsFact(Need.Linux | Need.Published)]
    public void Tool_for_other_systems_runs_with_dotnet()
    {
        using (ZipArchive package = ZipFile.OpenRead(One(@"Millrace\.Cli\.any\..*\.nupkg")))
        {
            package.ExtractToDirectory(Folder.Path);
        }

        Assert.Equal(Version(), Shell.Run("dotnet", Folder["tools/net10.0/any/Millrace.Cli.dll"], "--version").Trim());
    }

    [NeedsFact(Need.Linux | Need.Root | Need.Debian | Need.Published)]
    public async Task Debian_package_installs_upgrades_and_is_removed_without_losing_data()
    {
        string root = Folder["root"];
        string database = Directory.CreateDirectory(Path.Combine(root, "var/lib/dpkg/updates")).Parent!.FullName;
        Directory.CreateDirectory(Path.Combine(database, "info"));
        await File.WriteAllTextAsync(Path.Combine(database, "status"), "");
        string package = One(@"millrace_.*_amd64\.deb");

        Dpkg("--install", package);
        Assert.Contains("millrace:", await File.ReadAllTextAsync(Path.Combine(root, "etc/passwd")), StringComparison.Ordinal);
        string work = Directory.CreateDirectory(Folder["work"]).FullName;
        var trip = new RoundTrip(work, work, Path.Combine(root, "usr/bin/millrace"));
        await trip.RunAsync();

        string data = Path.Combine(Directory.CreateDirectory(Path.Combine(root, "var/lib/millrace")).FullName, "a.txt");
        string options = Path.Combine(root, "etc/default/millrace");
        await File.WriteAllTextAsync(data, "data");
        await File.WriteAllTextAsync(options, "MILLRACE_OPTIONS=\"--port 9000\"\n");
        Dpkg("--install", package);
        Assert.Equal("MILLRACE_OPTIONS=\"--port 9000\"\n", await File.ReadAllTextAsync(options));
        Dpkg("--remove", "millrace");
        Assert.False(File.Exists(Path.Combine(root, "usr/bin/millrace")));
        Assert.True(File.Exists(options));
        Dpkg("--purge", "millrace");
        Assert.False(File.Exists(options));
        Assert.Equal("data", await File.ReadAllTextAsync(data));

        void Dpkg(string action, string argument) => Shell.Run(
            "dpkg", $"--root={root}", "--force-depends", "--force-script-chrootless", "--force-confold", action, argument);
    }

    [NeedsFact(Need.Linux | Need.Debian | Need.Published)]
    public void Debian_package_is_clean_and_its_unit_is_valid_and_confined()
    {
        string package = One(@"millrace_.*_amd64\.deb");
        Shell.Run("lintian", "--allow-root", "--fail-on", "error,warning", package);
        Shell.Run("dpkg-deb", "--extract", package, Folder["root"]);
        string unit = Folder["root/usr/lib/systemd/system/millrace.service"];
        // The program is not where the unit will find it.
        string text = File.ReadAllText(unit);
        Assert.Contains("ExecStart=/usr/bin/millrace serve", text, StringComparison.Ordinal);
        File.WriteAllText(unit, text.Replace("ExecStart=", "ExecStart=" + Folder["root"], StringComparison.Ordinal));
        Shell.Run("systemd-analyze", "verify", "--man=no", unit);
        // From 0, confined, to 10.
        Shell.Run("systemd-analyze", "security", "--offline=true", "--threshold=20", unit);
    }

    [NeedsFact(Need.Published)]
    public async Task Manual_page_has_every_command()
    {
        string page = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "eng/deb/millrace.1"));
        (_, string help, _) = await Command.RunAsync(Folder.Path, "--help");
        string[] commands = [.. Regex.Matches(help[help.IndexOf("Commands:", StringComparison.Ordinal)..], @"^  (?<name>[a-z]+)", RegexOptions.Multiline)
            .Select(match => match.Groups["name"].Value)];

        Assert.Contains("health", commands);
        Assert.All(commands, command => Assert.Matches($@"(?m)^\.BI? ""?{command}\b", page));
    }

    private static string Version() => Regex.Match(One(@"Millrace\.Lab\.Cli\..*\.nupkg"), @"Millrace\.Lab\.Cli\.(?<version>.*)\.nupkg$").Groups["version"].Value;

    // With a separate folder for packages: another build of the same version may be in the user's.
    private string DotNet(params string[] arguments) =>
        Shell.Run("env", [$"NUGET_PACKAGES={Folder["packages"]}", $"DOTNET_CLI_HOME={Folder.Path}", "DOTNET_NOLOGO=1", "dotnet", .. arguments]).Trim();

    private static string One(string pattern) => Assert.Single(
        Directory.GetFiles(Needs.Published), path => Regex.IsMatch(Path.GetFileName(path), $"^{pattern}$"));

    private static IEnumerable<string> Libraries(string program) =>
        Regex.Matches(Shell.Run("ldd", program), @"(?<path>/\S+) \(0x").Select(match => match.Groups["path"].Value);
}
