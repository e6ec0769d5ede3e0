using System.CommandLine;

namespace Millrace.Cli.Tests.Serving;

/// <summary>The options of serve about web pages.</summary>
public sealed class PageArgumentTests
{
    [Fact]
    public void Nothing_is_allowed_by_default()
    {
        ParseResult parsed = Command(out PageOptionSet set).Parse([]);

        Assert.Empty(set.HostNames(parsed));
        Assert.Empty(set.Origins(parsed));
        Assert.Null(set.PublicUrl(parsed));
    }

    [Fact]
    public void Page_options_are_read_from_the_command_line()
    {
        ParseResult parsed = Command(out PageOptionSet set).Parse(
        [
            "--cors", "https://app.example.org", "--cors", "http://localhost:5173", "--host-name", "files.example.org",
            "--host-name", "*.example.net", "--public-url", "https://files.example.org/",
        ]);

        Assert.Empty(parsed.Errors);
        Assert.Equal(["https://app.example.org", "http://localhost:5173"], set.Origins(parsed));
        Assert.Equal(["files.example.org", "*.example.net"], set.HostNames(parsed));
        Assert.Equal(new Uri("https://files.example.org/"), set.PublicUrl(parsed));
    }

    [Fact]
    public void Star_allows_all_origins() =>
        Assert.Equal(["*"], Command(out PageOptionSet set) is { } command ? set.Origins(command.Parse(["--cors", "*"])) : []);

    [Theory]
    [InlineData("is not a valid origin", "--cors", "app.example.org")]
    [InlineData("is not a valid origin", "--cors", "https://app.example.org/")]
    [InlineData("is not a valid origin", "--cors", "https://App.example.org")]
    [InlineData("is not a valid origin", "--cors", "https://app.example.org:443")]
    [InlineData("is not a valid origin", "--cors", "https://me@app.example.org")]
    [InlineData("is not a valid origin", "--cors", "file:///tmp")]
    [InlineData("is not a valid origin", "--cors", "null")]
    [InlineData("leave the others out", "--cors", "*", "--cors", "https://app.example.org")]
    [InlineData("is not a valid host name", "--host-name", "https://files.example.org")]
    [InlineData("is not a valid host name", "--host-name", "files.example.org:8080")]
    [InlineData("is not a valid host name", "--host-name", "*")]
    [InlineData("is not a valid host name", "--host-name", "*.")]
    [InlineData("is not a valid host name", "--host-name", "")]
    [InlineData("is not a valid URL", "--public-url", "files.example.org")]
    [InlineData("is not a valid URL", "--public-url", "https://files.example.org/?x")]
    [InlineData("leave out the path '/share'", "--public-url", "https://files.example.org/share")]
    [InlineData("is not a valid URL", "--public-url", "ftp://files.example.org")]
    public void Invalid_options_are_rejected_with_the_reason(string reason, params string[] arguments)
    {
        ParseResult parsed = Command(out _).Parse(arguments);

        Assert.Contains(parsed.Errors, error => error.Message.Contains(reason, StringComparison.Ordinal));
    }

    private static System.CommandLine.Command Command(out PageOptionSet set)
    {
        set = new PageOptionSet();
        var command = new System.CommandLine.Command("serve");
        set.AddTo(command);
        return command;
    }
}
