using Millrace.Transfer;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>The files that are uploaded, and their names.</summary>
public sealed class PutPlanTests : FolderTests
{
    public PutPlanTests()
    {
        Directory.CreateDirectory(Folder["tree/sub/empty"]);
        File.WriteAllText(Folder["tree/one.txt"], "one");
        File.WriteAllText(Folder["tree/sub/two.txt"], "two!");
    }

    [Fact]
    public void File_is_uploaded_to_the_name_in_the_url()
    {
        TransferItem item = Assert.Single(Plan("http://h/files/new/name.txt", Folder["tree/one.txt"]));

        Assert.Equal(("new/name.txt", 3L), (item.Name.Value, item.Bytes));
        Assert.Equal("http://h/files/new/name.txt", item.Url);
    }

    [Fact]
    public void Uploaded_folders_keep_their_names_and_files()
    {
        List<TransferItem> items = Plan("http://h/files/up/", Folder["tree"], Folder["tree/sub/two.txt"]);

        Assert.Equal(["up/tree/one.txt", "up/tree/sub/two.txt", "up/two.txt"], items.Select(item => item.Name.Value));
        Assert.All(items, item => Assert.Null(item.Refused));
    }

    [Fact]
    public void Folder_given_as_a_dot_keeps_its_name()
    {
        List<TransferItem> items = Plan("http://h/files/", Folder["tree/sub/."]);

        Assert.Equal(["sub/two.txt"], items.Select(item => item.Name.Value));
    }

    [NeedsFact(Need.Unix)]
    public void Files_that_cannot_be_uploaded_are_in_the_plan_with_the_reason()
    {
        File.WriteAllText(Folder["tree/MILLRA~1"], "a name of the store on Windows");
        Directory.CreateSymbolicLink(Folder["tree/link"], Folder["tree/sub"]);

        List<TransferItem> items = Plan("http://h/files/", Folder["tree"], Folder["missing"]);

        Assert.Equal(2, items.Count(item => item.Refused is null));
        Assert.Equal(
            [Folder["missing"], Folder["tree/MILLRA~1"], Folder["tree/link"]],
            items.Where(item => item.Refused is not null).Select(item => item.Path).Order(StringComparer.Ordinal));
        Assert.Contains(items, item => item.Refused?.Message.Contains("link to a folder", StringComparison.Ordinal) == true);
        Assert.Contains(items, item => item.Refused?.Message.Contains($"no file '{Folder["missing"]}'", StringComparison.Ordinal) == true);
    }

    [NeedsFact(Need.Links)]
    public void Links_to_files_are_followed()
    {
        File.CreateSymbolicLink(Folder["tree/sub/link.txt"], Folder["tree/one.txt"]);

        List<TransferItem> items = Plan("http://h/files/", Folder["tree/sub"]);

        Assert.Equal(3, items.Single(item => item.Name.Value == "sub/link.txt").Bytes);
    }

    [Fact]
    public void Leftovers_of_unfinished_transfers_are_not_uploaded()
    {
        File.WriteAllText(Folder["tree/.millrace-0123456789abcdef"], "half");
        File.WriteAllText(Folder["tree/.three.txt.millrace-part"], "half");
        File.WriteAllText(Folder["tree/.three.txt.millrace-part.json"], "{}");
        Directory.CreateDirectory(Folder["tree/.millrace"]);
        File.WriteAllText(Folder["tree/.millrace/state"], "kept");

        Assert.Equal(2, Plan("http://h/files/", Folder["tree"]).Count);
    }

    [Theory]
    [InlineData("http://h/files/x", "final slash", "tree/one.txt", "tree/sub/two.txt")]
    [InlineData("http://h/files/x", "final slash", "tree")]
    [InlineData("http://h/files/x/", "Standard input has no name", "-")]
    [InlineData("http://h/files/x/", "would both become", "tree/one.txt", "tree/../tree/one.txt")]
    public void Contradictory_arguments_are_rejected_before_the_upload(string url, string reason, params string[] sources)
    {
        string[] paths = [.. sources.Select(source => source == "-" ? source : Folder[source])];

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
}
