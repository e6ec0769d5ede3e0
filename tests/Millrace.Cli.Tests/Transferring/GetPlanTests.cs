using Millrace.Transfer;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Where downloaded files go.</summary>
public sealed class GetPlanTests : FolderTests
{
    [Theory]
    [InlineData("http://h/files/a/b.txt", null, "b.txt")]
    [InlineData("http://h/files/a/b.txt", "other.txt", "other.txt")]
    [InlineData("http://h/files/a/b.txt", "-", "-")]
    [InlineData("http://h/files/a/b/", null, "b")]
    [InlineData("http://h/files/a/b/", "new", "new")]
    [InlineData("http://h/files/", "all", "all")]
    public void File_keeps_its_name_unless_another_is_given(string url, string? destination, string expected) =>
        Assert.Equal(expected, GetPlan.DestinationOf(TransferTarget.Parse(url), destination));

    [Fact]
    public void File_keeps_its_name_in_a_folder() => Assert.Equal(
        Folder["b.txt"], GetPlan.DestinationOf(TransferTarget.Parse("http://h/files/a/b.txt"), Folder.Path));

    [Theory]
    [InlineData("http://h/files/a", "missing/", "Create it first")]
    [InlineData("http://h/files/a/", "-", "standard output takes one file")]
    [InlineData("http://h/files/", null, "Name a destination folder")]
    public void Unusable_destinations_are_rejected(string url, string? destination, string reason) => Assert.Contains(
        reason,
        Assert.Throws<TransferException>(() => GetPlan.DestinationOf(TransferTarget.Parse(url), destination)).Message,
        StringComparison.Ordinal);

    [Fact]
    public void Folder_is_not_downloaded_into_a_file()
    {
        string file = Folder["file"];
        File.WriteAllText(file, "");

        Assert.Contains(
            file,
            Assert.Throws<TransferException>(() => GetPlan.DestinationOf(TransferTarget.Parse("http://h/files/a/"), file)).Message,
            StringComparison.Ordinal);
    }
}
