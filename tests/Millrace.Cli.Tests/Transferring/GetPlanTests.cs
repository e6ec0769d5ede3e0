using Millrace.Cli.Get;
using Millrace.Cli.Transfer;
using Millrace.Transfer;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Where downloaded files go.</summary>
public sealed class GetPlanTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("millrace-cli-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("http://h/files/a/b.txt", null, "b.txt")]
    [InlineData("http://h/files/a/b.txt", "other.txt", "other.txt")]
    [InlineData("http://h/files/a/b.txt", "-", "-")]
    [InlineData("http://h/files/a/b/", null, "b")]
    [InlineData("http://h/files/a/b/", "new", "new")]
    [InlineData("http://h/files/", "all", "all")]
    public void A_file_goes_to_its_own_name_or_the_given_one(string url, string? destination, string expected) =>
        Assert.Equal(expected, GetPlan.DestinationOf(TransferTarget.Parse(url), destination));

    [Fact]
    public void A_file_goes_into_a_folder_under_its_own_name() => Assert.Equal(
        Path.Combine(_folder, "b.txt"), GetPlan.DestinationOf(TransferTarget.Parse("http://h/files/a/b.txt"), _folder));

    [Theory]
    [InlineData("http://h/files/a", "missing/", "Make it first")]
    [InlineData("http://h/files/a/", "-", "standard output takes one file")]
    [InlineData("http://h/files/", null, "Say which folder")]
    public void What_can_go_nowhere_is_refused(string url, string? destination, string reason) => Assert.Contains(
        reason,
        Assert.Throws<TransferException>(() => GetPlan.DestinationOf(TransferTarget.Parse(url), destination)).Message,
        StringComparison.Ordinal);

    [Fact]
    public void A_folder_does_not_go_into_a_file()
    {
        string file = Path.Combine(_folder, "file");
        File.WriteAllText(file, "");

        Assert.Contains(
            file,
            Assert.Throws<TransferException>(() => GetPlan.DestinationOf(TransferTarget.Parse("http://h/files/a/"), file)).Message,
            StringComparison.Ordinal);
    }
}
