using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Millrace.Kestrel;

/// <summary>Follows the frames of one direction of HTTP/2 (RFC 9113, section 4.1) by their lengths, however their bytes are cut.</summary>
/// <remarks>It judges nothing: whatever the bytes are, it only counts.</remarks>
internal struct FrameFollower(int preface)
{
    public const int HeadBytes = 9;

    public const byte Headers = 1;
    public const byte ResetStream = 3;
    public const byte Settings = 4;
    public const byte PushPromise = 5;
    public const byte Continuation = 9;

    public const byte Acknowledge = 1;
    public const byte EndHeaders = 4;

    private Head _head;
    private int _headBytes;

    /// <summary>Bytes up to the next head.</summary>
    private int _rest = preface;

    public readonly byte Type => _head[3];

    public readonly byte Flags => _head[4];

    public readonly int Stream => BinaryPrimitives.ReadInt32BigEndian(((ReadOnlySpan<byte>)_head)[5..]) & int.MaxValue;

    public readonly bool IsInPayload => _rest > 0;

    /// <summary>Whether the next byte begins a frame.</summary>
    public readonly bool IsBetweenFrames => _rest == 0 && _headBytes == 0;

    /// <summary>Takes bytes of a head.</summary>
    /// <returns>Whether the head is complete, and <see cref="Type"/> and the others are about this frame.</returns>
    public bool TakeHead(ref ReadOnlySpan<byte> bytes)
    {
        Span<byte> head = _head;
        int count = Math.Min(HeadBytes - _headBytes, bytes.Length);
        bytes[..count].CopyTo(head[_headBytes..]);
        bytes = bytes[count..];
        _headBytes += count;
        if (_headBytes < HeadBytes)
        {
            return false;
        }

        _headBytes = 0;
        _rest = (head[0] << 16) | (head[1] << 8) | head[2];
        return true;
    }

    /// <summary>Takes bytes of a payload.</summary>
    public ReadOnlySpan<byte> TakePayload(ref ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<byte> payload = bytes[..Math.Min(_rest, bytes.Length)];
        bytes = bytes[payload.Length..];
        _rest -= payload.Length;
        return payload;
    }

    [InlineArray(HeadBytes)]
    private struct Head
    {
        private byte _first;
    }
}
