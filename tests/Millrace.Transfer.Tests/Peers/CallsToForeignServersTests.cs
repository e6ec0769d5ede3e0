namespace Millrace.Transfer.Tests.Peers;

public sealed class CallsToForeignServersTests : ForeignServerTest
{
    [NeedsTheory(Need.GrpcPeers), EveryServer]
    public async Task A_file_is_found_with_its_length_and_version(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        server.Write("Größe 世界", 70_000);
        using TransferClient client = server.Connect();
        StoredFile? file = await client.FindAsync(Name("Größe 世界"));
        Assert.NotNull(file);
        Assert.Equal("Größe 世界", file.Name.Value);
        Assert.Equal(70_000, file.Length);
        Assert.NotEqual("", file.Tag.Value);
        Assert.Equal(File.GetLastWriteTimeUtc(server.PathOf("Größe 世界")), file.Modified.ToDateTimeOffset().UtcDateTime);
        Assert.Null(await client.FindAsync(Name("other")));
    }

    [NeedsTheory(Need.GrpcPeers), EveryServer]
    public async Task Missing_file_is_reported_in_the_servers_words(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        using TransferClient client = server.Connect();
        TransferException exception = await Fails.WithAsync(TransferError.NotFound, () => client.GetAsync(Name("not/there"), Here["file"]));
        Assert.Contains("There is no file not/there.", exception.Message, StringComparison.Ordinal);
        Assert.Empty(Here.Files);
    }

    [NeedsTheory(Need.GrpcPeers), EveryServer]
    public async Task Every_status_is_an_error_with_its_message(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        using TransferClient client = server.Connect(static options => options.MaxAttempts = 1);
        TransferError[] expected =
        [
            TransferError.Failed, TransferError.Failed, TransferError.InvalidRequest, TransferError.TooSlow,
            TransferError.NotFound, TransferError.AlreadyExists, TransferError.Forbidden, TransferError.TooLarge,
            TransferError.PreconditionFailed, TransferError.Superseded, TransferError.RangeNotSatisfiable,
            TransferError.ProtocolNotOffered, TransferError.Failed, TransferError.Disconnected, TransferError.DigestMismatch,
            TransferError.Unauthorized,
        ];
        for (int status = 1; status <= expected.Length; status++)
        {
            TransferException exception = await Fails.WithAsync(
                expected[status - 1], () => client.GetAsync(Name($"status-{status}"), Here["file"]));
            Assert.Contains(OddMessage, exception.Message, StringComparison.Ordinal);
        }
    }

    [NeedsTheory(Need.GrpcPeers), EveryServer]
    public async Task A_folder_is_listed(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        Directory.CreateDirectory(server.PathOf("b"));
        server.Write("a", 1);
        server.Write("b/x", 2);
        server.Write("c", 3);
        using TransferClient client = server.Connect();
        Assert.Equal(["a 1", "b ", "c 3"], await NamesAsync(client, recursive: false));
        Assert.Equal(["a 1", "b/x 2", "c 3"], await NamesAsync(client, recursive: true));
    }

    [NeedsTheory(Need.GrpcPeers), EveryServer]
    public async Task A_file_is_deleted(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        server.Write("file", 1);
        using TransferClient client = server.Connect();
        Assert.True(await client.DeleteAsync(Name("file")));
        Assert.False(File.Exists(server.PathOf("file")));
        Assert.False(await client.DeleteAsync(Name("file")));
    }

    [NeedsTheory(Need.GrpcPeers), EveryServer]
    public async Task The_token_goes_with_every_call(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name, "--token", "secret");
        string source = Here.Write("file", Content.Random(100_000));
        using TransferClient without = server.Connect();
        await Fails.WithAsync(TransferError.Unauthorized, () => without.PutAsync(source, Name("file")));
        using TransferClient with = server.Connect(static options => options.Token = "secret");
        await with.PutAsync(source, Name("file"));
        await with.GetAsync(Name("file"), Here["copy"]);
        Assert.Equal(Sha256Of(source), Sha256Of(Here["copy"]));
    }

    private static async Task<List<string>> NamesAsync(TransferClient client, bool recursive)
    {
        var names = new List<string>();
        await foreach (RemoteEntry entry in client.ListAsync(recursive: recursive))
        {
            names.Add($"{entry.Name.Value} {entry.Length}");
        }

        return names;
    }
}
