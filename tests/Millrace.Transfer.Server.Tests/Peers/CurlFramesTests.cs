using System.Buffers.Binary;

namespace Millrace.Transfer.Server.Tests.Peers;

/// <summary>Frames that printf makes and curl sends, without any library of gRPC.</summary>
[NeedsLocalFolder]
public sealed class CurlFramesTests : PeerTest
{
    // A frame of six bytes: field 1, four bytes of text.
    private const string FrameOfFile = @"\000\000\000\000\006\012\004file";

    [NeedsFact(Need.Curl)]
    public async Task Stat_is_answered()
    {
        await MakeTheirsAsync("file", 5);
        (string fields, byte[] body) = await CallAsync("Stat", FrameOfFile);
        Assert.Contains("content-type: application/grpc", fields, StringComparison.Ordinal);
        Assert.Contains("grpc-status: 0", fields, StringComparison.Ordinal);
        byte[] message = Assert.Single(Frames(body));
        Assert.StartsWith("\u000a\u0004file\u0010\u0005", Encoding.Latin1.GetString(message), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Curl)]
    public async Task Download_is_the_file_then_its_bytes_then_the_end()
    {
        byte[] content = await File.ReadAllBytesAsync(await MakeTheirsAsync("file", 5));
        (string fields, byte[] body) = await CallAsync("Download", FrameOfFile);
        Assert.Contains("grpc-status: 0", fields, StringComparison.Ordinal);
        List<byte[]> messages = Frames(body);
        Assert.Equal(3, messages.Count);
        Assert.Equal(0x12, messages[0][0]);
        Assert.Equal(0x0A, messages[1][0]);
        Assert.Equal(content, messages[1][^5..]);
        Assert.Equal(0x22, messages[2][0]);
    }

    [NeedsTheory(Need.Curl)]
    [InlineData("Stat", "a message that is shorter than declared", @"\000\000\000\000\011\012\004file", "", 13)]
    [InlineData("Stat", "half of a prefix", @"\000\000\000", "", 13)]
    [InlineData("Stat", "a message that is not protobuf", @"\000\000\000\000\002\377\377", "", 13)]
    [InlineData("Stat", "a text that is longer than its message", @"\000\000\000\000\006\012\377file", "", 13)]
    [InlineData("Stat", "compressed without a coding", @"\001\000\000\000\006\012\004file", "", 13)]
    [InlineData("Stat", "an unknown coding", FrameOfFile, "grpc-encoding: lzma", 12)]
    [InlineData("Stat", "a message of 2 GiB", @"\000\177\377\377\377\012\004file", "", 8)]
    [InlineData("Stat", "no message", "", "", 12)]
    [InlineData("Stat", "two messages", FrameOfFile + FrameOfFile, "", 12)]
    [InlineData("Rename", "an unknown method", FrameOfFile, "", 12)]
    [InlineData("Upload", "data before the first message", FrameOfFile, "", 3)]
    public async Task Refusals_have_the_right_status(string method, string what, string frame, string field, int status)
    {
        await MakeTheirsAsync("file", 5);
        (string fields, byte[] body) = await CallAsync(method, frame, field);
        Assert.True(fields.Contains($"grpc-status: {status}\r", StringComparison.Ordinal), $"{what}: {fields}");
        Assert.Empty(body);
    }

    [NeedsFact(Need.Curl)]
    public async Task Unknown_message_fields_are_skipped()
    {
        await MakeTheirsAsync("file", 5);

        // Field 1000, two bytes of text, in front of the name.
        (string fields, byte[] body) = await CallAsync("Stat", @"\000\000\000\000\013\302\076\002hi\012\004file");
        Assert.Contains("grpc-status: 0", fields, StringComparison.Ordinal);
        Assert.Single(Frames(body));
    }

    [NeedsFact(Need.Curl)]
    public async Task Deadline_ends_a_call_that_reads_the_file()
    {
        // Nothing hashes eight gigabytes in a tenth of a second.
        using (FileStream file = File.Create(Theirs("file")))
        {
            file.SetLength(8_000_000_000);
        }

        // Field 2, true: with the SHA-256.
        (string fields, _) = await CallAsync("Stat", @"\000\000\000\000\010\012\004file\020\001", "grpc-timeout: 100m");
        Assert.Contains("grpc-status: 4", fields, StringComparison.Ordinal);
        await AssertNothingRunsAsync();
    }

    [NeedsFact(Need.Curl)]
    public async Task Other_content_type_is_415()
    {
        (string fields, _) = await CallAsync("Stat", FrameOfFile, "content-type: application/json");
        Assert.StartsWith("HTTP/2 415", fields, StringComparison.Ordinal);
    }

    /// <summary>The headers followed by the trailers, and the body.</summary>
    private async Task<(string Fields, byte[] Body)> CallAsync(string method, string frame, string field = "")
    {
        string type = field.StartsWith("content-type", StringComparison.Ordinal) ? field : "content-type: application/grpc+proto";
        string command =
            $"printf '{frame}' | curl --silent --show-error --max-time 60 --http2-prior-knowledge --data-binary @- "
            + $"--header '{type}' --header 'te: trailers' --header '{field}' "
            + $"--dump-header fields --output body {Grpc}millrace.v1.FileTransfer/{method}";
        var fields = new FileInfo(Mine("fields"));
        string errors = "";

        // A server may reset a stream whose request it has not read, and curl can lose the answer that comes with the reset.
        for (int i = 0; i < 10 && fields is not { Exists: true, Length: > 0 }; i++)
        {
            errors = (await ForeignProgram.RunAsync(Mine("."), "/bin/sh", "-c", command)).Errors;
            fields.Refresh();
        }

        Assert.True(fields is { Exists: true, Length: > 0 }, errors);
        byte[] body = File.Exists(Mine("body")) ? await File.ReadAllBytesAsync(Mine("body")) : [];
        return (await File.ReadAllTextAsync(Mine("fields")), body);
    }

    private static List<byte[]> Frames(byte[] body)
    {
        var frames = new List<byte[]>();
        for (int at = 0; at < body.Length;)
        {
            Assert.Equal(0, body[at]);
            int length = BinaryPrimitives.ReadInt32BigEndian(body.AsSpan(at + 1));
            frames.Add(body[(at + 5)..(at + 5 + length)]);
            at += 5 + length;
        }

        return frames;
    }
}
