using System.Text.Json;
using Millrace.Cli.Tests.Serving;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>The commands over gRPC and gRPC-Web, all as processes.</summary>
public sealed class GrpcTransferTests : IDisposable
{
    private readonly TransferFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("grpc")]
    [InlineData("grpc-web")]
    [InlineData("grpc-web-text")]
    public async Task Compressed_files_arrive_unchanged(string via)
    {
        await File.WriteAllTextAsync(_folder["one.csv"], string.Join('\n', Enumerable.Range(0, 200_000)));
        ServedFolder server = await ServedFolder.StartAsync(_folder, "served");
        string[] how = ["--via", via, "--gzip"];

        JsonElement put = await _folder.RunJsonAsync(["put", "one.csv", server.Files, .. how]);
        JsonElement got = await _folder.RunJsonAsync(["get", server.Files + "one.csv", "copy.csv", .. how]);

        byte[] content = await File.ReadAllBytesAsync(_folder["one.csv"]);
        Assert.Equal(content, await File.ReadAllBytesAsync(_folder["served/one.csv"]));
        Assert.Equal(content, await File.ReadAllBytesAsync(_folder["copy.csv"]));
        Assert.All([put, got], line =>
        {
            Assert.Equal(via, line.GetProperty("wire").GetString());
            Assert.Equal(content.Length, line.GetProperty("length").GetInt64());
        });
    }

    [Theory]
    [InlineData("grpc")]
    [InlineData("grpc-web")]
    [InlineData("grpc-web-text")]
    public async Task Folders_are_moved_listed_and_deleted(string via)
    {
        _folder.Write("tree/a.bin", 300_001, 1);
        _folder.Write("tree/sub/Grüße%20#1.txt", 5, 2);
        _folder.Write("tree/sub/empty", 0);
        ServedFolder server = await ServedFolder.StartAsync(_folder, "served");

        (int exitCode, string output, string error) = await _folder.RunAsync("put", "tree", server.Files, "--via", via);
        Assert.True(exitCode == 0, output + error);
        (exitCode, output, error) = await _folder.RunAsync("ls", "-r", server.Files + "tree/", "--via", via);
        Assert.Equal((0, "a.bin\nsub/Grüße%20#1.txt\nsub/empty\n", ""), (exitCode, output, error));
        (exitCode, output, error) = await _folder.RunAsync("get", server.Files + "tree/", "down", "--via", via);
        Assert.True(exitCode == 0, output + error);
        Assert.Equal(_folder.Digests("tree"), _folder.Digests("down"));
        (exitCode, output, error) = await _folder.RunAsync("rm", "-r", "--yes", server.Files + "tree/", "--via", via);
        Assert.True(exitCode == 0, output + error);
        Assert.Empty(_folder.Digests("served"));
    }

    [Fact]
    public async Task Failure_names_the_protocol_and_a_remedy()
    {
        _folder.Write("one.bin", 10);
        _folder.Write("served/one.bin", 10);
        ServedFolder server = await ServedFolder.StartAsync(_folder, "served");

        (int exitCode, string output, _) = await _folder.RunAsync(
            "put", "one.bin", server.Files, "--new", "--via", "grpc", "--json");

        Assert.Equal(1, exitCode);
        JsonElement line = Assert.Single(TransferFolder.Lines(output));
        Assert.Equal(("grpc", "AlreadyExists"), (line.GetProperty("wire").GetString(), line.GetProperty("error").GetString()));
        Assert.Contains("over grpc", line.GetProperty("message").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_without_http2_offers_no_grpc_and_says_what_it_offers()
    {
        _folder.Write("one.bin", 10);
        Directory.CreateDirectory(_folder["served"]);
        await using ServedCommand server = await ServedCommand.StartAsync(_folder.Path, "served", "--h2-port", "none");

        (int exitCode, _, string error) = await _folder.RunAsync(
            "put", "one.bin", server.Ready.GetProperty("files").GetString()!, "--via", "grpc");

        Assert.Equal(1, exitCode);
        Assert.Contains("does not offer the protocol 'grpc'", error, StringComparison.Ordinal);
        Assert.Contains("grpc-web", error, StringComparison.Ordinal);
    }
}
