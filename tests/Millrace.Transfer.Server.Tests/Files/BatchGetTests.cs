using System.Globalization;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>POST FOLDER/?batch=get.</summary>
public sealed class BatchGetTests : ServerTest
{
    [Theory]
    [EveryStore]
    public async Task Files_come_whole_and_described_as_by_a_get(bool portable)
    {
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions { Store = new LocalFileStoreOptions { Portable = portable } });
        string[] names = ["a", "deep/b ü%41+", "empty", "large", "again"];
        byte[][] contents = [Content.Of(10), Content.Of(1000), [], Content.Of((int)BatchUpload.MaxFileBytes), Content.Of(70_000)];
        await Batch.PutAsync(
            server.Client, "files/in%20it/?batch", [.. names.Select((name, i) => Batch.File(name, contents[i], ""","modified":"1500000000.123456789","executable":true"""))]);
        await server.WriteAsync("in it/foreign", contents[1]);
        for (int round = 0; round < 2; round++)
        {
            // A second time for what a server keeps in memory.
            var files = await Batch.GetAsync(server.Client, "files/in%20it/?batch=get", [.. names, "foreign", "a"]);
            Assert.Equal([.. names, "foreign", "a"], files.Select(static one => one.Line.Name));
            Assert.Equal([.. contents, contents[1], contents[0]], files.Select(static one => one.Content));
            foreach ((BatchResultDocument line, byte[] content) in files)
            {
                using var request = new HttpRequestMessage(HttpMethod.Get, $"files/in%20it/{TransferName.Parse(line.Name).ToEncoded()}");
                request.Headers.Add("Want-Repr-Digest", "sha-256=10");
                using HttpResponseMessage get = await server.Client.SendAsync(request);
                Assert.Equal(content, await get.Content.ReadAsByteArrayAsync());
                Assert.Equal((200, content.Length, null, null), (line.Status, line.Length, line.Error, line.Detail));
                Assert.Equal((get.Headers.ETag?.ToString(), get.Field("Millrace-Modified")), (line.Tag, line.Modified));
                Assert.Equal(get.Field("Millrace-Executable") == "?1" ? true : null, line.Executable);
                Assert.Equal(get.Field("Repr-Digest"), $"sha-256=:{line.Sha256}:");
            }
        }

        Assert.Empty(server.Complaints);
    }
}
