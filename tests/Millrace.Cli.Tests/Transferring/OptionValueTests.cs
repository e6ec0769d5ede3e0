using Millrace.Transfer;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Values of options, as people type them.</summary>
public sealed class OptionValueTests : FolderTests
{
    [Theory]
    [InlineData("500ms", 500)]
    [InlineData("30", 30_000)]
    [InlineData("30s", 30_000)]
    [InlineData("1.5s", 1500)]
    [InlineData("2m", 120_000)]
    [InlineData("1h", 3_600_000)]
    [InlineData("1d", 86_400_000)]
    public void Idle_timeout_has_a_unit_or_is_in_seconds(string text, int milliseconds)
    {
        Assert.True(DurationArgument.TryParseWait(text, out TimeSpan time));
        Assert.Equal(milliseconds, time.TotalMilliseconds);
    }

    [Theory]
    [InlineData("")]
    [InlineData("s")]
    [InlineData("0")]
    [InlineData("-1s")]
    [InlineData("2d")]
    [InlineData("25h")]
    [InlineData("1mm")]
    [InlineData("∞")]
    public void Invalid_idle_timeouts_are_rejected(string text) => Assert.False(DurationArgument.TryParseWait(text, out _));

    [Fact]
    public void Token_file_holds_the_token_in_its_first_line()
    {
        string file = Folder["token"];
        File.WriteAllText(file, "mr_abc \nsomething else\n");

        Assert.Equal("mr_abc", TokenSource.Find(null, file));
        Assert.Equal("mr_x", TokenSource.Find("mr_x", file));
    }

    [Theory]
    [InlineData("")]
    [InlineData("a b")]
    [InlineData("a\nb")]
    [InlineData("ä")]
    public void Token_that_does_not_fit_a_header_is_rejected_and_not_printed(string token)
    {
        string message = Assert.Throws<TransferException>(() => TokenSource.Find(token, null)).Message;

        Assert.Contains("--token", message, StringComparison.Ordinal);
        Assert.DoesNotContain("a b", message, StringComparison.Ordinal);
    }

    [Fact]
    public void Missing_token_file_is_named()
    {
        string file = Folder["missing"];

        Assert.Contains(file, Assert.Throws<TransferException>(() => TokenSource.Find(null, file)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Protocols_have_the_names_that_the_server_describes()
    {
        Assert.Equal(["auto", "http1", "http2", "tus", "grpc", "grpc-web", "grpc-web-text"], ProtocolNames.All);
        Assert.All(Enum.GetValues<TransferProtocol>(), protocol => Assert.Equal(protocol, ProtocolNames.Parse(ProtocolNames.Of(protocol))));
        Assert.All(Enum.GetValues<TransferProtocol>(), protocol => Assert.Contains(ProtocolNames.Of(protocol), ProtocolNames.All));
    }

    [Theory]
    [InlineData("abc")]
    [InlineData("\"abc\"")]
    public void Tag_may_have_quotes(string tag) =>
        Assert.Equal([new EntityTag("abc")], ConditionOptions.Read(createNew: false, tag).Match);

    [Fact]
    public void Options_become_preconditions()
    {
        Assert.True(ConditionOptions.Read(createNew: false, null).IsNone);
        Assert.True(ConditionOptions.Read(createNew: true, null).CreateNew);
        Assert.True(ConditionOptions.Read(createNew: false, "*").MustExist);
    }
}
