using System.Text.Json.Nodes;

namespace Millrace.Transfer.Server.Tests.Interop;

public sealed class UppyTests() : ForeignUploadTest("node", "uppy.mjs")
{
    [NeedsFact(Need.NodeClients)]
    public async Task Files_are_stored_in_the_folders_they_were_dropped_from()
    {
        (string Source, string Name)[] files = [.. ChunkSizes.Select(size => (Source(size), $"{size} bytes.bin"))];
        await RunAsync(Settings(new
        {
            chunkSize = Chunk,
            files = files.Select(static file => new { file = file.Source, name = file.Name, relativePath = $"dropped/{file.Name}" }),
        }));
        foreach ((string source, string name) in files)
        {
            AssertSame(source, Server.PathOf($"dropped/{name}"));
        }
    }

    [NeedsFact(Need.NodeClients)]
    public async Task Paused_upload_resumes()
    {
        string source = Source(Large);
        JsonElement done = await RunAsync(
            Settings(new { chunkSize = Chunk, pause = true, files = new[] { new { file = source, name = "paused" } } }));
        Assert.Equal(1, done.GetProperty("pauses").GetInt32());
        AssertSame(source, Server.PathOf("paused"));
    }

    private static JsonObject Settings(object settings) => JsonSerializer.SerializeToNode(settings)!.AsObject();
}
