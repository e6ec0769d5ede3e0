using System.IO.Compression;
using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Millrace.Cli.Tests.Releasing;

/// <summary>The packages that <c>eng/publish.sh</c> made of every project in src/ that is not for the laboratory alone.</summary>
public sealed class PublishedPackageTests
{
    private const string Tool = "Millrace.Cli";

    private static readonly Dictionary<string, string[]> Entries = Directory.Exists(Needs.Published)
        ? Directory.GetFiles(Needs.Published, "*nupkg").ToDictionary(path => Path.GetFileName(path)!, EntriesOf)
        : [];

    // The command's packages for a system each, which the one without a suffix names.
    private static bool IsForOneSystem(string id) => id.StartsWith(Tool + ".", StringComparison.Ordinal);

    [NeedsFact(Need.Published)]
    public void Every_project_has_a_package_that_describes_it()
    {
        string[] projects = [.. Directory.GetFiles(Path.Combine(Repository.Root, "src"), "*.csproj", SearchOption.AllDirectories)
            .Where(path => !File.ReadAllText(path).Contains("Harness.props", StringComparison.Ordinal))
            .Select(path => Path.GetFileNameWithoutExtension(path)!)];
        Dictionary<string, XElement> manifests = Directory.GetFiles(Needs.Published, "*.nupkg").Select(ManifestOf)
            .Where(manifest => !IsForOneSystem(Value(manifest, "id"))).ToDictionary(manifest => Value(manifest, "id"));

        Assert.Equal(projects.Order(StringComparer.Ordinal), manifests.Keys.Order(StringComparer.Ordinal));
        Assert.All(manifests.Values, manifest =>
        {
            Assert.Equal("icon.png", Value(manifest, "icon"));
            Assert.Equal("README.md", Value(manifest, "readme"));
            Assert.Equal("MIT", Value(manifest, "license"));
            XElement repository = manifest.Elements().Single(element => element.Name.LocalName == "repository");
            Assert.Equal("git", repository.Attribute("type")!.Value);
            Assert.Matches("^[0-9a-f]{40}$", repository.Attribute("commit")!.Value);
        });
        // None has what another has.
        Assert.All((string[])["description", "tags"], name =>
            Assert.Equal(projects.Length, manifests.Values.Select(manifest => Value(manifest, name)).Distinct().Count()));
        Assert.Equal(projects.Length, projects.Select(name => File.ReadAllText(Path.Combine(Repository.Root, "src", name, "README.md"))).Distinct().Count());
    }

    [NeedsFact(Need.Published)]
    public void Every_package_has_its_readme_icon_licence_documentation_and_symbols() => Assert.All(
        Entries.Keys.Where(name => name.EndsWith(".nupkg", StringComparison.Ordinal)),
        name =>
        {
            string id = IdOf(name), system = IsForOneSystem(id) ? id[(Tool.Length + 1)..] : "any";
            bool isTool = id.Contains(".Cli", StringComparison.Ordinal), isNative = Entries[name].Contains($"tools/any/{system}/{Tool}");
            Assert.Equal(isTool, Entries[name].Contains("THIRD-PARTY-NOTICES.txt"));
            Assert.Subset(Entries[name].ToHashSet(), (HashSet<string>)["README.md", "icon.png", "LICENSE"]);
            if (id == Tool)
            {
                Assert.Contains("tools/any/any/DotnetToolSettings.xml", Entries[name]);
            }
            else if (isNative)
            {
                Assert.DoesNotContain(Entries[name], static entry => entry.EndsWith(".dll", StringComparison.Ordinal));
            }
            else
            {
                string file = (isTool ? $"tools/net10.0/{system}/" : "lib/net10.0/") + (isTool && id != "Millrace.Lab.Cli" ? Tool : id);
                Assert.Contains(file + ".dll", Entries[name]);
                Assert.True(isTool || Entries[name].Contains(file + ".xml"), name);
                Assert.Contains(file + ".pdb", Entries[Path.ChangeExtension(name, ".snupkg")]);
            }
        });

    [NeedsFact(Need.Published)]
    public void Command_has_a_package_for_each_system_that_it_names()
    {
        using ZipArchive package = ZipFile.OpenRead(Assert.Single(
            Directory.GetFiles(Needs.Published, "*.nupkg"), static file => IdOf(Path.GetFileName(file)) == Tool));
        using Stream settings = package.GetEntry("tools/any/any/DotnetToolSettings.xml")!.Open();
        string[] named = [.. XDocument.Load(settings).Descendants("RuntimeIdentifierPackage").Select(static entry => entry.Attribute("Id")!.Value)];

        Assert.Contains(Tool + ".linux-x64", named);
        Assert.Contains(Tool + ".any", named);
        Assert.Equal(named.Order(StringComparer.Ordinal), Entries.Keys.Where(static name => name.EndsWith(".nupkg", StringComparison.Ordinal))
            .Select(IdOf).Where(IsForOneSystem).Order(StringComparer.Ordinal));
    }

    /// <summary>4 MB, without the S3 client.</summary>
    [NeedsFact(Need.Published)]
    public void Command_is_a_small_package()
    {
        // Not by the pattern Millrace.Cli.*.nupkg, which finds nothing in Wine.
        string path = Assert.Single(
            Directory.GetFiles(Needs.Published, "*.nupkg"),
            static file => IdOf(Path.GetFileName(file)) == Tool + ".any");
        using ZipArchive package = ZipFile.OpenRead(path);
        long bytes = package.Entries.Where(entry => !entry.Name.StartsWith("AWSSDK.", StringComparison.Ordinal)).Sum(entry => entry.CompressedLength);

        Assert.InRange(bytes, 1, 4_000_000);
    }

    private static string IdOf(string name) => Regex.Match(name, @"^(?<id>.+?)\.\d+\.\d+\.\d+").Groups["id"].Value;

    private static string[] EntriesOf(string path)
    {
        using ZipArchive package = ZipFile.OpenRead(path);
        return [.. package.Entries.Select(entry => entry.FullName)];
    }

    private static XElement ManifestOf(string path)
    {
        using ZipArchive package = ZipFile.OpenRead(path);
        using Stream stream = package.Entries.Single(entry => entry.Name.EndsWith(".nuspec", StringComparison.Ordinal)).Open();
        return XDocument.Load(stream).Root!.Elements().Single();
    }

    private static string Value(XElement manifest, string name) =>
        manifest.Elements().Single(element => element.Name.LocalName == name).Value;
}
