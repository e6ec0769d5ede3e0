using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Millrace.Transfer.S3;

/// <summary>
/// A SHA-256 (FIPS 180-4) whose state can be saved, so that another server continues it: the framework's cannot, and the parts of
/// an unfinished multipart upload cannot be read. Not thread-safe.
/// </summary>
/// <remarks>The state is SHA256_CTX of openssl/sha.h. libcrypto does the work where there is one; otherwise the code below.</remarks>
internal sealed class Sha256State
{
    /// <summary>Bytes of <see cref="TryExport"/>: the eight words of the hash and the number of bytes.</summary>
    public const int ExportBytes = 40;

    private const int BlockBytes = 64;

    private static ReadOnlySpan<uint> Initial =>
        [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

    private static ReadOnlySpan<uint> Constants =>
    [
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    ];

    private readonly bool _managed;
    private Context _context;

    /// <param name="managed">Whether libcrypto is not used; for tests.</param>
    public Sha256State(bool managed = false)
    {
        _managed = managed || !LibCrypto.HasSha256;
        Initial.CopyTo(_context.Hash);
        _context.DigestBytes = SHA256.HashSizeInBytes;
    }

    /// <summary>Bytes that were hashed.</summary>
    public long Length { get; private set; }

    /// <summary>Restores what <see cref="TryExport"/> returned.</summary>
    public static Sha256State Import(ReadOnlySpan<byte> saved, bool managed = false)
    {
        var state = new Sha256State(managed);
        for (int i = 0; i < 8; i++)
        {
            state._context.Hash[i] = BinaryPrimitives.ReadUInt32BigEndian(saved[(4 * i)..]);
        }

        state.Length = BinaryPrimitives.ReadInt64BigEndian(saved[32..]);
        ulong bits = (ulong)state.Length * 8;
        state._context.BitsLow = (uint)bits;
        state._context.BitsHigh = (uint)(bits >> 32);
        return state;
    }

    /// <summary>Saves the state.</summary>
    /// <returns>Null within a block of 64 bytes, where no state is saved: parts end there only at the end of a file.</returns>
    public byte[]? TryExport()
    {
        if (_context.Buffered != 0)
        {
            return null;
        }

        byte[] saved = new byte[ExportBytes];
        for (int i = 0; i < 8; i++)
        {
            BinaryPrimitives.WriteUInt32BigEndian(saved.AsSpan(4 * i), _context.Hash[i]);
        }

        BinaryPrimitives.WriteInt64BigEndian(saved.AsSpan(32), Length);
        return saved;
    }

    public Sha256State Clone() => (Sha256State)MemberwiseClone();

    public void Append(ReadOnlySpan<byte> content)
    {
        Length += content.Length;
        Update(ref _context, content);
    }

    /// <summary>The digest of everything so far; more can be appended.</summary>
    public Sha256Digest ToDigest()
    {
        Context last = _context;
        Span<byte> padding = stackalloc byte[2 * BlockBytes];
        padding.Clear();
        padding[0] = 0x80;
        int bytes = (int)(BlockBytes - ((Length + 8) % BlockBytes)) + 8;
        BinaryPrimitives.WriteInt64BigEndian(padding[(bytes - 8)..], Length * 8);
        Update(ref last, padding[..bytes]);
        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        for (int i = 0; i < 8; i++)
        {
            BinaryPrimitives.WriteUInt32BigEndian(digest[(4 * i)..], last.Hash[i]);
        }

        return new Sha256Digest(digest);
    }

    private void Update(ref Context context, ReadOnlySpan<byte> content)
    {
        if (!_managed)
        {
            LibCrypto.Update(ref context, content);
            return;
        }

        Span<byte> buffer = MemoryMarshal.AsBytes((Span<uint>)context.Buffer);
        if (context.Buffered > 0)
        {
            int count = Math.Min(content.Length, BlockBytes - (int)context.Buffered);
            content[..count].CopyTo(buffer[(int)context.Buffered..]);
            content = content[count..];
            context.Buffered = (context.Buffered + (uint)count) % BlockBytes;
            if (context.Buffered != 0)
            {
                return;
            }

            Transform(context.Hash, buffer);
        }

        for (; content.Length >= BlockBytes; content = content[BlockBytes..])
        {
            Transform(context.Hash, content);
        }

        content.CopyTo(buffer);
        context.Buffered = (uint)content.Length;
    }

    /// <summary>FIPS 180-4, section 6.2.2.</summary>
    private static void Transform(Span<uint> hash, ReadOnlySpan<byte> block)
    {
        Span<uint> w = stackalloc uint[64];
        for (int i = 0; i < 16; i++)
        {
            w[i] = BinaryPrimitives.ReadUInt32BigEndian(block[(4 * i)..]);
        }

        for (int i = 16; i < 64; i++)
        {
            uint s0 = BitOperations.RotateRight(w[i - 15], 7) ^ BitOperations.RotateRight(w[i - 15], 18) ^ (w[i - 15] >> 3);
            uint s1 = BitOperations.RotateRight(w[i - 2], 17) ^ BitOperations.RotateRight(w[i - 2], 19) ^ (w[i - 2] >> 10);
            w[i] = w[i - 16] + s0 + w[i - 7] + s1;
        }

        (uint a, uint b, uint c, uint d) = (hash[0], hash[1], hash[2], hash[3]);
        (uint e, uint f, uint g, uint h) = (hash[4], hash[5], hash[6], hash[7]);
        for (int i = 0; i < 64; i++)
        {
            uint s1 = BitOperations.RotateRight(e, 6) ^ BitOperations.RotateRight(e, 11) ^ BitOperations.RotateRight(e, 25);
            uint one = h + s1 + ((e & f) ^ (~e & g)) + Constants[i] + w[i];
            uint s0 = BitOperations.RotateRight(a, 2) ^ BitOperations.RotateRight(a, 13) ^ BitOperations.RotateRight(a, 22);
            uint two = s0 + ((a & b) ^ (a & c) ^ (b & c));
            (h, g, f, e, d, c, b, a) = (g, f, e, d + one, c, b, a, one + two);
        }

        hash[0] += a;
        hash[1] += b;
        hash[2] += c;
        hash[3] += d;
        hash[4] += e;
        hash[5] += f;
        hash[6] += g;
        hash[7] += h;
    }

    [System.Runtime.CompilerServices.InlineArray(8)]
    internal struct EightWords
    {
        private uint _first;
    }

    [System.Runtime.CompilerServices.InlineArray(16)]
    internal struct SixteenWords
    {
        private uint _first;
    }

    /// <summary>SHA256_CTX of openssl/sha.h.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct Context
    {
        public EightWords Hash;
        public uint BitsLow;
        public uint BitsHigh;
        public SixteenWords Buffer;
        public uint Buffered;
        public uint DigestBytes;
    }
}
