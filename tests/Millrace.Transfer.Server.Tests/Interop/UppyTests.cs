namespace Millrace.Transfer.Server.Tests.Interop;

public sealed class UppyTests(InteropServer interop) : IClassFixture<InteropServer>
{
    [NeedsFact(Need.NodeClients)]
    public async Task Files_are_stored_in_the_folders_they_were_dropped_from()
    {
        int[] sizes = [0, 1, InteropServer.Chunk - 1, InteropServer.Chunk, InteropServer.Chunk + 1, InteropServer.Large];
        var files = new List<(string Source, string Name)>();
        foreach (int size in sizes)
        {
            files.Add((await interop.SourceAsync(size), $"{size} bytes.bin"));
        }

        await ForeignClient.NodeAsync(
            "uppy.mjs",
            new
            {
                endpoint = interop.Endpoint,
                chunkSize = InteropServer.Chunk,
                files = files.Select(static file => new
                {
                    file = file.Source,
                    name = file.Name,
                    relativePath = $"dropped/{file.Name}",
                }),
            });
        foreach ((string source, string name) in files)
        {
            await interop.AssertArrivedAsync($"dropped/{name}", source);
        }
    }

    [NeedsFact(Need.NodeClients)]
    public async Task Paused_upload_resumes()
    {
        string source = await interop.SourceAsync(InteropServer.Large);
        JsonElement done = await ForeignClient.NodeAsync(
            "uppy.mjs",
            new { endpoint = interop.Endpoint, chunkSize = InteropServer.Chunk, pause = true, files = new[] { new { file = source, name = "paused" } } });
        Assert.Equal(1, done.GetProperty("pauses").GetInt32());
        await interop.AssertArrivedAsync("paused", source);
    }
}
