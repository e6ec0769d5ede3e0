namespace Millrace.Tests.Docs;

/// <summary>The code in docs/append.md compiles and works as described.</summary>
public sealed class AppendTests
{
    [Fact]
    public async Task The_sample_appends_lines()
    {
        string path = TestFolder.NewPath();
        await AppendSample.LogAsync(path, new[] { "one", "two" }.ToAsyncEnumerable()).Soon();

        Assert.Equal("one\ntwo\n", await File.ReadAllTextAsync(path));
    }
}
