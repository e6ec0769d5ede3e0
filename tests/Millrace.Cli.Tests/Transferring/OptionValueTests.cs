using Millrace.Cli.Transfer;
using Millrace.Transfer;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Values of options, as people type them.</summary>
public sealed class OptionValueTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("millrace-cli-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("500ms", 500)]
    [InlineData("30", 30_000)]
    [InlineData("30s", 30_000)]
    [InlineData("1.5s", 1500)]
    [InlineData("2m", 120_000)]
    [InlineData("1h", 3_600_000)]
    public void A_time_has_a_unit_or_is_seconds(string text, int milliseconds)
    {
        Assert.True(DurationArgument.TryParse(text, out TimeSpan time));
        Assert.Equal(milliseconds, time.TotalMilliseconds);
    }

    [Theory]
    [InlineData("")]
    [InlineData("s")]
    [InlineData("0")]
    [InlineData("-1s")]
    [InlineData("1d")]
    [InlineData("25h")]
    [InlineData("1mm")]
    [InlineData("∞")]
    public void What_is_no_time_is_refused(string text) => Assert.False(DurationArgument.TryParse(text, out _));

    [Fact]
    public void The_token_of_a_file_is_its_first_line()
    {
        string file = Path.Combine(_folder, "token");
        File.WriteAllText(file, "mr_abc \nsomething else\n");

        Assert.Equal("mr_abc", TokenSource.Find(null, file));
        Assert.Equal("mr_x", TokenSource.Find("mr_x", file));
    }

    [Theory]
    [InlineData("")]
    [InlineData("a b")]
    [InlineData("a\nb")]
    [InlineData("ä")]
    public void A_token_that_no_header_can_have_is_refused_and_not_repeated(string token)
    {
        string message = Assert.Throws<TransferException>(() => TokenSource.Find(token, null)).Message;

        Assert.Contains("--token", message, StringComparison.Ordinal);
        Assert.DoesNotContain("a b", message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_token_file_that_is_not_there_is_named()
    {
        string file = Path.Combine(_folder, "missing");

        Assert.Contains(file, Assert.Throws<TransferException>(() => TokenSource.Find(null, file)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Protocols_have_the_names_that_the_server_describes()
    {
        Assert.Equal(["auto", "http1", "http2", "grpc", "grpc-web", "grpc-web-text", "tus"], ProtocolNames.All);
        Assert.All(Enum.GetValues<TransferProtocol>(), protocol => Assert.Equal(protocol, ProtocolNames.Parse(ProtocolNames.Of(protocol))));
        Assert.All(Enum.GetValues<TransferProtocol>(), protocol => Assert.Contains(ProtocolNames.Of(protocol), ProtocolNames.All));
    }

    [Theory]
    [InlineData("abc")]
    [InlineData("\"abc\"")]
    public void A_tag_is_taken_with_its_quotes_and_without(string tag) =>
        Assert.Equal([new EntityTag("abc")], ConditionOptions.Read(mustNotExist: false, tag).Match);

    [Fact]
    public void Conditions_are_those_of_the_options()
    {
        Assert.True(ConditionOptions.Read(mustNotExist: false, null).IsNone);
        Assert.True(ConditionOptions.Read(mustNotExist: true, null).CreateNew);
        Assert.True(ConditionOptions.Read(mustNotExist: false, "*").MustExist);
    }
}
