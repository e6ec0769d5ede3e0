namespace Millrace.Transfer.Server.Tests.Peers;

public sealed class DownloadsOfPeersTests : PeerTest
{
    public static TheoryData<string, int> PeersAndSizes { get; } = Pairs.Of(PeerProgram.Names, 0, 1, 65_536, 3_000_001);

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(PeersAndSizes))]
    public async Task File_is_stored_with_its_digest(string peer, int size)
    {
        string source = await MakeTheirsAsync("file", size);
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(AddressFor(peer), "download", "--name", "file", "--file", Mine("copy"));
        reply.Succeeded();
        Assert.True(reply.GetProperty("ended").GetBoolean());
        Assert.Equal(size, reply.Number("endLength"));
        Assert.Equal(Sha256Of(source), reply.Text("toldSha256"));
        Assert.Equal(Sha256Of(source), Sha256Of(Mine("copy")));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Compressed_file_is_smaller_on_the_wire_and_equal_afterwards(string peer)
    {
        await Served.WriteAsync("text", Content.Text(3_000_000));
        await using var relay = new TestRelay(() => AddressFor(peer).Port);
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(
            relay.Address, "download", "--name", "text", "--file", Mine("copy"), "--gzip");
        reply.Succeeded();
        Assert.InRange(relay.Down, 1, 1_500_000);
        Assert.Equal(Sha256Of(Theirs("text")), Sha256Of(Mine("copy")));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Range_is_that_part_of_the_file(string peer)
    {
        byte[] content = await File.ReadAllBytesAsync(await MakeTheirsAsync("file", 300_000));
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(
            AddressFor(peer), "download", "--name", "file", "--file", Mine("part"), "--offset", "100000", "--count", "70000");
        reply.Succeeded();
        Assert.Equal(100_000, reply.GetProperty("file").Number("offset"));
        Assert.Equal(70_000, reply.Number("endLength"));
        Assert.Equal(content[100_000..170_000], await File.ReadAllBytesAsync(Mine("part")));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Chunks_have_the_configured_size(string peer)
    {
        await MakeTheirsAsync("file", 40_960);
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(
            AddressFor(peer), "download", "--name", "file", "--file", Mine("copy"), "--chunk", "4096");
        reply.Succeeded();

        // Ten with bytes, one before and one after these.
        Assert.Equal(12, reply.Number("messages"));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Cancelled_download_ends_on_both_sides(string peer)
    {
        await MakeTheirsAsync("file", 50_000_000);
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(
            AddressFor(peer), "download", "--name", "file", "--file", Mine("copy"), "--cancel-after", "1000000");
        reply.Failed("CANCELLED");
        Assert.InRange(reply.Number("bytes"), 1_000_000, 49_999_999);
        await AssertNothingRunsAsync();
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Missing_file_is_NOT_FOUND_with_a_message(string peer)
    {
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(
            AddressFor(peer), "download", "--name", "not/there", "--file", Mine("copy"));
        reply.Failed("NOT_FOUND");
        Assert.Contains("not/there", reply.Text("message"), StringComparison.Ordinal);
        Assert.Equal(nameof(TransferError.NotFound), reply.Trailer("millrace-error"));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Offset_after_the_end_is_OUT_OF_RANGE(string peer)
    {
        await MakeTheirsAsync("file", 10);
        JsonElement reply = await PeerProgram.Of(peer).RunAsync(
            AddressFor(peer), "download", "--name", "file", "--file", Mine("copy"), "--offset", "11");
        reply.Failed("OUT_OF_RANGE");
    }
}
