using System.Net.Http.Headers;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>The server and the commands read and write files in step: docs/measuring.md, "Memory in step with the file".</summary>
[Trait("Tier", "All")]
public sealed class StepTests : CommandTests
{
    [NeedsTheory(Need.Native | Need.Trace)]
    [InlineData("http1")]
    [InlineData("http2")]
    [InlineData("tus")]
    [InlineData("grpc")]
    [InlineData("grpc-web")]
    public async Task Transferred_files_are_read_and_written_in_step(string via)
    {
        byte[] content = Write("one.bin", 3_000_001);
        Traces = Directory.CreateDirectory(Folder["traces"]).FullName;
        using ServedCommand server = await ServeAsync("served");

        await RunJsonAsync("put", "one.bin", server.Files, "--via", via);
        await RunJsonAsync("get", server.Files + "one.bin", "copy.bin", "--via", via);
        foreach (int offset in (int[])[5, 4089, 4095])
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, server.Files + "one.bin");
            request.Headers.Range = new RangeHeaderValue(offset, null);
            using HttpResponseMessage part = await server.Client.SendAsync(request);
            Assert.Equal(content[offset..], await part.Content.ReadAsByteArrayAsync());
        }

        server.Signal(Command.Terminate);
        await server.EndAsync();
        TracedCall[] served = TracedCalls.Read(Path.Combine(Traces, "1"));
        TracedCall[] put = TracedCalls.Read(Path.Combine(Traces, "2"));
        TracedCall[] got = TracedCalls.Read(Path.Combine(Traces, "3"));

        // At the server it is the connection's memory that is written from and read into, wherever it lies.
        Assert.DoesNotContain(served, call => call.IsSlow);
        Assert.DoesNotContain(put.Concat(got), call => call.Step != 0);
        Assert.Contains(served, call => call.Writes);
        Assert.Contains(served, call => !call.Writes);
        Assert.Contains(put, call => !call.Writes);
        Assert.Contains(got, call => call.Writes);
    }

    [NeedsFact(Need.Native | Need.Trace)]
    public async Task Downloads_over_http1_are_sent_by_the_system()
    {
        const int Length = 3_000_001;
        const int Page = 4096;
        Traces = Directory.CreateDirectory(Folder["traces"]).FullName;
        using ServedCommand server = await ServeAsync("served", "--transport", "millrace");
        byte[] content = Write("served/one.bin", Length);
        const int Times = 5;
        for (int i = 0; i < Times; i++)
        {
            Assert.Equal(content, await server.Client.GetByteArrayAsync(server.Files + "one.bin"));
        }

        server.Signal(Command.Terminate);
        await server.EndAsync();
        TracedCall[] reads = [.. TracedCalls.Read(Path.Combine(Traces, "1")).Where(call => call.Path.EndsWith("one.bin", StringComparison.Ordinal))];
        Assert.Equal(Times, reads.Count(call => (call.Offset, call.Bytes) == (Length - Page, Page)));

        // The other reads were one pass, for the digest.
        Assert.InRange(reads.Sum(call => call.Bytes), 0, 2 * Length);
    }
}
