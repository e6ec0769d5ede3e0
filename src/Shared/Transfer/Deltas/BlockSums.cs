using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.IO.Hashing;
using System.IO.Pipelines;

namespace Millrace.Transfer;

/// <summary>
/// The sums of all blocks of one version of a file: what another copy of it needs to know which of its bytes are there already.
/// docs/protocol.md describes the document. Immutable; thread-safe.
/// </summary>
/// <remarks>
/// Strong sums are the first bytes of XXH128. They find equal blocks, and prove nothing: the program that assembles a file compares the SHA-256 of
/// the whole. Eight bytes of them are enough for that: together with the weak sum, one wrong match in 2^50 files of 1 GiB.
/// </remarks>
internal sealed class BlockSums
{
    public const string MediaType = "application/vnd.millrace.blocks";

    /// <summary>Files below this are sent whole: a round trip costs as much.</summary>
    public const long MinFileBytes = 1024 * 1024;

    public const int HeaderBytes = 24;

    public const int MinStrongBytes = 8;

    public const int MaxStrongBytes = 16;

    public const int MinBlockBytes = 1024;

    private const int PageBytes = 4096;

    /// <summary>A block is held in memory where it is looked for.</summary>
    public const int MaxBlockBytes = 4 * 1024 * 1024;

    /// <summary>Blocks of a list at most: 48 MiB in this form, of a file of 16 TiB.</summary>
    public const int MaxBlocks = MaxBlockBytes;

    private const uint Magic = 0x4253524D; // "MRSB"
    private const byte Version = 1;

    private readonly byte[] _document;

    private BlockSums(byte[] document, long fileLength, int blockBytes, int strongBytes)
    {
        _document = document;
        FileLength = fileLength;
        BlockBytes = blockBytes;
        StrongBytes = strongBytes;
        Count = CountOf(fileLength, blockBytes);
    }

    public long FileLength { get; }

    /// <summary>Bytes of each block; the last may have fewer.</summary>
    public int BlockBytes { get; }

    /// <summary>Bytes of a strong sum.</summary>
    public int StrongBytes { get; }

    public int Count { get; }

    /// <summary>Bytes of the last block, if it is shorter than the others; otherwise 0.</summary>
    public int TailBytes => (int)(FileLength % BlockBytes);

    /// <summary>Blocks that are whole.</summary>
    public int WholeCount => (int)(FileLength / BlockBytes);

    /// <summary>All of it as it is sent.</summary>
    public ReadOnlyMemory<byte> Document => _document;

    /// <summary>Whether there can be a list of a file of this length.</summary>
    public static bool CanList(long fileLength) => fileLength is >= 0 and <= (long)MaxBlocks * MaxBlockBytes;

    /// <summary>
    /// The block size for a file: the root of its length, so that the list grows as a changed byte costs; in whole pages from 4 KiB on,
    /// because what databases and disk images change is a page.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Not <see cref="CanList"/>.</exception>
    public static int ChooseBlockBytes(long fileLength)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(fileLength);
        long root = (long)Math.Ceiling(Math.Sqrt(fileLength));
        long unit = root <= PageBytes ? MinBlockBytes : PageBytes;
        long bytes = Math.Max(MinBlockBytes, (root + unit - 1) / unit * unit);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes, MaxBlockBytes, nameof(fileLength));
        return (int)bytes;
    }

    /// <summary>Bytes of the list of such a file.</summary>
    public static long DocumentBytes(long fileLength) =>
        HeaderBytes + ((long)CountOf(fileLength, ChooseBlockBytes(fileLength)) * (sizeof(uint) + MinStrongBytes));

    /// <summary>Computes the sums of a file.</summary>
    /// <param name="content">All its bytes. Not completed.</param>
    /// <param name="fileLength">How many they are.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="IOException">The content has another length.</exception>
    public static ValueTask<BlockSums> ComputeAsync(PipeReader content, long fileLength, CancellationToken cancellationToken) =>
        ComputeAsync(content, fileLength, ChooseBlockBytes(fileLength), cancellationToken);

    /// <summary>The same, in blocks of a size that is given.</summary>
    /// <exception cref="IOException">The content has another length, or too many blocks for a list.</exception>
    public static async ValueTask<BlockSums> ComputeAsync(
        PipeReader content, long fileLength, int blockBytes, CancellationToken cancellationToken)
    {
        if (fileLength / blockBytes >= MaxBlocks)
        {
            throw new IOException($"The file has {fileLength} bytes, more than {MaxBlocks} blocks of {blockBytes}.");
        }

        long bytes = HeaderBytes + ((long)CountOf(fileLength, blockBytes) * (sizeof(uint) + MinStrongBytes));
        var sums = new BlockSums(new byte[bytes], fileLength, blockBytes, MinStrongBytes);
        sums.WriteHeader();
        byte[] rest = ArrayPool<byte>.Shared.Rent(blockBytes);
        try
        {
            int kept = 0;
            int block = 0;
            long read = 0;
            while (true)
            {
                ReadResult result = await content.ReadAsync(cancellationToken).ConfigureAwait(false);
                foreach (ReadOnlyMemory<byte> segment in result.Buffer)
                {
                    read += segment.Length;
                    if (read > fileLength)
                    {
                        throw new IOException($"The file has more than the {fileLength} bytes that it had.");
                    }

                    sums.Add(segment.Span, rest.AsSpan(0, blockBytes), ref kept, ref block);
                }

                content.AdvanceTo(result.Buffer.End);
                if (result.IsCompleted)
                {
                    break;
                }
            }

            if (read != fileLength)
            {
                throw new IOException($"The file has {read} bytes, and had {fileLength}.");
            }

            if (kept > 0)
            {
                sums.Set(block, rest.AsSpan(0, kept));
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rest);
        }

        return sums;
    }

    /// <summary>Reads a list that came from elsewhere.</summary>
    /// <param name="document">All of it; kept.</param>
    /// <param name="sums">The sums.</param>
    /// <returns>False if it is malformed, or more than one bothers with.</returns>
    public static bool TryParse(byte[] document, [NotNullWhen(true)] out BlockSums? sums)
    {
        sums = null;
        if (!TryReadHeader(document, out long fileLength, out int blockBytes, out int strongBytes)
            || document.Length != HeaderBytes + ((long)CountOf(fileLength, blockBytes) * (sizeof(uint) + strongBytes)))
        {
            return false;
        }

        sums = new BlockSums(document, fileLength, blockBytes, strongBytes);
        return true;
    }

    public uint Weak(int block) => BinaryPrimitives.ReadUInt32LittleEndian(_document.AsSpan(HeaderBytes + (block * sizeof(uint))));

    public ReadOnlySpan<byte> Strong(int block) =>
        _document.AsSpan(HeaderBytes + (Count * sizeof(uint)) + (block * StrongBytes), StrongBytes);

    /// <summary>Bytes of this file in blocks that another one, in blocks of the same size, does not have at the same place.</summary>
    public long CountDifferentBytes(BlockSums other)
    {
        long different = 0;
        int strongBytes = Math.Min(StrongBytes, other.StrongBytes);
        for (int block = 0; block < Count; block++)
        {
            int bytes = block < WholeCount ? BlockBytes : TailBytes;
            bool isSame = block < other.Count && bytes == (block < other.WholeCount ? other.BlockBytes : other.TailBytes)
                && Weak(block) == other.Weak(block) && Strong(block)[..strongBytes].SequenceEqual(other.Strong(block)[..strongBytes]);
            different += isSame ? 0 : bytes;
        }

        return different;
    }

    /// <summary>The strong sum of a block.</summary>
    /// <param name="block">The block.</param>
    /// <param name="strong">Takes all 16 bytes.</param>
    public static void ComputeStrong(ReadOnlySpan<byte> block, Span<byte> strong) => XxHash128.Hash(block, strong);

    private static int CountOf(long fileLength, int blockBytes) => (int)((fileLength + blockBytes - 1) / blockBytes);

    private static bool TryReadHeader(ReadOnlySpan<byte> document, out long fileLength, out int blockBytes, out int strongBytes)
    {
        (fileLength, blockBytes, strongBytes) = (0, 0, 0);
        if (document.Length < HeaderBytes || BinaryPrimitives.ReadUInt32LittleEndian(document) != Magic || document[4] != Version)
        {
            return false;
        }

        strongBytes = document[5];
        uint block = BinaryPrimitives.ReadUInt32LittleEndian(document[8..]);
        fileLength = BinaryPrimitives.ReadInt64LittleEndian(document[16..]);
        blockBytes = (int)block;
        return strongBytes is >= MinStrongBytes and <= MaxStrongBytes
            && BinaryPrimitives.ReadUInt16LittleEndian(document[6..]) == 0
            && BinaryPrimitives.ReadUInt32LittleEndian(document[12..]) == 0
            && block is >= MinBlockBytes and <= MaxBlockBytes
            && fileLength >= 0
            && fileLength / block < MaxBlocks;
    }

    private void WriteHeader()
    {
        Span<byte> header = _document;
        BinaryPrimitives.WriteUInt32LittleEndian(header, Magic);
        header[4] = Version;
        header[5] = (byte)StrongBytes;
        BinaryPrimitives.WriteInt32LittleEndian(header[8..], BlockBytes);
        BinaryPrimitives.WriteInt64LittleEndian(header[16..], FileLength);
    }

    private void Add(ReadOnlySpan<byte> bytes, Span<byte> rest, ref int kept, ref int block)
    {
        if (kept > 0)
        {
            int more = Math.Min(bytes.Length, BlockBytes - kept);
            bytes[..more].CopyTo(rest[kept..]);
            kept += more;
            bytes = bytes[more..];
            if (kept < BlockBytes)
            {
                return;
            }

            Set(block++, rest);
            kept = 0;
        }

        while (bytes.Length >= BlockBytes)
        {
            Set(block++, bytes[..BlockBytes]);
            bytes = bytes[BlockBytes..];
        }

        bytes.CopyTo(rest);
        kept = bytes.Length;
    }

    private void Set(int index, ReadOnlySpan<byte> block)
    {
        Span<byte> strong = stackalloc byte[MaxStrongBytes];
        BinaryPrimitives.WriteUInt32LittleEndian(_document.AsSpan(HeaderBytes + (index * sizeof(uint))), RollingSum.Of(block));
        ComputeStrong(block, strong);
        strong[..StrongBytes].CopyTo(_document.AsSpan(HeaderBytes + (Count * sizeof(uint)) + (index * StrongBytes)));
    }
}
