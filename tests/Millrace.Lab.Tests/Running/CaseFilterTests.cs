namespace Millrace.Lab.Tests.Running;

public sealed class CaseFilterTests
{
    private const string Id = "FilePipe/128MiB/4096/SequentialScan/hot/large writes";

    [Theory]
    [InlineData("FilePipe", true)]
    [InlineData("filepipe", true)]
    [InlineData("FilePipe*", true)]
    [InlineData("F?lePipe", true)]
    [InlineData("File", false)]
    [InlineData("*Stream*", false)]
    [InlineData("FilePipe/128MiB/4096/*", true)]
    [InlineData("*/4096/*/hot/*", true)]
    [InlineData("*/cold", false)]
    [InlineData("FilePipe/128MiB/40*6/*", true)]
    [InlineData("FilePipe/128MiB", false)]
    [InlineData("FilePip[e]", false)]
    public void Glob_without_a_slash_matches_methods_and_with_one_matches_cases(string glob, bool selected) =>
        Assert.Equal(selected, new CaseFilter([glob]).Selects("FilePipe", Id));

    [Fact]
    public void No_glob_selects_all_and_several_select_what_any_selects()
    {
        Assert.True(new CaseFilter([]).Selects("FilePipe", Id));
        Assert.True(new CaseFilter(["Nothing", "FilePipe"]).Selects("FilePipe", Id));
    }
}
