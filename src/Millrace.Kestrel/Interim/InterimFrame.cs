using System.Buffers.Binary;
using System.Globalization;
using System.Text;

namespace Millrace.Kestrel;

/// <summary>An interim response as one HEADERS frame that leaves the compression of the connection as it is.</summary>
/// <param name="Stream">The stream.</param>
/// <param name="Bytes">The whole frame.</param>
internal readonly record struct InterimFrame(int Stream, byte[] Bytes)
{
    /// <summary>Bytes of payload that every peer accepts: the least that SETTINGS_MAX_FRAME_SIZE can be (RFC 9113, section 6.5.2).</summary>
    public const int MaxPayloadBytes = 16 * 1024;

    /// <summary>
    /// A literal field with a new name that is never indexed: RFC 7541, section 6.2.3. No table changes, and intermediaries keep it so, because
    /// who knows the URL of an upload may continue it.
    /// </summary>
    private const byte NeverIndexed = 0x10;

    /// <summary>The largest number that the prefix of a text's length holds: RFC 7541, section 5.1.</summary>
    private const int LengthPrefix = 127;

    /// <returns>Null if the fields do not fit into one frame.</returns>
    public static InterimFrame? Create(int stream, int statusCode, IEnumerable<KeyValuePair<string, string>> fields)
    {
        var frame = new MemoryStream();
        frame.SetLength(frame.Position = FrameFollower.HeadBytes);
        Write(frame, ":status", statusCode.ToString(CultureInfo.InvariantCulture));
        foreach ((string name, string value) in fields)
        {
            Write(frame, name.ToLowerInvariant(), value);
        }

        byte[] bytes = frame.ToArray();
        int payload = bytes.Length - FrameFollower.HeadBytes;
        BinaryPrimitives.WriteInt32BigEndian(bytes, payload << 8);
        bytes[3] = FrameFollower.Headers;
        bytes[4] = FrameFollower.EndHeaders;
        BinaryPrimitives.WriteInt32BigEndian(bytes.AsSpan(5), stream);
        return payload <= MaxPayloadBytes ? new InterimFrame(stream, bytes) : null;
    }

    private static void Write(MemoryStream frame, string name, string value)
    {
        frame.WriteByte(NeverIndexed);
        WriteText(frame, name);
        WriteText(frame, value);
    }

    private static void WriteText(MemoryStream frame, string text)
    {
        frame.WriteByte((byte)Math.Min(text.Length, LengthPrefix));
        if (text.Length >= LengthPrefix)
        {
            int rest = text.Length - LengthPrefix;
            for (; rest >= 128; rest >>= 7)
            {
                frame.WriteByte((byte)(rest | 128));
            }

            frame.WriteByte((byte)rest);
        }

        frame.Write(Encoding.ASCII.GetBytes(text));
    }
}
