using System.Net;
using System.Net.Sockets;
using System.Text;
using Millrace.Lab.Suites.Serving;

namespace Millrace.Lab.Tests.Serving;

/// <summary>The suite with few rounds, a file of 1 MiB for the large one and few requests; the servers are real.</summary>
[Trait("Tier", "All")]
public sealed class ServerSuiteTests(ServerSuiteTests.Measured measured) : IClassFixture<ServerSuiteTests.Measured>
{
    private const int Requests = 64;
    private readonly LabResults _results = measured.Results;

    [Fact]
    public void Every_server_answers_every_request()
    {
        Assert.All(_results.Cases, item =>
        {
            Assert.Null(item.Error);

            // Only Linux reports the page cache's content.
            Assert.Equal(OperatingSystem.IsLinux(), item.Verified);
            Assert.Equal([0, 1], item.Samples!.Round);
            Assert.NotNull(item.Summary!.Ratio);
            Assert.Equal(OperatingSystem.IsLinux() || item.Method != WebServer.Nginx, item.Samples.ServerCpuNs is not null);
            Assert.Equal(item.Method != WebServer.Nginx, item.Samples.ServerAllocatedBytes is not null);
        });
        Assert.Equal(
            [.. WebServer.All.Where(method => method != WebServer.Nginx || NginxServer.WhyNot is null).Order()],
            _results.Cases.Where(item => item.Role is null).Select(item => item.Method).Distinct().Order());
        Assert.Equal(LoadProgram.WhyNot is null, _results.Cases.Any(item => item.Parameters.Options!.Contains($"{Requests} files", StringComparison.Ordinal)));
    }

    [Fact]
    public void Every_target_is_measured_where_the_programs_are_installed()
    {
        if (LoadProgram.WhyNot is not null || NginxServer.WhyNot is not null)
        {
            Assert.NotEmpty(_results.Absent);
            return;
        }

        Assert.Empty(_results.Absent);
        Assert.All(_results.Targets, target => Assert.NotNull(target.Met));
        Assert.Contains("receiving 1 MiB over HTTP/1.1, Kestrel with UseMillraceSockets ", _results.Finding, StringComparison.Ordinal);
    }

    [Fact]
    public void Uploaded_files_are_removed() => Assert.Empty(
        Directory.EnumerateFiles(measured.Folder.Path, ServerFolders.UploadedName, SearchOption.AllDirectories));

    [Fact]
    public void User_file_is_rejected_with_a_remedy()
    {
        LabException exception = Assert.ThrowsAny<LabException>(
            () => new ServerSuite().TakeInputs(new LabOptions { FilePath = "mine", DataFolder = measured.Folder.Path }));
        Assert.Contains("--data", exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsame", null)]
    [InlineData("HTTP/1.1 200 OK\r\nx: y\r\ncontent-length:4\r\nz: z\r\n\r\nsame", null)]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nSame", "other bytes")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nsame!", "5 bytes instead of 4")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsam", "closed the connection")]
    [InlineData("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "404")]
    public async Task Answer_that_is_not_the_file_fails_the_case(string answer, string? problem)
    {
        using var folder = new TemporaryFolder();
        var source = new TestFile(folder.Write("file", "same"u8.ToArray()), 4, Checksum: 0, Generated: true);
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Task serving = Task.Run(async () =>
        {
            using Socket socket = await listener.AcceptSocketAsync();
            await socket.ReceiveAsync(new byte[1024]);
            await socket.SendAsync(Encoding.ASCII.GetBytes(answer));
            socket.Shutdown(SocketShutdown.Send);
        });

        Exception? failure;
        using (var client = new RawHttpClient(new Uri($"http://{listener.LocalEndpoint}/")))
        {
            failure = Record.Exception(() => client.Get("/file", source, compares: true));
        }

        await serving.Soon();
        if (problem is null)
        {
            Assert.Null(failure);
        }
        else
        {
            Assert.Contains(problem, Assert.IsAssignableFrom<IOException>(failure).Message, StringComparison.Ordinal);
        }
    }

    public sealed class Measured() : MeasuredSuite(new ServerSuite(
        new SuiteLimits
        {
            Groups = [new() { Group = ServerCase.Only, MinRounds = 2, MaxRounds = 2, Time = TimeSpan.Zero, MaxPerVisit = 1, WithPasses = false }],
            Launches = 1,
            WarmUpPhases = 1,
        },
        large: 1 << 20,
        requests: Requests));
}
