using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Text.RegularExpressions;
using Millrace.Kestrel;

namespace Millrace.Transfer.Server.Tests.Hosting;

/// <summary>Messages are for any program that has the libraries in it, not only for the command `millrace`.</summary>
public sealed partial class MessageTests
{
    [Theory]
    [InlineData(typeof(TransferServer))]
    [InlineData(typeof(MillraceSockets))]
    [InlineData(typeof(TransferClient))]
    [InlineData(typeof(FilePipe))]
    public void No_text_of_a_library_names_an_option_of_the_command(Type library)
    {
        using FileStream file = File.OpenRead(library.Assembly.Location);
        using var image = new PEReader(file);
        MetadataReader metadata = image.GetMetadataReader();
        var texts = new List<string>();
        for (UserStringHandle next = MetadataTokens.UserStringHandle(1); !next.IsNil; next = metadata.GetNextHandle(next))
        {
            texts.Add(metadata.GetUserString(next));
        }

        Assert.NotEmpty(texts);
        Assert.DoesNotContain(texts, static text => Option().IsMatch(text));
    }

    // Neither a property of CSS nor the separator in a generated style.
    [GeneratedRegex(@"(?<![\w(\-])--[a-z][a-z0-9-]+(?![\w:-])|millrace (serve|token|link) ")]
    private static partial Regex Option();
}
