using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>What is wrong with a command line is said before any server is asked.</summary>
public sealed class TransferArgumentsTests : CommandTests
{
    private const string Via = "--via <auto|http1|http2|grpc|grpc-web|grpc-web-text|tus>";

    [Theory]
    [InlineData("put")]
    [InlineData("get")]
    [InlineData("ls")]
    [InlineData("rm")]
    public async Task Help_names_the_options_and_exit_codes(string command)
    {
        (int exitCode, string output, _) = await RunAsync(command, "--help");

        Assert.Equal(0, exitCode);
        string[] common =
            [Via, "--token <TOKEN>", "--token-file <FILE>", "--attempts <N>", "--idle-timeout <TIME>", "--quiet", "--json", "Examples:", "Exit codes:", "130"];
        string[] own = command switch
        {
            "put" => ["--gzip", "--create-new", "--if-match <TAG>", "--no-verify", "--no-continue", "--connections <N>"],
            "get" => ["--gzip", "--create-new", "--no-verify", "--no-continue", "--connections <N>"],
            "ls" => ["--recursive", "--long"],
            _ => ["--recursive", "--yes", "--if-match <TAG>"],
        };
        Assert.All([.. common, .. own], text => Assert.Contains(text, output, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("http://", "put", "x", "ftp://h/files/x")]
    [InlineData("'http2'", "put", "x", "http://h/files/x", "--via", "http3")]
    [InlineData("'grpc-web'", "ls", "http://h/files/", "--via", "grpcweb")]
    [InlineData("--gzip needs a gRPC protocol, and auto is none", "put", "x", "http://h/files/x", "--gzip")]
    [InlineData("--gzip needs a gRPC protocol, and http2 is none", "get", "http://h/files/x", "--gzip", "--via", "http2")]
    [InlineData("Add --via grpc or grpc-web or grpc-web-text", "get", "http://h/files/x", "--via", "tus", "--gzip")]
    [InlineData("--gzip", "ls", "http://h/files/", "--via", "grpc", "--gzip")]
    [InlineData("--attempts", "get", "http://h/files/x", "--attempts", "0")]
    [InlineData("--connections", "get", "http://h/files/x", "--connections", "x")]
    [InlineData("--idle-timeout", "ls", "http://h/files/", "--idle-timeout", "never")]
    [InlineData("exclude each other", "ls", "http://h/files/", "--token", "a", "--token-file", "b")]
    [InlineData("exclude each other", "put", "x", "http://h/files/x", "--create-new", "--if-match", "a")]
    [InlineData("missing-token", "ls", "http://h/files/", "--token-file", "missing-token")]
    [InlineData("--recursive", "rm", "http://h/files/x/")]
    [InlineData("--if-match", "rm", "http://h/files/x", "--if-match", "a b")]
    [InlineData("FILE... URL", "put", "x")]
    public async Task Invalid_command_line_is_rejected_with_the_reason(string reason, params string[] arguments)
    {
        string error = await FailAsync(arguments);
        Assert.Contains(reason, error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("put", "x", "http://127.0.0.1:1/files/x", "--if-match", "abc", "--attempts", "1")]
    [InlineData("rm", "http://127.0.0.1:1/files/x", "--if-match", "\"abc\"", "--attempts", "1")]
    [InlineData("ls", "http://127.0.0.1:1/files/", "--token", "mr_abc", "--attempts", "1")]
    public async Task Valid_command_line_reaches_the_server(params string[] arguments)
    {
        string error = await FailAsync(arguments);
        Assert.Contains("127.0.0.1:1", error, StringComparison.Ordinal);
        Assert.Contains("refused", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task With_json_a_wrong_url_is_an_object_too()
    {
        (int exitCode, string output, string error) = await RunAsync("get", "http://h/files/../x", "--json");

        Assert.Equal((1, ""), (exitCode, error));
        using var json = JsonDocument.Parse(output);
        Assert.Equal("InvalidName", json.RootElement.GetProperty("error").GetString());
        Assert.Equal("http://h/files/../x", json.RootElement.GetProperty("url").GetString());
    }
}
