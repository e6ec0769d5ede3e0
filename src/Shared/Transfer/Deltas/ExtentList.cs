using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer;

/// <summary>
/// The parts of a sparse file that have data; everything between them is a hole, which reads as zeros. docs/protocol.md describes the
/// document. Immutable; thread-safe.
/// </summary>
/// <remarks>A hole never contains data, but an extent may contain zeros: a list is reliable only about holes.</remarks>
internal sealed class ExtentList
{
    public const string MediaType = "application/vnd.millrace.extents";

    /// <summary>A hole of fewer bytes is data: a range that leaves it out costs about as much as it saves.</summary>
    public const long MinHoleBytes = 16 * 1024;

    /// <summary>Below this, holes are not worth a request.</summary>
    public const long MinSavedBytes = 256 * 1024;

    /// <summary>Maximum extents of a list, which then has 1 MiB. If there are more, those with the smallest holes between them are joined.</summary>
    public const int MaxExtents = 65_536;

    public const int HeaderBytes = 16;

    /// <summary>Bytes of an extent in the document.</summary>
    public const int EntryBytes = 16;

    public const int MaxDocumentBytes = HeaderBytes + (MaxExtents * EntryBytes);

    /// <summary>Maximum extents to look for; the rest counts as data. A file system finds so many in about a second.</summary>
    private const int MaxLooks = 1024 * 1024;

    private const uint Magic = 0x5845524D; // "MREX"
    private const byte Version = 1;

    private readonly ByteRange[] _extents;

    private ExtentList(long fileLength, ByteRange[] extents)
    {
        FileLength = fileLength;
        _extents = extents;
        foreach (ByteRange extent in extents)
        {
            DataBytes += extent.Length;
        }
    }

    public long FileLength { get; }

    /// <summary>Bytes of all extents.</summary>
    public long DataBytes { get; }

    /// <summary>Bytes of all holes.</summary>
    public long HoleBytes => FileLength - DataBytes;

    /// <summary>In order, with a hole between two of them.</summary>
    public IReadOnlyList<ByteRange> Extents => _extents;

    /// <summary>Whether leaving out its holes saves enough.</summary>
    public bool IsSparse => HoleBytes >= MinSavedBytes;

    /// <summary>The list of a file without holes.</summary>
    public static ExtentList Whole(long fileLength) => new(fileLength, fileLength == 0 ? [] : [new ByteRange(0, fileLength)]);

    /// <summary>Asks the file system for a file's holes.</summary>
    /// <param name="file">The file. Its position is moved.</param>
    /// <param name="length">Its bytes.</param>
    /// <param name="minHoleBytes">Holes of fewer bytes are data.</param>
    /// <returns>One extent where the file system reports no holes, and on systems other than Linux.</returns>
    public static ExtentList Find(SafeFileHandle file, long length, long minHoleBytes = MinHoleBytes)
    {
        if (!NativeFeatures.Linux || length == 0)
        {
            return Whole(length);
        }

        var found = new List<ByteRange>();
        long at = 0;
        for (int looks = 0; DataMap.TryFind(file, at, length, out long start, out long end); looks++)
        {
            if (looks == MaxLooks)
            {
                end = length;
            }

            if (end <= start)
            {
                // It was made shorter meanwhile, or the file system contradicts itself.
                return Whole(length);
            }

            Add(found, start, end, minHoleBytes);
            if (found.Count > MaxExtents)
            {
                minHoleBytes = Merge(found, minHoleBytes);
            }

            at = end;
        }

        if (found.Count > 0 && length - found[^1].End is > 0 and var rest && rest < minHoleBytes)
        {
            found[^1] = found[^1] with { Length = length - found[^1].Offset };
        }

        return new ExtentList(length, [.. found]);
    }

    /// <summary>The document.</summary>
    public byte[] ToDocument()
    {
        byte[] document = new byte[HeaderBytes + (_extents.Length * EntryBytes)];
        BinaryPrimitives.WriteUInt32LittleEndian(document, Magic);
        document[4] = Version;
        BinaryPrimitives.WriteInt64LittleEndian(document.AsSpan(8), FileLength);
        Span<byte> entry = document.AsSpan(HeaderBytes);
        foreach (ByteRange extent in _extents)
        {
            BinaryPrimitives.WriteInt64LittleEndian(entry, extent.Offset);
            BinaryPrimitives.WriteInt64LittleEndian(entry[8..], extent.Length);
            entry = entry[EntryBytes..];
        }

        return document;
    }

    /// <summary>Parses a document, which may be hostile.</summary>
    public static bool TryParse(ReadOnlySpan<byte> document, [NotNullWhen(true)] out ExtentList? list)
    {
        list = null;
        if (document.Length is < HeaderBytes or > MaxDocumentBytes || (document.Length - HeaderBytes) % EntryBytes != 0
            || BinaryPrimitives.ReadUInt32LittleEndian(document) != Magic || document[4] != Version
            || document[5..8].IndexOfAnyExcept((byte)0) >= 0)
        {
            return false;
        }

        long length = BinaryPrimitives.ReadInt64LittleEndian(document[8..]);
        if (length < 0)
        {
            return false;
        }

        var extents = new ByteRange[(document.Length - HeaderBytes) / EntryBytes];
        long last = 0;
        for (int i = 0; i < extents.Length; i++)
        {
            ReadOnlySpan<byte> entry = document[(HeaderBytes + (i * EntryBytes))..];
            long offset = BinaryPrimitives.ReadInt64LittleEndian(entry);
            long bytes = BinaryPrimitives.ReadInt64LittleEndian(entry[8..]);
            if (offset < last || (i > 0 && offset == last) || bytes <= 0 || bytes > length || offset > length - bytes)
            {
                return false;
            }

            extents[i] = new ByteRange(offset, bytes);
            last = offset + bytes;
        }

        list = new ExtentList(length, extents);
        return true;
    }

    private static void Add(List<ByteRange> found, long start, long end, long minHoleBytes)
    {
        long last = found.Count == 0 ? 0 : found[^1].End;
        if (start - last < minHoleBytes && (found.Count > 0 || start > 0))
        {
            long first = found.Count == 0 ? 0 : found[^1].Offset;
            var joined = new ByteRange(first, end - first);
            if (found.Count == 0)
            {
                found.Add(joined);
            }
            else
            {
                found[^1] = joined;
            }
        }
        else
        {
            found.Add(new ByteRange(start, end - start));
        }
    }

    /// <summary>Joins extents until half of the places are free.</summary>
    /// <returns>The minimum bytes of a hole in the rest of the list.</returns>
    private static long Merge(List<ByteRange> found, long minHoleBytes)
    {
        while (found.Count > MaxExtents / 2)
        {
            minHoleBytes *= 2;
            ByteRange[] all = [.. found];
            found.Clear();
            foreach (ByteRange extent in all)
            {
                Add(found, extent.Offset, extent.End, minHoleBytes);
            }
        }

        return minHoleBytes;
    }
}
