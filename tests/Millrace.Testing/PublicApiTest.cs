using System.Reflection;
using System.Xml.Linq;

namespace Millrace.Testing;

/// <summary>Compares an assembly's public API with tests/ASSEMBLY.Tests/PublicApi.ASSEMBLY.txt, so that it changes only on purpose.</summary>
/// <remarks><c>MILLRACE_ACCEPT_API=1</c> rewrites the file; the change then shows in the review.</remarks>
public abstract class PublicApiTest(Assembly assembly)
{
    [Fact]
    public async Task Public_API_equals_the_reviewed_file()
    {
        string name = assembly.GetName().Name!;
        string path = Path.Combine(Repository.Root, "tests", $"{name}.Tests", $"PublicApi.{name}.txt");
        string api = PublicApi.Render(assembly);
        if (Environment.GetEnvironmentVariable("MILLRACE_ACCEPT_API") is "1")
        {
            await File.WriteAllTextAsync(path, api);
        }

        Assert.Equal(await File.ReadAllTextAsync(path), api);
    }

    /// <remarks>The compiler joins the comments of all parts of a type in the order of their files, and editors show the first summary.</remarks>
    [Fact]
    public void No_type_has_two_summaries()
    {
        XDocument documentation = XDocument.Load(Path.ChangeExtension(assembly.Location, ".xml"));

        Assert.Empty(documentation.Descendants("member").Where(member => member.Elements("summary").Count() > 1).Select(member => $"{member.Attribute("name")}"));
    }
}
