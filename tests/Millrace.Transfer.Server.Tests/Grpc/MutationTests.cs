using FsCheck;
using FsCheck.Fluent;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server.Tests.Grpc;

/// <summary>Whole calls with bytes that were changed anywhere: every one has an answer, and nothing is left of it.</summary>
public sealed class MutationTests : GrpcTest
{
    private static readonly int Calls = Soak.Times(60, 5000);

    public static TheoryData<string, string> Methods { get; } = new()
    {
        { "Upload", "grpc" },
        { "Upload", "grpc-web" },
        { "Upload", "grpc-web-text" },
        { "Upload", "gzip" },
        { "UploadPart", "grpc" },
        { "UploadPart", "grpc-web" },
        { "UploadPart", "grpc-web-text" },
        { "UploadPart", "gzip" },
        { "Session", "grpc" },
        { "Session", "gzip" },
        { "Download", "grpc" },
        { "Download", "grpc-web-text" },
        { "Stat", "grpc" },
        { "Stat", "gzip" },
        { "List", "grpc" },
        { "Delete", "grpc" },
        { "StartUpload", "grpc" },
        { "CommitUpload", "grpc" },
        { "QueryUpload", "grpc" },
        { "AbortUpload", "grpc" },
    };

    [Theory, MemberData(nameof(Methods))]
    [NeedsLocalFolder]
    public async Task Mutated_call_is_answered_and_leaves_nothing(string method, string form)
    {
        string id = (await CallAsync("StartUpload", new StartUploadRequest { Name = "session" }))
            .Only(Messages.UploadStatus.Parser).Upload;
        byte[] whole = Whole(method, id, packed: form == "gzip");
        IReadOnlyList<Change[]> changes = [.. Gen.Sample(Changes, 20, Calls)];
        foreach (Change[] change in changes)
        {
            byte[] body = Apply(whole, change);
            GrpcReply reply = form == "gzip"
                ? await CallAsync(GrpcForm.Http2, NameOf(method), body, ("grpc-encoding", "gzip")).Soon()
                : await CallAsync(form, NameOf(method), body).Soon();
            Assert.Equal(HttpStatusCode.OK, reply.HttpStatus);
            Assert.InRange(reply.Status, 0, 16);
            Assert.NotEqual(2, reply.Status);
            Assert.DoesNotContain("its log has the reason", reply.Message, StringComparison.Ordinal);
        }

        await Bounded.UntilAsync(() => Server.Server.ActiveTransfers == 0);
        Assert.Equal(0, (await CallAsync("/grpc.health.v1.Health/Check", [0, 0, 0, 0, 0])).Status);
        Assert.DoesNotContain(
            Directory.EnumerateFiles(Server.Folder, ".*", SearchOption.TopDirectoryOnly), static path => File.Exists(path));
    }

    private static Gen<Change[]> Changes { get; } =
        (from kind in Gen.Choose(0, 4)
         from at in Gen.Choose(0, 1 << 20)
         from bytes in Gen.Choose(1, 12)
         from value in Gen.Choose(0, 255)
         select new Change(kind, at, bytes, (byte)value)).ArrayOf().Where(static changes => changes.Length is > 0 and < 5);

    private static string NameOf(string method) => method == "Session" ? "Upload" : method;

    private static byte[] Whole(string method, string id, bool packed)
    {
        byte[] content = Content.Text(20_000);
        byte[] Data(byte[] bytes) => packed ? UploadTests.Packed(Frames.Field(1, bytes)) : Frames.Data(bytes);
        byte[] Only(byte[] message) => packed ? UploadTests.Packed(message) : Frames.Of(message);
        byte[] upload = Encoding.ASCII.GetBytes(id);
        return method switch
        {
            "Upload" => Frames.Join(Frames.Head("a"), Data(content[..8000]), Data(content[8000..]), Frames.End(content.Length)),
            "Session" => Frames.Join(Frames.Head(id, 0), Data(content[..8000]), Data(content[8000..]), Frames.End(content.Length)),
            "UploadPart" => Only(Frames.Join(Frames.Field(1, upload), Frames.Field(15, content))),
            "Stat" or "Download" or "Delete" or "StartUpload" => Only(Frames.Join(Frames.Field(1, "abc"u8), Frames.Number(2, 0))),
            "List" => Only(Frames.Join(Frames.Number(2, 1), Frames.Field(3, "abc"u8), Frames.Number(4, 100))),
            _ => Only(Frames.Field(1, upload)),
        };
    }

    private static byte[] Apply(byte[] whole, Change[] changes)
    {
        List<byte> bytes = [.. whole];
        foreach (Change change in changes)
        {
            // The beginning, where lengths and fields are, more often than the rest.
            int at = change.At % Math.Max(1, change.Value % 2 == 0 ? Math.Min(bytes.Count, 40) : bytes.Count);
            int count = Math.Min(change.Bytes, bytes.Count - at);
            switch (change.Kind)
            {
                case 0 when bytes.Count > 0:
                    bytes[at] ^= (byte)(1 << (change.Value % 8));
                    break;
                case 1 when bytes.Count > 0:
                    bytes[at] = change.Value;
                    break;
                case 2:
                    bytes.RemoveRange(at, count);
                    break;
                case 3:
                    bytes.InsertRange(at, Enumerable.Repeat(change.Value, change.Bytes));
                    break;
                default:
                    bytes.RemoveRange(at, bytes.Count - at);
                    break;
            }
        }

        return [.. bytes];
    }

    private sealed record Change(int Kind, int At, int Bytes, byte Value);
}
