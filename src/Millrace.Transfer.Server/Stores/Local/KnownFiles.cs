using System.Collections.Concurrent;

namespace Millrace.Transfer.Server;

/// <summary>
/// The descriptions of files that were asked for lately, and the bytes of small ones among them, so that a hot file is not opened, nor its
/// digest read, nor its tag computed, for every request. Thread-safe.
/// </summary>
/// <remarks>Valid as a record of <see cref="DigestRecords"/> is: while the facts of the file are the same, and they can be trusted.</remarks>
internal sealed class KnownFiles(TimeProvider clock)
{
    /// <summary>Less than 2 MiB with names of usual length.</summary>
    private const int MaxFiles = 4096;

    /// <summary>Bytes of files that are kept in memory.</summary>
    private const int MaxContentBytes = 8 * 1024 * 1024;

    /// <summary>Bytes of a file whose content is kept: of larger ones, opening is the smaller part of the work, and few would fit.</summary>
    private const int MaxKeptBytes = 16 * 1024;

    private readonly ConcurrentDictionary<string, KnownFile> _files = new(StringComparer.Ordinal);

    /// <summary>Files that were added since the last <see cref="Clear"/>: to count those in the dictionary would take all of its locks.</summary>
    private int _added;

    /// <summary>Bytes that were kept since the last <see cref="Clear"/>.</summary>
    private int _contentBytes;

    /// <summary>Finds the description of an open file.</summary>
    public StoredFile? Find(TransferName name, in FileFacts facts)
    {
        if (!_files.TryGetValue(name.Value, out KnownFile? known) || known.Facts != facts)
        {
            return null;
        }

        known.Ask();
        return known.File;
    }

    /// <summary>Finds a file whose bytes are kept. Whether its name still leads to this version, the caller has to look.</summary>
    public (KnownFile File, byte[] Bytes)? FindContent(TransferName name)
    {
        if (!_files.TryGetValue(name.Value, out KnownFile? known) || known.Content is not { } bytes)
        {
            return null;
        }

        known.Ask();
        return (known, bytes);
    }

    public void Add(StoredFile file, in FileFacts facts)
    {
        // Whatever is hot is back at once.
        if (Interlocked.Increment(ref _added) > MaxFiles)
        {
            Clear();
        }

        _files[file.Name.Value] = new KnownFile(clock, file, facts);
    }

    /// <summary>Keeps a copy of the bytes of a file that is asked for again and again.</summary>
    /// <param name="name">The file.</param>
    /// <param name="facts">Its facts before and after the bytes were read.</param>
    /// <param name="bytes">All of them.</param>
    public void Keep(TransferName name, in FileFacts facts, ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length > MaxKeptBytes || !_files.TryGetValue(name.Value, out KnownFile? known) || known.Facts != facts || !known.IsHot)
        {
            return;
        }

        if (Interlocked.Add(ref _contentBytes, bytes.Length) > MaxContentBytes)
        {
            Clear();
        }

        known.Keep(bytes.ToArray());
    }

    private void Clear()
    {
        _files.Clear();
        Volatile.Write(ref _added, 1);
        Volatile.Write(ref _contentBytes, 0);
    }
}

/// <summary>A version of a file. Thread-safe.</summary>
internal sealed class KnownFile(TimeProvider clock, StoredFile file, FileFacts facts)
{
    /// <summary>Asked for twice within this time, a file is hot; and for so long its bytes are kept.</summary>
    /// <remarks>
    /// Not longer, because of programs that change a file through a mapping (mmap): the kernel notes the first write after the page was
    /// written to the device, and none on tmpfs.
    /// </remarks>
    private static readonly TimeSpan HotTime = TimeSpan.FromSeconds(1);

    private long _asked = clock.GetTimestamp();
    private volatile Kept? _kept;

    public StoredFile File => file;

    public FileFacts Facts => facts;

    /// <summary>Whether it was asked for twice within a second, lately.</summary>
    public bool IsHot { get; private set; }

    /// <summary>All its bytes; null if they are not kept, or were read too long ago.</summary>
    public byte[]? Content => _kept is { } kept && clock.GetElapsedTime(kept.Read) < HotTime ? kept.Bytes : null;

    public void Ask()
    {
        long now = clock.GetTimestamp();
        IsHot = clock.GetElapsedTime(_asked, now) < HotTime;
        _asked = now;
    }

    public void Keep(byte[] bytes) => _kept = new Kept(bytes, clock.GetTimestamp());

    private sealed record Kept(byte[] Bytes, long Read);
}
