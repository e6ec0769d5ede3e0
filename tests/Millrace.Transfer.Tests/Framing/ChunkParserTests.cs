using Google.Protobuf;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Tests.Framing;

/// <summary>Streams of chunks as others write them, and malformed ones.</summary>
public sealed class ChunkParserTests
{
    private static readonly int[][] Splits = [[], [1], [2], [3], [5, 1], [7]];

    public static TheoryData<int> EverySplit => [.. Enumerable.Range(0, Splits.Length)];

    [Theory]
    [MemberData(nameof(EverySplit))]
    public void Download_is_parsed_however_it_is_split(int split)
    {
        byte[] stream =
        [
            .. Frames.Of(new Chunk { File = new FileVersion { Name = "a", Length = 5 } }),
            .. Frames.Of(new Chunk { Data = ByteString.CopyFromUtf8("hel") }),
            .. Frames.Of(new Chunk { Data = ByteString.CopyFromUtf8("lo") }),
            .. Frames.Of(new Chunk { End = new End { Length = 5 } }),
        ];

        ParsedChunks parsed = ParsedChunks.Of(stream, Splits[split]);

        Assert.Equal("hello"u8.ToArray(), parsed.Data);
        Assert.True(parsed.EndsBetween);
        Assert.Equal(4, parsed.Messages.Count);
        Assert.Equal("a", Chunk.Parser.ParseFrom(parsed.Messages[0].Rest).File.Name);
        Assert.Equal(5, Chunk.Parser.ParseFrom(parsed.Messages[3].Rest).End.Length);
        Assert.Empty(parsed.Messages[1].Rest);
    }

    [Theory]
    [MemberData(nameof(EverySplit))]
    public void Unknown_fields_of_every_wire_type_are_skipped(int split)
    {
        byte[] message =
        [
            0xa0, 0x06, 0x96, 0x01, // 100: varint
            0xa9, 0x06, 1, 2, 3, 4, 5, 6, 7, 8, // 101: 64 bits
            0xb2, 0x06, 0x02, 0x0a, 0x03, // 102: bytes that look like data
            0xbb, 0x06, 0x0a, 0x01, 0x58, 0xbc, 0x06, // 103: a group with a field 1 in it
            0xc5, 0x06, 1, 2, 3, 4, // 104: 32 bits
            0x0a, 0x02, 0x68, 0x69, // data: "hi"
            0xa0, 0x06, 0x01,
        ];

        ParsedChunks parsed = ParsedChunks.Of(Frames.Of(message), Splits[split]);

        ParsedChunk only = Assert.Single(parsed.Messages);
        Assert.Equal("hi"u8.ToArray(), only.Data);
        Assert.Equal(Chunk.ContentOneofCase.None, Chunk.Parser.ParseFrom(only.Rest).ContentCase);
    }

    [Fact]
    public void A_length_may_have_more_bytes_than_it_needs() =>
        Assert.Equal("hi"u8.ToArray(), ParsedChunks.Of(Frames.Of([0x0a, 0x82, 0x80, 0x80, 0x00, 0x68, 0x69]), [1]).Data);

    [Fact]
    public void The_empty_message_and_empty_data_are_messages()
    {
        ParsedChunks parsed = ParsedChunks.Of([.. Frames.Of([]), .. Frames.Of([0x0a, 0x00])], [1]);

        Assert.Equal([false, true], parsed.Messages.Select(message => message.HasData));
    }

    [Fact]
    public void Another_field_can_be_the_data()
    {
        var part = new UploadPartRequest { Upload = "u", Offset = 7, Data = ByteString.CopyFromUtf8("part") };

        ParsedChunk only = Assert.Single(
            ParsedChunks.Of(Frames.Of(part), [1], dataField: UploadPartRequest.DataFieldNumber).Messages);

        Assert.Equal("part"u8.ToArray(), only.Data);
        Assert.Equal(7, UploadPartRequest.Parser.ParseFrom(only.Rest).Offset);
    }

    [Fact]
    public void Compressed_message_is_reported_and_the_next_is_read()
    {
        byte[] stream = [.. Frames.Of([9, 9, 9], FramePrefix.Compressed), .. Frames.Of([0x0a, 0x01, 0x21])];
        var parser = new ChunkParser(100);
        ReadOnlySpan<byte> input = stream;

        Assert.Equal(ChunkToken.Compressed, parser.Read(ref input));
        Assert.Equal(3, parser.DataLeft);
        Assert.False(parser.IsBetween);
        input = input[3..];
        parser.Take(3);
        Assert.True(parser.IsBetween);

        Assert.Equal(ChunkToken.Data, parser.Read(ref input));
        Assert.Equal(1, parser.DataLeft);
    }

    [Fact]
    public void A_message_without_a_frame_ends_where_its_reader_says()
    {
        var parser = new ChunkParser(100);
        parser.BeginOpen();
        ReadOnlySpan<byte> input = [0x22, 0x02, 0x08, 0x05];

        Assert.Equal(ChunkToken.More, parser.Read(ref input));
        parser.EndOpen();

        Assert.Equal(5, Chunk.Parser.ParseFrom(parser.Rest).End.Length);
        Assert.True(parser.IsBetween);
    }

    [Theory]
    [InlineData(new byte[] { 0x0a })]
    [InlineData(new byte[] { 0x0a, 0x05, 1 })]
    [InlineData(new byte[] { 0x22, 0x05, 1 })]
    public void A_message_without_a_frame_that_ends_within_a_field_is_refused(byte[] message)
    {
        var parser = new ChunkParser(100);
        parser.BeginOpen();
        ReadOnlySpan<byte> input = message;
        while (parser.Read(ref input) == ChunkToken.Data)
        {
            parser.Take(input.Length);
            input = default;
        }

        Assert.Equal(GrpcStatus.Internal, Assert.Throws<GrpcFault>(parser.EndOpen).Status);
    }

    [Fact]
    public void A_message_without_a_frame_has_a_limit_too()
    {
        var parser = new ChunkParser(10);
        parser.BeginOpen();

        Assert.Equal(
            GrpcStatus.ResourceExhausted,
            Assert.Throws<GrpcFault>(() =>
            {
                ReadOnlySpan<byte> input = [0x0a, 0x0b, .. new byte[11]];
                parser.Read(ref input);
            }).Status);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(FramePrefix.Trailers)]
    [InlineData(255)]
    public void A_frame_with_other_flags_is_refused(byte flags) => IsRefused(GrpcStatus.Internal, Frames.Of([], flags));

    [Fact]
    public void Too_long_frame_is_refused_at_its_prefix() =>
        IsRefused(GrpcStatus.ResourceExhausted, [0, 0xff, 0xff, 0xff, 0xff]);

    [Theory]
    [InlineData(new byte[] { 0x0a })]
    [InlineData(new byte[] { 0x0a, 0x80 })]
    [InlineData(new byte[] { 0x0a, 0x02, 0x01 })]
    [InlineData(new byte[] { 0x12, 0x02, 0x01 })]
    [InlineData(new byte[] { 0x08 })]
    [InlineData(new byte[] { 0x15, 0x01 })]
    [InlineData(new byte[] { 0x1b })]
    public void A_field_that_is_longer_than_its_message_is_refused(byte[] message) =>
        IsRefused(GrpcStatus.Internal, Frames.Of(message));

    [Theory]
    [InlineData(new byte[] { 0x00, 0x00 })]
    [InlineData(new byte[] { 0x0e, 0x00 })]
    [InlineData(new byte[] { 0x0f, 0x00 })]
    [InlineData(new byte[] { 0x0c })]
    [InlineData(new byte[] { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02 })]
    [InlineData(new byte[] { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 })]
    public void Invalid_field_tag_is_refused(byte[] message) => IsRefused(GrpcStatus.Internal, Frames.Of(message));

    [Fact]
    public void Data_twice_in_one_message_is_refused() =>
        IsRefused(GrpcStatus.Internal, Frames.Of([0x0a, 0x01, 1, 0x0a, 0x01, 2]));

    [Fact]
    public void Other_fields_have_a_limit() =>
        IsRefused(GrpcStatus.ResourceExhausted, Frames.Of(new Chunk { Upload = new UploadHead { Name = new string('n', ChunkParser.MaxRest) } }));

    [Fact]
    public void Groups_have_a_limit_of_depth() =>
        IsRefused(GrpcStatus.Internal, Frames.Of([.. Enumerable.Repeat((byte)0x1b, 1000)]));

    private static void IsRefused(GrpcStatus status, byte[] stream)
    {
        foreach (int[] split in Splits)
        {
            Assert.Equal(status, Assert.Throws<GrpcFault>(() => ParsedChunks.Of(stream, split)).Status);
        }
    }
}
