namespace Millrace.Transfer;

/// <summary>What HttpClient writes to a connection of HTTP/2: whole frames, several at once or one.</summary>
internal static class Http2Frames
{
    private const int HeaderBytes = 9;
    private const int MostPayload = 16_384;
    private const byte Data = 0;
    private const byte EndStream = 1;

    /// <summary>
    /// Whether more of a body follows soon: the last frame is one of DATA, as long as one may be, and not the last of its
    /// stream (RFC 9113, sections 4.1 and 6.1). False for whatever is not understood.
    /// </summary>
    public static bool GoesOn(ReadOnlySpan<byte> written)
    {
        bool goesOn = false;
        while (written.Length >= HeaderBytes)
        {
            int payload = (written[0] << 16) | (written[1] << 8) | written[2];
            goesOn = written[3] == Data && (written[4] & EndStream) == 0 && payload == MostPayload;
            if (payload > written.Length - HeaderBytes)
            {
                return false;
            }

            written = written[(HeaderBytes + payload)..];
        }

        return goesOn && written.IsEmpty;
    }
}
