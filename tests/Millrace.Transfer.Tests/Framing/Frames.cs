using Google.Protobuf;

namespace Millrace.Transfer.Tests.Framing;

/// <summary>Frames as others write them.</summary>
internal static class Frames
{
    public static byte[] Of(IMessage message) => Of(message.ToByteArray());

    public static byte[] Of(byte[] message, byte flags = 0)
    {
        int length = message.Length;
        return [flags, (byte)(length >> 24), (byte)(length >> 16), (byte)(length >> 8), (byte)length, .. message];
    }
}
