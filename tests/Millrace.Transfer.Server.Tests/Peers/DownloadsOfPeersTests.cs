namespace Millrace.Transfer.Server.Tests.Peers;

public sealed class DownloadsOfPeersTests : PeerTest
{
    public static TheoryData<string, int> PeersAndSizes { get; } = Pairs.Of(PeerProgram.Names, 0, 1, 65_536, 3_000_001);

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(PeersAndSizes))]
    public async Task File_is_stored_with_its_digest(string peer, int size)
    {
        string source = await MakeTheirsAsync("file", size);
        JsonElement said = await PeerProgram.Of(peer).RunAsync(Grpc, "download", "--name", "file", "--file", Mine("copy"));
        said.Succeeded();
        Assert.True(said.GetProperty("ended").GetBoolean());
        Assert.Equal(size, said.Number("endLength"));
        Assert.Equal(Sha256Of(source), said.Text("toldSha256"));
        Assert.Equal(Sha256Of(source), Sha256Of(Mine("copy")));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Compressed_file_is_smaller_on_the_wire_and_equal_afterwards(string peer)
    {
        await Served.WriteAsync("text", Content.Text(3_000_000));
        await using var relay = new TestRelay(() => Grpc.Port);
        JsonElement said = await PeerProgram.Of(peer).RunAsync(
            relay.Address, "download", "--name", "text", "--file", Mine("copy"), "--gzip");
        said.Succeeded();
        Assert.InRange(relay.Down, 1, 1_500_000);
        Assert.Equal(Sha256Of(Theirs("text")), Sha256Of(Mine("copy")));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Range_is_that_part_of_the_file(string peer)
    {
        byte[] content = await File.ReadAllBytesAsync(await MakeTheirsAsync("file", 300_000));
        JsonElement said = await PeerProgram.Of(peer).RunAsync(
            Grpc, "download", "--name", "file", "--file", Mine("part"), "--offset", "100000", "--count", "70000");
        said.Succeeded();
        Assert.Equal(100_000, said.GetProperty("file").Number("offset"));
        Assert.Equal(70_000, said.Number("endLength"));
        Assert.Equal(content[100_000..170_000], await File.ReadAllBytesAsync(Mine("part")));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Chunks_have_the_configured_size(string peer)
    {
        await MakeTheirsAsync("file", 40_960);
        JsonElement said = await PeerProgram.Of(peer).RunAsync(
            Grpc, "download", "--name", "file", "--file", Mine("copy"), "--chunk", "4096");
        said.Succeeded();

        // Ten with bytes, one before and one after these.
        Assert.Equal(12, said.Number("messages"));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Cancelled_download_ends_on_both_sides(string peer)
    {
        await MakeTheirsAsync("file", 50_000_000);
        JsonElement said = await PeerProgram.Of(peer).RunAsync(
            Grpc, "download", "--name", "file", "--file", Mine("copy"), "--cancel-after", "1000000");
        said.Failed("CANCELLED");
        Assert.InRange(said.Number("bytes"), 1_000_000, 49_999_999);
        await AssertNothingRunsAsync();
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Missing_file_is_NOT_FOUND_with_a_message(string peer)
    {
        JsonElement said = await PeerProgram.Of(peer).RunAsync(
            Grpc, "download", "--name", "not/there", "--file", Mine("copy"));
        said.Failed("NOT_FOUND");
        Assert.Contains("not/there", said.Text("message"), StringComparison.Ordinal);
        Assert.Equal(nameof(TransferError.NotFound), said.Trailer("millrace-error"));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Offset_after_the_end_is_OUT_OF_RANGE(string peer)
    {
        await MakeTheirsAsync("file", 10);
        JsonElement said = await PeerProgram.Of(peer).RunAsync(
            Grpc, "download", "--name", "file", "--file", Mine("copy"), "--offset", "11");
        said.Failed("OUT_OF_RANGE");
    }
}
