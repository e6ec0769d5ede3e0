namespace Millrace.Transfer.Server.Tests.Interop;

public sealed class TusJsClientTests(InteropServer interop) : IClassFixture<InteropServer>
{
    private const string Script = "tusjs.mjs";

    public static TheoryData<string, int> SizesAndProtocols()
    {
        var data = new TheoryData<string, int>();
        foreach (string protocol in (string[])["tus-v1", "ietf-draft-03", "ietf-draft-05"])
        {
            foreach (int size in (int[])[0, 1, InteropServer.Chunk - 1, InteropServer.Chunk, InteropServer.Chunk + 1, InteropServer.Large])
            {
                data.Add(protocol, size);
            }
        }

        return data;
    }

    [NeedsTheory(Need.NodeClients)]
    [MemberData(nameof(SizesAndProtocols))]
    public async Task Files_of_every_size_are_uploaded_in_chunks(string protocol, int size)
    {
        string source = await interop.SourceAsync(size);
        string name = $"chunks/{protocol}-{size}";
        await ForeignClient.NodeAsync(
            Script, new { endpoint = interop.Endpoint, file = source, name, protocol, chunkSize = InteropServer.Chunk });
        await interop.AssertArrivedAsync(name, source);
    }

    [NeedsTheory(Need.NodeClients)]
    [InlineData("tus-v1")]
    [InlineData("ietf-draft-03")]
    [InlineData("ietf-draft-05")]
    public async Task A_large_file_arrives_in_one_request(string protocol)
    {
        string source = await interop.SourceAsync(InteropServer.Large);
        string name = $"whole/{protocol}";
        JsonElement done = await ForeignClient.NodeAsync(
            Script, new { endpoint = interop.Endpoint, file = source, name, protocol });
        Assert.Equal(2, done.GetProperty("requests").GetArrayLength());
        await interop.AssertArrivedAsync(name, source);
    }

    [NeedsTheory(Need.NodeClients)]
    [InlineData("tus-v1", "abort")]
    [InlineData("tus-v1", "socket")]
    [InlineData("ietf-draft-03", "socket")]
    [InlineData("ietf-draft-05", "abort")]
    [InlineData("ietf-draft-05", "socket")]
    public async Task Disconnected_upload_resumes(string protocol, string cut)
    {
        string source = await interop.SourceAsync(InteropServer.Large);
        string name = $"cut/{protocol}-{cut}";
        JsonElement done = await ForeignClient.NodeAsync(
            Script, new { endpoint = interop.Endpoint, file = source, name, protocol, cut });
        Assert.Equal(1, done.GetProperty("cuts").GetInt32());
        await interop.AssertArrivedAsync(name, source);
    }

    [NeedsTheory(Need.NodeClients)]
    [InlineData("tus-v1")]
    [InlineData("ietf-draft-05")]
    public async Task Upload_of_a_killed_process_resumes_in_another(string protocol)
    {
        string source = await interop.SourceAsync(InteropServer.Large);
        string name = $"killed/{protocol}";
        JsonElement killed = await ForeignClient.NodeAsync(
            Script, new { endpoint = interop.Endpoint, file = source, name, protocol, cut = "kill" }, killed: true);
        string url = killed.GetProperty("url").GetString()!;
        JsonElement done = await ForeignClient.NodeAsync(
            Script, new { endpoint = interop.Endpoint, file = source, name, protocol, url });
        Assert.Equal(url, done.GetProperty("url").GetString());
        await interop.AssertArrivedAsync(name, source);
    }

    [NeedsTheory(Need.NodeClients)]
    [InlineData("")]
    [InlineData("abort")]
    public async Task Parts_that_are_uploaded_at_once_become_one_file(string cut)
    {
        string source = await interop.SourceAsync(InteropServer.Large);
        string name = $"parallel/{cut}x";
        await ForeignClient.NodeAsync(
            Script, new { endpoint = interop.Endpoint, file = source, name, parallelUploads = 3, chunkSize = InteropServer.Chunk, cut });
        await interop.AssertArrivedAsync(name, source);
    }

    [NeedsTheory(Need.NodeClients)]
    [InlineData("tus-v1", 0)]
    [InlineData("tus-v1", InteropServer.Large)]
    [InlineData("ietf-draft-05", InteropServer.Large)]
    public async Task Creation_receives_the_first_bytes(string protocol, int size)
    {
        string source = await interop.SourceAsync(size);
        string name = $"creation/{protocol}-{size}";
        await ForeignClient.NodeAsync(
            Script, new { endpoint = interop.Endpoint, file = source, name, protocol, withCreation = true, chunkSize = 5_000_000 });
        await interop.AssertArrivedAsync(name, source);
    }

    [NeedsFact(Need.NodeClients)]
    public async Task Method_override_and_deferred_length_work_together()
    {
        string source = await interop.SourceAsync(InteropServer.Large);
        await ForeignClient.NodeAsync(
            Script,
            new { endpoint = interop.Endpoint, file = source, name = "override", @override = true, deferLength = true, chunkSize = 5_000_000 });
        await interop.AssertArrivedAsync("override", source);
    }
}
