namespace Millrace.Transfer.Server.Tests.Peers;

public sealed class UploadsOfPeersTests : PeerTest
{
    public static TheoryData<string, int> PeersAndSizes { get; } = Pairs.Of(PeerProgram.Names, 0, 1, 65_536, 3_000_001);

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(PeersAndSizes))]
    public async Task A_file_is_published_under_its_name(string peer, int size)
    {
        string source = Make(Mine("file"), size);
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(AddressFor(peer), "upload", "--name", "a/b", "--file", source);
        reply.Succeeded();
        Assert.Equal("a/b", reply.GetProperty("file").Text("name"));
        Assert.Equal(size, reply.GetProperty("file").Number("length"));
        Assert.Equal(Sha256Of(source), reply.GetProperty("file").Text("sha256"));
        Assert.Equal(Sha256Of(source), Sha256Of(Theirs("a/b")));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Hundred_megabytes_round_trip(string peer)
    {
        string source = Make(Mine("file"), 100_000_000);
        PeerProgram program = PeerProgram.Of(peer);
        (await program.RunAsync(AddressFor(peer), "upload", "--name", "large", "--file", source)).Succeeded();
        (await program.RunAsync(AddressFor(peer), "download", "--name", "large", "--file", Mine("copy"))).Succeeded();
        string digest = Sha256Of(source);
        Assert.Equal(digest, Sha256Of(Theirs("large")));
        Assert.Equal(digest, Sha256Of(Mine("copy")));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Compressed_file_is_smaller_on_the_wire_and_equal_afterwards(string peer)
    {
        await File.WriteAllBytesAsync(Mine("text"), Content.Text(3_000_000));
        await using var relay = new TestRelay(() => AddressFor(peer).Port);
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(
            relay.Address, "upload", "--name", "text", "--file", Mine("text"), "--gzip");
        reply.Succeeded();
        Assert.InRange(relay.Up, 1, 1_500_000);
        Assert.Equal(Sha256Of(Mine("text")), Sha256Of(Theirs("text")));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Cancelled_upload_publishes_nothing(string peer)
    {
        string source = Make(Mine("file"), 50_000_000);
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(
            AddressFor(peer), "upload", "--name", "file", "--file", source, "--cancel-after", "1000000");
        reply.Failed("CANCELLED");
        await AssertNothingRunsAsync();
        Assert.False(File.Exists(Theirs("file")));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Stream_closed_without_end_is_an_interruption(string peer)
    {
        string source = Make(Mine("file"), 1_000_000);
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(
            AddressFor(peer), "upload", "--name", "file", "--file", source, "--end-after", "500000");
        Assert.NotEqual("OK", reply.Text("status"));
        Assert.NotEqual("", reply.Text("message"));
        await AssertNothingRunsAsync();
        Assert.False(File.Exists(Theirs("file")));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Deadline_ends_a_silent_upload(string peer)
    {
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(
            AddressFor(peer), "upload", "--name", "file", "--file", Make(Mine("file"), 10), "--deadline", "300", "--stall");
        reply.Failed("DEADLINE_EXCEEDED");
        await AssertNothingRunsAsync();
        Assert.False(File.Exists(Theirs("file")));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task CreateNew_of_an_existing_name_is_ALREADY_EXISTS(string peer)
    {
        await MakeTheirsAsync("file", 10);
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(
            AddressFor(peer), "upload", "--name", "file", "--file", Make(Mine("file"), 3_000_000), "--must-not-exist");
        reply.Failed("ALREADY_EXISTS");
        Assert.Equal(10, new FileInfo(Theirs("file")).Length);
    }
}
