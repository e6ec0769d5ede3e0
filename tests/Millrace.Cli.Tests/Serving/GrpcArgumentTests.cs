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
        Assert.Empty(options.AllowedOrigins);
        Assert.True(options.Compress);
    }

    [Fact]
    public void Grpc_options_are_read_from_the_command_line()
    {
        GrpcServerOptions options = Read(
            "--cors", "https://app.example.org", "--cors", "http://localhost:5173", "--max-message", "1MiB");

        Assert.Equal(["https://app.example.org", "http://localhost:5173"], options.AllowedOrigins);
        Assert.Equal(1024 * 1024, options.MaxMessageBytes);
    }

    [Fact]
    public void Star_allows_all_origins() => Assert.Equal(["*"], Read("--cors", "*").AllowedOrigins);

    [Theory]
    [InlineData("is not a valid origin", "--cors", "app.example.org")]
    [InlineData("is not a valid origin", "--cors", "https://app.example.org/")]
    [InlineData("is not a valid origin", "--cors", "https://App.example.org")]
    [InlineData("is not a valid origin", "--cors", "https://app.example.org:443")]
    [InlineData("is not a valid origin", "--cors", "https://me@app.example.org")]
    [InlineData("is not a valid origin", "--cors", "file:///tmp")]
    [InlineData("leave the others out", "--cors", "*", "--cors", "https://app.example.org")]
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
