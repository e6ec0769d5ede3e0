namespace Millrace.Transfer.Tests.Framing;

/// <summary>The results of a <see cref="ChunkParser"/> for a stream that comes in pieces.</summary>
internal sealed record ParsedChunks(IReadOnlyList<ParsedChunk> Messages, bool EndsBetween)
{
    public byte[] Data => [.. Messages.SelectMany(message => message.Data)];

    /// <summary>Parses.</summary>
    /// <param name="stream">All of it.</param>
    /// <param name="pieces">How many bytes come at once; used in turn.</param>
    /// <param name="maxBytes">See <see cref="ChunkParser"/>.</param>
    /// <param name="dataField">See <see cref="ChunkParser"/>.</param>
    public static ParsedChunks Of(
        ReadOnlySpan<byte> stream, int[] pieces, long maxBytes = 1 << 20, int dataField = ChunkHeader.DataField)
    {
        var parser = new ChunkParser(maxBytes, dataField);
        var messages = new List<ParsedChunk>();
        var data = new List<byte>();
        for (int turn = 0; !stream.IsEmpty; turn++)
        {
            int bytes = Math.Clamp(pieces.Length == 0 ? stream.Length : pieces[turn % pieces.Length], 1, stream.Length);
            ReadOnlySpan<byte> piece = stream[..bytes];
            stream = stream[bytes..];
            Parse(parser, piece, data, messages);
        }

        return new ParsedChunks(messages, parser.IsBetween);
    }

    private static void Parse(ChunkParser parser, ReadOnlySpan<byte> piece, List<byte> data, List<ParsedChunk> messages)
    {
        while (true)
        {
            ChunkToken token = parser.Read(ref piece);
            switch (token)
            {
                case ChunkToken.More:
                    Assert.True(piece.IsEmpty);
                    return;
                case ChunkToken.End:
                    messages.Add(new ParsedChunk([.. data], parser.HasData, parser.Rest.ToArray()));
                    data.Clear();
                    break;
                default:
                    int bytes = (int)Math.Min(parser.DataLeft, piece.Length);
                    data.AddRange(piece[..bytes]);
                    piece = piece[bytes..];
                    parser.Take(bytes);
                    break;
            }
        }
    }
}

/// <summary>One message.</summary>
/// <param name="Data">The file's bytes in it.</param>
/// <param name="HasData">Whether it has the field at all.</param>
/// <param name="Rest">Its other fields.</param>
internal sealed record ParsedChunk(byte[] Data, bool HasData, byte[] Rest);
