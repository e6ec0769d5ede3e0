namespace Millrace.Samples.Tests;

public sealed class CountLinesTests : FolderTests
{
    [Theory]
    [InlineData("", "0")]
    [InlineData("one\ntwo", "1")]
    [InlineData("\n\n\n", "3")]
    public async Task Ends_of_lines_are_counted(string text, string lines)
    {
        (int exitCode, string output, string error) = await Sample.RunAsync("CountLines", Folder.Write("text", text));

        Assert.True(exitCode == 0, error);
        Assert.Equal(lines, output.Trim());
    }

    [Fact]
    public async Task A_file_that_several_readers_share_has_as_many_lines_as_wc_says()
    {
        string path = Folder.Write(
            "long", string.Concat(Enumerable.Range(0, 200_000).Select(number => new string('x', number % 37) + "\n")));

        string output = (await Sample.RunAsync("CountLines", path)).Output;

        Assert.Equal("200000", output.Trim());
        if (!OperatingSystem.IsWindows())
        {
            Assert.Equal((await Sample.SystemAsync("wc", "-l", path)).Split(' ')[0], output.Trim());
        }
    }

    [Fact]
    public async Task A_missing_file_is_named()
    {
        (int exitCode, _, string error) = await Sample.RunAsync("CountLines", Folder["missing"]);

        Assert.Equal(1, exitCode);
        Assert.Contains(Folder["missing"], error, StringComparison.Ordinal);
    }
}
