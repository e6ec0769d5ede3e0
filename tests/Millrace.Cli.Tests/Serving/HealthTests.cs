using System.Net;
using System.Net.Sockets;
using System.Text.Json;

namespace Millrace.Cli.Tests.Serving;

/// <summary>`millrace health`.</summary>
[Trait("Tier", "All")]
public sealed class HealthTests : CommandTests
{
    [Fact]
    public async Task Server_that_accepts_files_is_healthy()
    {
        using ServedCommand serve = await ServeAsync("served");
        string address = $"http://127.0.0.1:{serve.Port}";

        Assert.Matches(@"^ok, .+ free, 0 running transfers\s*$", await SucceedAsync("health", address, "--timeout", "5m"));
        Assert.Equal("", await SucceedAsync("health", address + "/health", "--quiet", "--timeout", "5m"));
        JsonElement line = await RunJsonAsync("health", address, "--timeout", "5m");
        Assert.Equal((address + "/health", "ok"), (line.GetProperty("url").GetString(), line.GetProperty("status").GetString()));
        Assert.True(line.GetProperty("freeBytes").GetInt64() > 0);
    }

    [Fact]
    public async Task Server_without_enough_free_space_is_not_healthy()
    {
        using ServedCommand serve = await ServeAsync("served", "--leave-free", "1000TiB");
        string address = $"http://127.0.0.1:{serve.Port}";

        string error = await FailAsync("health", address, "--timeout", "5m");
        Assert.StartsWith("millrace health: failing: ", error, StringComparison.Ordinal);
        Assert.Contains("have to stay free", error, StringComparison.Ordinal);

        (int exitCode, string output, _) = await RunAsync("health", address, "--json", "--timeout", "5m");
        Assert.Equal(1, exitCode);
        Assert.Equal("failing", Assert.Single(Lines(output)).GetProperty("status").GetString());
    }

    [Fact]
    public async Task Status_needs_no_token_and_details_do()
    {
        string token = (await SucceedAsync("token", "add", "one", "--folder", Directory.CreateDirectory(Folder["served"]).FullName, "--json"))
            is { } line ? Assert.Single(Lines(line)).GetProperty("token").GetString()! : "";
        using ServedCommand serve = await ServeAsync("served");
        string address = $"http://127.0.0.1:{serve.Port}";

        Assert.Equal("ok", (await SucceedAsync("health", address, "--timeout", "5m")).Trim());
        (int exitCode, string output, _) = await EndAsync(Start(["health", address, "--timeout", "5m"], token));
        Assert.Equal(0, exitCode);
        Assert.Contains("free", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Server_that_is_not_there_or_is_another_is_not_healthy()
    {
        using ServedCommand serve = await ServeAsync("served");
        Folder.Write("served/page", "ok"u8.ToArray());

        Assert.Contains("responded with 200", await FailAsync("health", serve.Files + "page", "--timeout", "5m"), StringComparison.Ordinal);
        Assert.Contains("responded with 404", await FailAsync("health", serve.Files + "missing", "--timeout", "5m"), StringComparison.Ordinal);
        using Socket none = TestPort.Hold();
        Assert.Contains("refused", await FailAsync("health", $"http://{none.LocalEndPoint}", "--timeout", "5m"), StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public async Task Server_that_does_not_respond_is_not_healthy_after_the_timeout()
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();

        string error = await FailAsync("health", $"http://{silent.LocalEndpoint}", "--timeout", "50ms");
        Assert.Contains("did not respond within 50 ms", error, StringComparison.Ordinal);
    }
}
