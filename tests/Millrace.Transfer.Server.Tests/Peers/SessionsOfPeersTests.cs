namespace Millrace.Transfer.Server.Tests.Peers;

public sealed class SessionsOfPeersTests : PeerTest
{
    private const int Length = 8_000_001;

    public static TheoryData<string, string> PeersAndBreaks { get; } = Pairs.Of(PeerProgram.Names, "cancel", "end");

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(PeersAndBreaks))]
    public async Task Interrupted_upload_resumes_at_its_offset(string peer, string how)
    {
        string source = Make(Mine("file"), Length);
        IReadOnlyList<JsonElement> reply = await PeerProgram.Of(peer).RunAllAsync(
            AddressFor(peer), "session", "--name", "file", "--file", source, "--break", how);
        Assert.Equal(
            ["StartUpload", "Upload", "QueryUpload", "Upload", "QueryUpload", "CommitUpload"],
            reply.Select(static call => call.Text("call")));
        long kept = reply[2].Succeeded().Number("offset");
        Assert.InRange(kept, 0, Length - 1);
        Assert.Equal(Length - kept, reply[3].Succeeded().Number("bytes"));
        Assert.Equal(Length, reply[4].Succeeded().Number("offset"));
        Assert.Equal(Length, reply[5].Succeeded().GetProperty("file").Number("length"));
        Assert.Equal(Sha256Of(source), Sha256Of(Theirs("file")));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task Bytes_before_an_orderly_disconnect_are_kept(string peer)
    {
        string source = Make(Mine("file"), Length);
        IReadOnlyList<JsonElement> reply = await PeerProgram.Of(peer).RunAllAsync(
            AddressFor(peer), "session", "--name", "file", "--file", source, "--break", "end");
        Assert.Equal(reply[1].Number("bytes"), reply[2].Number("offset"));
    }

    [NeedsTheory(Need.GrpcPeers), MemberData(nameof(Peers))]
    public async Task File_is_uploaded_in_parts_of_one_message_each(string peer)
    {
        string source = Make(Mine("file"), Length);
        IReadOnlyList<JsonElement> reply = await PeerProgram.Of(peer).RunAllAsync(
            AddressFor(peer), "parts", "--name", "file", "--file", source, "--chunk", "3000000");
        Assert.Equal(
            ["StartUpload", "UploadPart", "UploadPart", "UploadPart", "CommitUpload"],
            reply.Select(static call => call.Text("call")));
        Assert.Equal([0, 3_000_000, 6_000_000, Length, Length], reply.Select(static call => call.Number("offset")));
        Assert.Equal(Sha256Of(source), reply[^1].Succeeded().GetProperty("file").Text("sha256"));
        Assert.Equal(Sha256Of(source), Sha256Of(Theirs("file")));
    }
}
