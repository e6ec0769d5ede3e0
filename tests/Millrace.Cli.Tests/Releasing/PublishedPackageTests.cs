using System.IO.Compression;
using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Millrace.Cli.Tests.Releasing;

/// <summary>The packages that <c>eng/publish.sh</c> made of every project in src/ that is not for the laboratory alone.</summary>
public sealed class PublishedPackageTests
{
    private static readonly Dictionary<string, string[]> Entries = Directory.Exists(Needs.Published)
        ? Directory.GetFiles(Needs.Published, "*nupkg").ToDictionary(path => Path.GetFileName(path)!, EntriesOf)
        : [];

    [NeedsFact(Need.Published)]
    public void Every_project_has_a_package_that_describes_it()
    {
        string[] projects = [.. Directory.GetFiles(Path.Combine(Repository.Root, "src"), "*.csproj", SearchOption.AllDirectories)
            .Where(path => !File.ReadAllText(path).Contains("Harness.props", StringComparison.Ordinal))
            .Select(path => Path.GetFileNameWithoutExtension(path)!)];
        Dictionary<string, XElement> manifests = Directory.GetFiles(Needs.Published, "*.nupkg").Select(ManifestOf)
            .ToDictionary(manifest => Value(manifest, "id"));

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
            string id = Regex.Match(name, @"^(?<id>.+?)\.\d+\.\d+\.\d+").Groups["id"].Value;
            bool isTool = id.EndsWith(".Cli", StringComparison.Ordinal);
            string folder = isTool ? "tools/net10.0/any/" : "lib/net10.0/";
            string[] wanted = ["README.md", "icon.png", "LICENSE", folder + id + ".dll"];
            Assert.Equal(isTool, Entries[name].Contains("THIRD-PARTY-NOTICES.txt"));
            Assert.Subset(Entries[name].ToHashSet(), wanted.ToHashSet());
            Assert.True(isTool || Entries[name].Contains(folder + id + ".xml"), name);
            Assert.Contains(folder + id + ".pdb", Entries[Path.ChangeExtension(name, ".snupkg")]);
        });

    /// <summary>4 MB, without the S3 client.</summary>
    [NeedsFact(Need.Published)]
    public void Command_is_a_small_package()
    {
        // Not by the pattern Millrace.Cli.*.nupkg, which finds nothing in Wine.
        string path = Assert.Single(
            Directory.GetFiles(Needs.Published, "*.nupkg"),
            static file => Path.GetFileName(file).StartsWith("Millrace.Cli.", StringComparison.Ordinal));
        using ZipArchive package = ZipFile.OpenRead(path);
        long bytes = package.Entries.Where(entry => !entry.Name.StartsWith("AWSSDK.", StringComparison.Ordinal)).Sum(entry => entry.CompressedLength);

        Assert.InRange(bytes, 1, 4_000_000);
    }

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
