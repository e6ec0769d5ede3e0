using System.Xml.Linq;

namespace Millrace.Cli.Tests.Releasing;

/// <summary>The documentation files of the packages.</summary>
public sealed class DocumentationTests
{
    /// <remarks>The compiler joins the comments of all parts of a type in the order of their files, and editors show the first summary.</remarks>
    [Theory]
    [InlineData("Millrace")]
    [InlineData("Millrace.Kestrel")]
    [InlineData("Millrace.Transfer")]
    [InlineData("Millrace.Transfer.S3")]
    [InlineData("Millrace.Transfer.Server")]
    public void No_type_has_two_summaries(string library)
    {
        XDocument documentation = XDocument.Load(Path.Combine(AppContext.BaseDirectory, library + ".xml"));

        Assert.Empty(documentation.Descendants("member").Where(member => member.Elements("summary").Count() > 1).Select(member => $"{member.Attribute("name")}"));
    }
}
