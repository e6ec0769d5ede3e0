using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>A server's text is printed without anything that a terminal obeys, or shows elsewhere than where it stands.</summary>
[Trait("Tier", "All")]
public sealed class PrintedTextTests : CommandTests
{
    // It looks like photo-exe.jpg.
    private const string Name = "photo-\u202Egpj.exe";

    [Fact]
    public async Task Names_are_printed_without_marks_that_turn_them()
    {
        Folder.Write($"served/{Name}", "x"u8.ToArray());
        using ServedCommand server = await ServeAsync("served");

        foreach (string[] form in (string[][])[[], ["--long"], ["--recursive"]])
        {
            string listed = await SucceedAsync(["ls", server.Files, .. form]);
            Assert.Contains("photo-\uFFFDgpj.exe", listed, StringComparison.Ordinal);
            Assert.DoesNotContain('\u202E', listed);
        }

        string got = await SucceedAsync("get", server.Files, "down");
        Assert.DoesNotContain('\u202E', got);
        Assert.True(File.Exists(Folder[$"down/{Name}"]));
    }

    [NeedsTheory(Need.Unix), InlineData("put"), InlineData("get"), InlineData("sync")]
    public async Task Names_of_this_machine_are_printed_without_controls(string command)
    {
        Folder.Write(command == "get" ? "served/up/red\u001b[31m\nname" : "up/red\u001b[31m\nname", "x"u8.ToArray());
        Directory.CreateDirectory(Folder["served"]);
        using ServedCommand server = await ServeAsync("served");

        string printed = await SucceedAsync(command == "get" ? ["get", server.Files + "up/", "down"] : [command, "up", server.Files]);

        Assert.Contains("red\uFFFD[31m\uFFFDname", printed, StringComparison.Ordinal);
        Assert.DoesNotContain(printed, static c => char.IsControl(c) && c is not ('\r' or '\n'));
    }

    [Fact]
    public async Task Names_are_exact_and_escaped_in_JSON()
    {
        Folder.Write($"served/{Name}", "x"u8.ToArray());
        using ServedCommand server = await ServeAsync("served");

        string line = await SucceedAsync("ls", server.Files, "--json");

        Assert.DoesNotContain('\u202E', line);
        Assert.Equal(Name, JsonDocument.Parse(line).RootElement.GetProperty("name").GetString());
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task Refusal_is_printed_without_controls(bool json)
    {
        using var server = new TcpListener(IPAddress.Loopback, 0);
        server.Start();
        Task answering = AnswerAsync(server);

        (int exitCode, string output, string error) = await RunAsync(
            ["ls", $"http://{server.LocalEndpoint}/files/", .. json ? (string[])["--json"] : []]);
        server.Stop();
        await answering;

        Assert.Equal(1, exitCode);
        string printed = (output + error).ReplaceLineEndings("");
        Assert.Contains("clear\uFFFD[2J turn\uFFFDtxt", printed, StringComparison.Ordinal);
        Assert.DoesNotContain(printed, static c => char.IsControl(c) || c == '\u202E');
    }

    /// <summary>Refuses every request with a text for terminals, until it is stopped.</summary>
    private static async Task AnswerAsync(TcpListener server)
    {
        const string body = """{"error":"Forbidden","detail":"clear\u001b[2J turn\u202Etxt"}""";
        try
        {
            while (true)
            {
                using TcpClient client = await server.AcceptTcpClientAsync();
                using var reader = new StreamReader(client.GetStream());
                while (await reader.ReadLineAsync() is { Length: > 0 })
                {
                }

                await client.GetStream().WriteAsync(Encoding.UTF8.GetBytes(
                    "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: application/problem+json\r\n"
                    + $"Content-Length: {body.Length}\r\n\r\n{body}"));
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException or IOException)
        {
        }
    }
}
