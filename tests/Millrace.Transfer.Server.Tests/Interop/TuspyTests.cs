namespace Millrace.Transfer.Server.Tests.Interop;

/// <remarks>In the system's Python, where Debian installs tuspy.</remarks>
public sealed class TuspyTests() : ForeignUploadTest("/usr/bin/python3", "tuspy_upload.py")
{
    public static TheoryData<int> EverySize { get; } = [.. ChunkSizes];

    [NeedsTheory(Need.Tuspy), MemberData(nameof(EverySize))]
    public Task Files_of_every_size_are_uploaded_in_chunks_with_checksums(int size) =>
        UploadAsync(size, "chunks", new { chunkSize = Chunk, checksum = true });

    [NeedsFact(Need.Tuspy)]
    public Task A_large_file_arrives_in_one_request() => UploadAsync(Large, "whole", new { });

    [NeedsFact(Need.Tuspy)]
    public async Task Stopped_upload_resumes()
    {
        JsonElement done = await UploadAsync(Large, "stopped", new { chunkSize = Chunk, stopAt = 10 * Chunk });
        Assert.Equal(10 * Chunk, done.GetProperty("resumed").GetInt32());
    }

    [NeedsFact(Need.Tuspy)]
    public async Task Upload_of_a_killed_process_resumes_in_another()
    {
        string source = Source(Large);
        JsonElement killed = await UploadAsync(source, "killed", new { chunkSize = Chunk, killAt = 10 * Chunk }, killed: true);
        JsonElement done = await UploadAsync(source, "killed", new { url = killed.GetProperty("url").GetString() });
        Assert.Equal(10 * Chunk, done.GetProperty("resumed").GetInt32());
    }
}
