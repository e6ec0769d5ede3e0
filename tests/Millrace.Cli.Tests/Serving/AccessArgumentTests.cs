using System.CommandLine;
using Millrace.Transfer.Server;

namespace Millrace.Cli.Tests.Serving;

/// <summary>The options of serve about callers without a token.</summary>
public sealed class AccessArgumentTests
{
    [Fact]
    public void Nothing_is_allowed_by_default()
    {
        TransferHostOptions options = Read();
        Assert.Equal((false, TransferScope.None, false), (options.Insecure, options.PublicScopes, options.AllowBasicWithoutTls));
    }

    [Theory]
    [InlineData("read", TransferScope.Read)]
    [InlineData("list", TransferScope.List)]
    [InlineData("read,list", TransferScope.Read | TransferScope.List)]
    public void Public_scopes_are_read(string text, TransferScope scopes) =>
        Assert.Equal((false, scopes, true), Read("--public", text, "--basic-over-http") is var options ? (options.Insecure, options.PublicScopes, options.AllowBasicWithoutTls) : default);

    [Theory]
    [InlineData("cannot be allowed without a token", "--public", "read,write")]
    [InlineData("cannot be allowed without a token", "--public", "all")]
    [InlineData("is not something to allow without a token", "--public", "reading")]
    [InlineData("leave one of them out", "--public", "read", "--insecure")]
    public void What_cannot_be_allowed_is_refused(string problem, params string[] arguments)
    {
        (System.CommandLine.Command command, _) = Make();
        Assert.Contains(command.Parse(arguments).Errors, error => error.Message.Contains(problem, StringComparison.Ordinal));
    }

    private static TransferHostOptions Read(params string[] arguments)
    {
        (System.CommandLine.Command command, AccessOptionSet set) = Make();
        ParseResult parsed = command.Parse(arguments);
        Assert.Empty(parsed.Errors);
        var options = new TransferHostOptions { Folder = "." };
        set.Read(parsed, options);
        return options;
    }

    private static (System.CommandLine.Command Command, AccessOptionSet Set) Make()
    {
        var set = new AccessOptionSet();
        var command = new System.CommandLine.Command("serve");
        set.AddTo(command);
        return (command, set);
    }
}
