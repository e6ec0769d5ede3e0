using Microsoft.AspNetCore.WebUtilities;
using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>ASP.NET Core decodes forms in the memory that a reader hands out.</summary>
public sealed class FormReaderTests
{
    [Theory, EveryValue]
    public async Task Forms_are_read_from_a_file_by_every_strategy(ReadStrategy strategy)
    {
        string path = Path.GetTempFileName();
        try
        {
            await File.WriteAllTextAsync(path, string.Join('&', Enumerable.Range(0, 1000).Select(i => $"a+%41{i}=b%20%42+{i}")));
            await using FilePipeReader reader = FilePipe.OpenRead(path, new FileReadOptions { Strategy = strategy });

            Dictionary<string, StringValues> form = await new FormPipeReader(reader).ReadFormAsync();

            Assert.Equal(1000, form.Count);
            Assert.All(form, field => Assert.Equal($"b B {field.Key[3..]}", field.Value));
        }
        finally
        {
            File.Delete(path);
        }
    }
}
