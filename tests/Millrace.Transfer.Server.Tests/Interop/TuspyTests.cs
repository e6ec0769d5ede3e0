namespace Millrace.Transfer.Server.Tests.Interop;

public sealed class TuspyTests(InteropServer interop) : IClassFixture<InteropServer>
{
    private const string Script = "tuspy_upload.py";

    [NeedsTheory(Need.Tuspy)]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(InteropServer.Chunk - 1)]
    [InlineData(InteropServer.Chunk)]
    [InlineData(InteropServer.Chunk + 1)]
    [InlineData(InteropServer.Large)]
    public async Task Files_of_every_size_are_uploaded_in_chunks_with_checksums(int size)
    {
        string source = await interop.SourceAsync(size);
        await ForeignClient.PythonAsync(
            Script,
            new { endpoint = interop.Endpoint, file = source, name = $"{size}", chunkSize = InteropServer.Chunk, checksum = true });
        await interop.AssertArrivedAsync($"{size}", source);
    }

    [NeedsFact(Need.Tuspy)]
    public async Task A_large_file_arrives_in_one_request()
    {
        string source = await interop.SourceAsync(InteropServer.Large);
        await ForeignClient.PythonAsync(Script, new { endpoint = interop.Endpoint, file = source, name = "whole" });
        await interop.AssertArrivedAsync("whole", source);
    }

    [NeedsFact(Need.Tuspy)]
    public async Task Stopped_upload_resumes()
    {
        string source = await interop.SourceAsync(InteropServer.Large);
        JsonElement done = await ForeignClient.PythonAsync(
            Script,
            new { endpoint = interop.Endpoint, file = source, name = "stopped", chunkSize = InteropServer.Chunk, stopAt = 10 * InteropServer.Chunk });
        Assert.Equal(10 * InteropServer.Chunk, done.GetProperty("resumed").GetInt32());
        await interop.AssertArrivedAsync("stopped", source);
    }

    [NeedsFact(Need.Tuspy)]
    public async Task Upload_of_a_killed_process_resumes_in_another()
    {
        string source = await interop.SourceAsync(InteropServer.Large);
        JsonElement killed = await ForeignClient.PythonAsync(
            Script,
            new { endpoint = interop.Endpoint, file = source, name = "killed", chunkSize = InteropServer.Chunk, killAt = 10 * InteropServer.Chunk },
            killed: true);
        JsonElement done = await ForeignClient.PythonAsync(
            Script, new { endpoint = interop.Endpoint, file = source, name = "killed", url = killed.GetProperty("url").GetString() });
        Assert.Equal(10 * InteropServer.Chunk, done.GetProperty("resumed").GetInt32());
        await interop.AssertArrivedAsync("killed", source);
    }
}
