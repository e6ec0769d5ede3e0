using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>The commands over gRPC and gRPC-Web, all as processes.</summary>
[Trait("Tier", "All")]
public sealed class GrpcTransferTests : CommandTests
{
    [Theory]
    [InlineData("grpc")]
    [InlineData("grpc-web")]
    [InlineData("grpc-web-text")]
    public async Task Compressed_files_arrive_unchanged(string via)
    {
        await File.WriteAllTextAsync(Folder["one.csv"], string.Join('\n', Enumerable.Range(0, 200_000)));
        using ServedCommand server = await ServeAsync("served");
        string[] how = ["--via", via, "--gzip"];

        JsonElement put = await RunJsonAsync(["put", "one.csv", server.Files, .. how]);
        JsonElement got = await RunJsonAsync(["get", server.Files + "one.csv", "copy.csv", .. how]);

        byte[] content = await File.ReadAllBytesAsync(Folder["one.csv"]);
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["served/one.csv"]));
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["copy.csv"]));
        Assert.All([put, got], line =>
        {
            Assert.Equal(via, line.GetProperty("protocol").GetString());
            Assert.Equal(content.Length, line.GetProperty("length").GetInt64());
        });
    }

    [Theory]
    [InlineData("grpc")]
    [InlineData("grpc-web")]
    [InlineData("grpc-web-text")]
    public async Task Folders_are_moved_listed_and_deleted(string via)
    {
        Write("tree/a.bin", 300_001, 1);
        Write("tree/sub/Grüße%20#1.txt", 5, 2);
        Write("tree/sub/empty", 0);
        using ServedCommand server = await ServeAsync("served");

        await SucceedAsync("put", "tree", server.Files, "--via", via);
        (int exitCode, string output, string error) = await RunAsync("ls", "-r", server.Files + "tree/", "--via", via);
        Assert.Equal((0, "a.bin\nsub/Grüße%20#1.txt\nsub/empty\n", ""), (exitCode, output, error));
        await SucceedAsync("get", server.Files + "tree/", "down", "--via", via);
        Assert.Equal(Digests("tree"), Digests("down"));
        await SucceedAsync("rm", "-r", "--yes", server.Files + "tree/", "--via", via);
        Assert.Empty(Digests("served"));
    }

    [Fact]
    public async Task Failure_names_the_protocol_and_a_remedy()
    {
        Write("one.bin", 10);
        Write("served/one.bin", 10);
        using ServedCommand server = await ServeAsync("served");

        (int exitCode, string output, _) = await RunAsync(
            "put", "one.bin", server.Files, "--new", "--via", "grpc", "--json");

        Assert.Equal(1, exitCode);
        JsonElement line = Assert.Single(Lines(output));
        Assert.Equal(("grpc", "AlreadyExists"), (line.GetProperty("protocol").GetString(), line.GetProperty("error").GetString()));
        Assert.Contains("over grpc", line.GetProperty("message").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_without_http2_offers_no_grpc_and_says_what_it_offers()
    {
        Write("one.bin", 10);
        Directory.CreateDirectory(Folder["served"]);
        using ServedCommand server = await ServedCommand.StartAsync(this, "served", "--h2-port", "none");

        string error = await FailAsync(
            "put", "one.bin", server.Ready.GetProperty("files").GetString()!, "--via", "grpc");
        Assert.Contains("does not offer the protocol 'grpc'", error, StringComparison.Ordinal);
        Assert.Contains("grpc-web", error, StringComparison.Ordinal);
    }
}
