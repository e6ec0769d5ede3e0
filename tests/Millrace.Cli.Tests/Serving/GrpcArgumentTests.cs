using System.CommandLine;
using Millrace.Transfer;
using Millrace.Transfer.Server;

namespace Millrace.Cli.Tests.Serving;

/// <summary>The options of serve about gRPC.</summary>
public sealed class GrpcArgumentTests
{
    [Fact]
    public void Grpc_options_default_to_those_of_the_library()
    {
        GrpcServerOptions options = Read();

        Assert.Equal(16 * 1024 * 1024, options.MaxMessageBytes);
        Assert.True(options.Compress);
    }

    [Fact]
    public void Grpc_options_are_read_from_the_command_line()
    {
        Assert.Equal(1024 * 1024, Read("--max-message", "1MiB").MaxMessageBytes);
    }

    [Theory]
    [InlineData("is not a valid size", "--max-message", "much")]
    [InlineData("(64K) to 2147483647", "--max-message", "63K")]
    [InlineData("(64K) to 2147483647", "--max-message", "2G")]
    public void Invalid_options_are_rejected_with_the_reason(string reason, params string[] arguments)
    {
        ParseResult parsed = Command(out _).Parse(arguments);

        Assert.Contains(parsed.Errors, error => error.Message.Contains(reason, StringComparison.Ordinal));
    }

    private static GrpcServerOptions Read(params string[] arguments)
    {
        ParseResult parsed = Command(out GrpcOptionSet set).Parse(arguments);
        Assert.Empty(parsed.Errors);
        return set.Read(parsed);
    }

    private static System.CommandLine.Command Command(out GrpcOptionSet set)
    {
        set = new GrpcOptionSet();
        var command = new System.CommandLine.Command("serve");
        set.AddTo(command);
        return command;
    }
}
