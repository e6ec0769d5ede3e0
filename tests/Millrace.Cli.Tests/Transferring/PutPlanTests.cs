using Millrace.Transfer;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>The files that are uploaded, and their names.</summary>
public sealed class PutPlanTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("millrace-cli-").FullName;

    public PutPlanTests()
    {
        Directory.CreateDirectory(In("tree/sub/empty"));
        File.WriteAllText(In("tree/one.txt"), "one");
        File.WriteAllText(In("tree/sub/two.txt"), "two!");
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void File_is_uploaded_to_the_name_in_the_url()
    {
        TransferItem item = Assert.Single(Plan("http://h/files/new/name.txt", In("tree/one.txt")));

        Assert.Equal(("new/name.txt", 3L), (item.Name.Value, item.Bytes));
        Assert.Equal("http://h/files/new/name.txt", item.Url);
    }

    [Fact]
    public void Uploaded_folders_keep_their_names_and_files()
    {
        List<TransferItem> items = Plan("http://h/files/up/", In("tree"), In("tree/sub/two.txt"));

        Assert.Equal(["up/tree/one.txt", "up/tree/sub/two.txt", "up/two.txt"], items.Select(item => item.Name.Value));
        Assert.All(items, item => Assert.Null(item.Refused));
    }

    [Fact]
    public void Folder_given_as_a_dot_keeps_its_name()
    {
        List<TransferItem> items = Plan("http://h/files/", In("tree/sub/."));

        Assert.Equal(["sub/two.txt"], items.Select(item => item.Name.Value));
    }

    [Fact]
    public void What_cannot_be_uploaded_is_in_the_plan_with_the_reason()
    {
        File.WriteAllText(In("tree/aux"), "a device's name on Windows");
        Directory.CreateSymbolicLink(In("tree/link"), In("tree/sub"));

        List<TransferItem> items = Plan("http://h/files/", In("tree"), In("missing"));

        Assert.Equal(2, items.Count(item => item.Refused is null));
        Assert.Equal(
            [In("missing"), In("tree/aux"), In("tree/link")],
            items.Where(item => item.Refused is not null).Select(item => item.Path).Order(StringComparer.Ordinal));
        Assert.Contains(items, item => item.Refused?.Message.Contains("link to a folder", StringComparison.Ordinal) == true);
        Assert.Contains(items, item => item.Refused?.Message.Contains($"no file '{In("missing")}'", StringComparison.Ordinal) == true);
    }

    [Fact]
    public void Links_to_files_are_followed()
    {
        File.CreateSymbolicLink(In("tree/sub/link.txt"), In("tree/one.txt"));

        List<TransferItem> items = Plan("http://h/files/", In("tree/sub"));

        Assert.Equal(3, items.Single(item => item.Name.Value == "sub/link.txt").Bytes);
    }

    [Fact]
    public void What_unfinished_transfers_left_is_no_file()
    {
        File.WriteAllText(In("tree/.millrace-0123456789abcdef"), "half");
        File.WriteAllText(In("tree/.three.txt.millrace-part"), "half");
        File.WriteAllText(In("tree/.three.txt.millrace-part.json"), "{}");
        Directory.CreateDirectory(In("tree/.millrace"));
        File.WriteAllText(In("tree/.millrace/state"), "kept");

        Assert.Equal(2, Plan("http://h/files/", In("tree")).Count);
    }

    [Theory]
    [InlineData("http://h/files/x", "final slash", "tree/one.txt", "tree/sub/two.txt")]
    [InlineData("http://h/files/x", "final slash", "tree")]
    [InlineData("http://h/files/x/", "Standard input has no name", "-")]
    [InlineData("http://h/files/x/", "would both become", "tree/one.txt", "tree/../tree/one.txt")]
    public void Contradictory_arguments_are_rejected_before_the_upload(string url, string reason, params string[] sources)
    {
        string[] paths = [.. sources.Select(source => source == "-" ? source : In(source))];

        var exception = Assert.Throws<TransferException>(() => Plan(url, paths));

        Assert.Contains(reason, exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Standard_input_has_no_length_before_it_is_read()
    {
        TransferItem item = Assert.Single(Plan("http://h/files/x", "-"));

        Assert.Null(item.Bytes);
        Assert.DoesNotContain("-", item.Shown, StringComparison.Ordinal);
    }

    private static List<TransferItem> Plan(string url, params string[] sources) =>
        PutPlan.Make(sources, TransferTarget.Parse(url));

    private string In(string name) => Path.Combine(_folder, name);
}
