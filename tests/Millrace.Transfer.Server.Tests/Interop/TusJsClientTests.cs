namespace Millrace.Transfer.Server.Tests.Interop;

public sealed class TusJsClientTests() : ForeignUploadTest("node", "tusjs.mjs")
{
    public static TheoryData<string, int> SizesAndProtocols { get; } =
        Pairs.Of(["tus-v1", "ietf-draft-03", "ietf-draft-05"], ChunkSizes);

    [NeedsTheory(Need.NodeClients), MemberData(nameof(SizesAndProtocols))]
    public Task Files_of_every_size_are_uploaded_in_chunks(string protocol, int size) =>
        UploadAsync(size, "chunks", new { protocol, chunkSize = Chunk });

    [NeedsTheory(Need.NodeClients), InlineData("tus-v1"), InlineData("ietf-draft-03"), InlineData("ietf-draft-05")]
    public async Task A_large_file_arrives_in_one_request(string protocol)
    {
        JsonElement done = await UploadAsync(Large, "whole", new { protocol });
        Assert.Equal(2, done.GetProperty("requests").GetArrayLength());
    }

    [NeedsTheory(Need.NodeClients)]
    [InlineData("tus-v1", "abort")]
    [InlineData("tus-v1", "socket")]
    [InlineData("ietf-draft-03", "socket")]
    [InlineData("ietf-draft-05", "abort")]
    [InlineData("ietf-draft-05", "socket")]
    public async Task Disconnected_upload_resumes(string protocol, string cut)
    {
        JsonElement done = await UploadAsync(Large, "cut", new { protocol, cut });
        Assert.Equal(1, done.GetProperty("cuts").GetInt32());
    }

    [NeedsTheory(Need.NodeClients), InlineData("tus-v1"), InlineData("ietf-draft-05")]
    public async Task Upload_of_a_killed_process_resumes_in_another(string protocol)
    {
        string source = Source(Large);
        JsonElement killed = await UploadAsync(source, "killed", new { protocol, cut = "kill" }, killed: true);
        string url = killed.GetProperty("url").GetString()!;
        JsonElement done = await UploadAsync(source, "killed", new { protocol, url });
        Assert.Equal(url, done.GetProperty("url").GetString());
    }

    [NeedsTheory(Need.NodeClients), InlineData(""), InlineData("abort")]
    public Task Parts_that_are_uploaded_at_once_become_one_file(string cut) =>
        UploadAsync(Large, "parallel", new { parallelUploads = 3, chunkSize = Chunk, cut });

    [NeedsTheory(Need.NodeClients)]
    [InlineData("tus-v1", 0)]
    [InlineData("tus-v1", Large)]
    [InlineData("ietf-draft-05", Large)]
    public Task Creation_receives_the_first_bytes(string protocol, int size) =>
        UploadAsync(size, "creation", new { protocol, withCreation = true, chunkSize = 5_000_000 });

    [NeedsFact(Need.NodeClients)]
    public Task Method_override_and_deferred_length_work_together() =>
        UploadAsync(Large, "override", new { @override = true, deferLength = true, chunkSize = 5_000_000 });
}
