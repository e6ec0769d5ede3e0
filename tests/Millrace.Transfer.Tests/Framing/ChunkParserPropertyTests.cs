using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Tests.Framing;

/// <summary>Any stream has an answer, the same however it is cut, and the one that Google.Protobuf has.</summary>
public sealed class ChunkParserPropertyTests
{
    private static readonly Config Usual = Config.QuickThrowOnFailure.WithMaxTest(Soak.Times(1000, 100_000));

    /// <summary>What bytes are made of that are nearly right.</summary>
    private static readonly byte[][] Pieces =
    [
        [0x0a], [0x12], [0x1a], [0x22], [0x08], [0x09], [0x0b], [0x0c], [0x0d], [0x00], [0x01], [0x02], [0x05], [0x7f], [0x80], [0xff],
        [0x0a, 0x03, 1, 2, 3], [0x22, 0x02, 0x08, 0x05], [0, 0, 0, 0, 5], [0, 0, 0, 0, 0], [1, 0, 0, 0, 2], [0x80, 0, 0, 0, 1],
        [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], [0xfa, 0x01, 0x02, 0, 0],
    ];

    [Fact]
    public void Base64_of_others_is_read_however_it_is_split() =>
        Check.One(Usual, Prop.ForAll(Streams().ToArbitrary(), Splits().ToArbitrary(), static (chunks, split) =>
        {
            byte[] stream = [.. chunks.SelectMany(chunk => Frames.Of(chunk))];

            ParsedChunks parsed = ParsedChunks.Of(stream, split);

            Assert.True(parsed.EndsBetween);
            Assert.Equal(chunks.Length, parsed.Messages.Count);
            foreach ((Chunk chunk, ParsedChunk message) in chunks.Zip(parsed.Messages))
            {
                Assert.Equal(chunk, Whole(message));
            }
        }));

    [Fact]
    public void Any_bytes_parse_the_same_however_they_are_split() =>
        Check.One(Usual, Prop.ForAll(Bytes().ToArbitrary(), Splits().ToArbitrary(), static (stream, split) =>
            Assert.Equal(Outcome(stream, []), Outcome(stream, split))));

    [Fact]
    public void A_message_is_refused_where_Protobuf_refuses_it_and_read_as_it_reads_it() =>
        Check.One(Usual, Prop.ForAll(Bytes().ToArbitrary(), Splits().ToArbitrary(), static (message, split) =>
        {
            ParsedChunks parsed;
            try
            {
                parsed = ParsedChunks.Of(Frames.Of(message), split);
            }
            catch (GrpcFault fault)
            {
                // Stricter in two things: data comes once in a message, and a tag has no bits that do not count.
                Assert.True(Theirs(message) is null || fault.Message.Contains("twice", StringComparison.Ordinal)
                    || fault.Message.Contains("no number", StringComparison.Ordinal));
                return;
            }

            if (Theirs(message) is { } theirs && theirs.ContentCase is Chunk.ContentOneofCase.Data or Chunk.ContentOneofCase.None)
            {
                Assert.Equal(theirs.Data.ToByteArray(), Assert.Single(parsed.Messages).Data);
            }
        }));

    private static Chunk? Theirs(byte[] message)
    {
        try
        {
            return Chunk.Parser.ParseFrom(message);
        }
        catch (InvalidProtocolBufferException)
        {
            return null;
        }
    }

    private static string Outcome(byte[] stream, int[] split)
    {
        try
        {
            ParsedChunks parsed = ParsedChunks.Of(stream, split, maxBytes: 4096);
            return $"{parsed.EndsBetween} {string.Join(' ', parsed.Messages.Select(message => $"{Convert.ToHexString(message.Data)}/{Convert.ToHexString(message.Rest)}"))}";
        }
        catch (GrpcFault fault)
        {
            return fault.Message;
        }
    }

    private static Chunk Whole(ParsedChunk message)
    {
        Chunk chunk = Chunk.Parser.ParseFrom(message.Rest);
        if (message.HasData)
        {
            chunk.Data = ByteString.CopyFrom(message.Data);
        }

        return chunk;
    }

    private static Gen<int[]> Splits() => Gen.Choose(1, 40).ArrayOf();

    private static Gen<byte[]> Bytes() =>
        Gen.OneOf(Gen.Elements(Pieces), Gen.Choose(0, 255).Select(value => new[] { (byte)value }))
            .ArrayOf().Select(pieces => pieces.SelectMany(piece => piece).ToArray());

    private static Gen<Chunk[]> Streams()
    {
        Gen<byte[]> content = Gen.Choose(0, 300).SelectMany(
            length => Gen.Choose(0, 255).Select(value => (byte)value).ArrayOf(length));
        Gen<Chunk> data = content.Select(bytes => new Chunk { Data = ByteString.CopyFrom(bytes) });
        Gen<Chunk> file = content.Select(bytes => new Chunk
        {
            File = new FileVersion { Name = Convert.ToHexString(bytes), Length = bytes.Length, Sha256 = ByteString.CopyFrom(bytes) },
        });
        Gen<Chunk> upload = content.Select(bytes => new Chunk
        {
            Upload = new UploadHead { Name = "ä", Precondition = new Precondition { Tags = { Convert.ToHexString(bytes), "b" } }, Commit = true },
        });
        Gen<Chunk> end = content.Select(bytes => new Chunk { End = new End { Length = bytes.Length } });
        return Gen.OneOf(data, data, data, file, upload, end, Gen.Constant(new Chunk())).ArrayOf();
    }
}
