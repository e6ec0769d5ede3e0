namespace Millrace.Transfer.Server.Tests.Peers;

public sealed class CallsOfPeersTests : PeerTest
{
    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task The_service_is_healthy(string peer)
    {
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(AddressFor(peer), "health", "--name", "millrace.v1.FileTransfer");
        Assert.Equal("SERVING", reply.Succeeded().Text("health"));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Unknown_service_is_NOT_FOUND(string peer)
    {
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(AddressFor(peer), "health", "--name", "other.Service");
        reply.Failed("NOT_FOUND");
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Stat_returns_length_version_and_digest(string peer)
    {
        string path = await MakeTheirsAsync("Größe 世界", 70_000);
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(AddressFor(peer), "stat", "--name", "Größe 世界");
        JsonElement file = reply.Succeeded().GetProperty("file");
        Assert.Equal("Größe 世界", file.Text("name"));
        Assert.Equal(70_000, file.Number("length"));
        Assert.Equal(Sha256Of(path), file.Text("sha256"));
        Assert.NotEqual("", file.Text("tag"));
        Assert.Equal(new DateTimeOffset(File.GetLastWriteTimeUtc(path)).ToUnixTimeSeconds(), file.Number("modified"));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Messages_beyond_ASCII_are_read_as_they_were_written(string peer)
    {
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(AddressFor(peer), "stat", "--name", "100 % Größe 世界");
        reply.Failed("NOT_FOUND");
        Assert.Contains("100 % Größe 世界", reply.Text("message"), StringComparison.Ordinal);
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Names_that_lead_out_of_the_folder_are_INVALID_ARGUMENT(string peer)
    {
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(AddressFor(peer), "stat", "--name", "../passwd");
        reply.Failed("INVALID_ARGUMENT");
        Assert.Equal(nameof(TransferError.InvalidName), reply.Trailer("millrace-error"));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task List_has_files_and_folders_in_order(string peer)
    {
        await MakeTheirsAsync("a", 1);
        await MakeTheirsAsync("b/x", 2);
        await MakeTheirsAsync("c", 3);
        PeerProgram program = PeerProgram.Of(peer);
        Assert.Equal(["a 1", "b/", "c 3"], Entries(await program.RunAsync(AddressFor(peer), "list")));
        Assert.Equal(["a 1", "b/x 2", "c 3"], Entries(await program.RunAsync(AddressFor(peer), "list", "--recursive")));
        Assert.Equal(["b/x 2"], Entries(await program.RunAsync(AddressFor(peer), "list", "--name", "b")));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Delete_reports_whether_the_file_existed(string peer)
    {
        await MakeTheirsAsync("file", 1);
        PeerProgram program = PeerProgram.Of(peer);
        Assert.True((await program.RunAsync(AddressFor(peer), "delete", "--name", "file")).Succeeded().GetProperty("deleted").GetBoolean());
        Assert.False(File.Exists(Theirs("file")));
        Assert.False((await program.RunAsync(AddressFor(peer), "delete", "--name", "file")).Succeeded().GetProperty("deleted").GetBoolean());
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    [NeedsLocalFolder]
    public async Task Call_without_a_required_token_is_UNAUTHENTICATED(string peer)
    {
        await MakeTheirsAsync("file", 1);
        string token = (await new TokenStore(TokenStore.DefaultPath(Served.Folder)).AddAsync("one", TransferScope.Read)).Secret;
        PeerProgram program = PeerProgram.Of(peer);
        (await program.RunAsync(AddressFor(peer), "stat", "--name", "file")).Failed("UNAUTHENTICATED");
        (await program.RunAsync(AddressFor(peer), "stat", "--name", "file", "--token", token)).Succeeded();
        (await program.RunAsync(AddressFor(peer), "delete", "--name", "file", "--token", token)).Failed("PERMISSION_DENIED");
    }

    private static IEnumerable<string> Entries(JsonElement reply) => reply.Succeeded().GetProperty("entries").EnumerateArray()
        .Select(static entry => entry.GetProperty("folder").GetBoolean()
            ? $"{entry.Text("name").TrimEnd('/')}/"
            : $"{entry.Text("name")} {entry.Number("length")}");
}
