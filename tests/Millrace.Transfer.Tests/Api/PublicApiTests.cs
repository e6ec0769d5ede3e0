using Millrace.Tests.Api;
using Millrace.Tests.Infrastructure;

namespace Millrace.Transfer.Tests.Api;

/// <summary>The public API changes only on purpose.</summary>
/// <remarks><c>MILLRACE_ACCEPT_API=1</c> writes the file anew; the change is then seen in the review.</remarks>
public sealed class PublicApiTests
{
    [Fact]
    public async Task The_public_API_of_Millrace_Transfer_is_what_the_file_says()
    {
        string path = Path.Combine(Repository.Root, "tests", "Millrace.Transfer.Tests", "PublicApi.Millrace.Transfer.txt");
        string api = PublicApi.Render(typeof(TransferClient).Assembly);
        if (Environment.GetEnvironmentVariable("MILLRACE_ACCEPT_API") is "1")
        {
            await File.WriteAllTextAsync(path, api);
        }

        Assert.Equal(await File.ReadAllTextAsync(path), api);
    }
}
