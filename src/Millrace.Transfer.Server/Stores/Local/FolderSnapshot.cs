using System.Diagnostics;
using System.IO.Enumeration;
using System.Runtime.InteropServices;

namespace Millrace.Transfer.Server;

/// <summary>The names in a folder in order, as they were when it was read. Takes twice their characters, and 8 bytes for each.</summary>
internal sealed class FolderSnapshot
{
    /// <summary>Characters that are allocated at once.</summary>
    /// <remarks>Below the size from which the collector keeps arrays until its last generation.</remarks>
    private const int BlockLength = 32 * 1024;

    private readonly List<char[]> _blocks = [];
    private readonly List<Place> _places = [];
    private int _end = BlockLength;


    /// <summary>How long it took to read and sort the names.</summary>
    public TimeSpan Effort { get; private set; }

    public int Count => _places.Count;

    /// <summary>Bytes that it takes.</summary>
    public long Bytes => ((long)_blocks.Count * BlockLength * sizeof(char)) + ((long)_places.Capacity * Marshal.SizeOf<Place>());

    /// <summary>A name; in a recursive listing that of a folder has a trailing slash, and its place is where the names in it begin.</summary>
    public ReadOnlySpan<char> this[int index] => At(_places[index]);

    private static EnumerationOptions OneFolder { get; } = new()
    {
        AttributesToSkip = FileAttributes.None,
        IgnoreInaccessible = false,
        ReturnSpecialDirectories = false,
    };

    /// <summary>The files and folders in a folder, in no order.</summary>
    public static FileSystemEnumerable<T> Enumerate<T>(StoreFolder folder, FileSystemEnumerable<T>.FindTransform transform) =>
        new(folder.PathOf(""), transform, OneFolder);

    /// <summary>A link does not count as a folder here: its target is looked at later.</summary>
    public static bool IsFolder(in FileSystemEntry entry) =>
        entry.IsDirectory && !entry.Attributes.HasFlag(FileAttributes.ReparsePoint);

    /// <summary>Reads a folder.</summary>
    /// <returns>Null when it would take more than <paramref name="maxBytes"/>.</returns>
    public static FolderSnapshot? TryRead(
        StoreFolder folder, bool recursive, long maxBytes, CancellationToken cancellationToken)
    {
        long began = Stopwatch.GetTimestamp();
        var snapshot = new FolderSnapshot();
        foreach (bool _ in Enumerate(folder, (ref FileSystemEntry entry) => snapshot.Add(entry.FileName, recursive && IsFolder(entry))))
        {
            if (snapshot.Bytes > maxBytes)
            {
                return null;
            }

            cancellationToken.ThrowIfCancellationRequested();
        }

        snapshot._places.Sort((left, right) => snapshot.At(left).SequenceCompareTo(snapshot.At(right)));
        snapshot.Effort = Stopwatch.GetElapsedTime(began);
        return snapshot;
    }

    /// <summary>
    /// Finds the first name that is not before a text, or the folder before it that the text leads into: all before are before it
    /// altogether.
    /// </summary>
    public int Find(ReadOnlySpan<char> text)
    {
        int first = 0;
        for (int end = Count; first < end;)
        {
            int middle = (first + end) / 2;
            if (this[middle].SequenceCompareTo(text) < 0)
            {
                first = middle + 1;
            }
            else
            {
                end = middle;
            }
        }

        return first > 0 && this[first - 1][^1] == '/' && text.StartsWith(this[first - 1]) ? first - 1 : first;
    }

    private bool Add(ReadOnlySpan<char> name, bool isFolder)
    {
        int length = name.Length + (isFolder ? 1 : 0);
        if (_end + length > BlockLength)
        {
            _blocks.Add(new char[BlockLength]);
            _end = 0;
        }

        Span<char> place = _blocks[^1].AsSpan(_end, length);
        name.CopyTo(place);
        if (isFolder)
        {
            place[^1] = '/';
        }

        _places.Add(new Place(_blocks.Count - 1, (ushort)_end, (ushort)length));
        _end += length;
        return true;
    }

    private ReadOnlySpan<char> At(Place place) => _blocks[place.Block].AsSpan(place.Start, place.Length);

    /// <summary>Where a name is.</summary>
    private readonly record struct Place(int Block, ushort Start, ushort Length);
}
