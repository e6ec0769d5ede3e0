using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>How a <see cref="LocalFileStore"/> keeps files. Set before the store is created.</summary>
public sealed class LocalFileStoreOptions
{
    /// <summary>
    /// The names that the store takes and lists: those that the system can have by default, portable ones on Windows. A folder that is
    /// kept by Windows' rules (FAT, mounted on Linux) has portable ones in any case.
    /// </summary>
    public AllowedNames Names { get; set; } = NameChoice.Default;

    /// <summary>
    /// Whether the store only reads: every change is refused with <see cref="TransferError.Forbidden"/>, and nothing is written to the folder, which
    /// therefore may be on a read-only file system or belong to another user. False by default.
    /// </summary>
    /// <remarks>
    /// Without <see cref="StatePath"/>, digests are kept in memory, and the store has no
    /// <see cref="IFileStore.Documents"/>. Any number of such stores can be open at once, also beside one that writes.
    /// </remarks>
    public bool ReadOnly { get; set; }

    /// <summary>
    /// With <see cref="ReadOnly"/>, the folder for the state of the store: digests, and documents for links. It is created if it is missing, belongs
    /// to one store, and must not be in the folder that is served, except as its <c>.millrace</c>. Null, the default, for none.
    /// </summary>
    /// <remarks>A store that writes has <c>.millrace</c> instead: received files have to be on the file system of their folder.</remarks>
    public string? StatePath { get; set; }

    /// <summary>Bytes that one file may have; null without a limit.</summary>
    public long? MaxFileBytes { get; set; }

    /// <summary>Bytes that all files and uploads may have together; null without a limit.</summary>
    public long? MaxTotalBytes { get; set; }

    /// <summary>Bytes of the device that stay free.</summary>
    /// <remarks>Other users of the device must be able to continue: logs, the system itself.</remarks>
    public long FreeSpaceToLeave { get; set; } = 64L * 1024 * 1024;

    /// <summary>How long an upload that no client continues is kept.</summary>
    /// <remarks>Longer than a night, or a day without attention.</remarks>
    public TimeSpan UploadLifetime { get; set; } = TimeSpan.FromHours(24);

    /// <summary>How long an upload that received no bytes is kept.</summary>
    /// <remarks>A client that starts an upload sends it: minutes are for a connection that has to be made again.</remarks>
    public TimeSpan EmptyUploadLifetime { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>Unfinished uploads that each <see cref="StartUploadOptions.Caller"/> may have; 1 or more.</summary>
    /// <remarks>As many as a service with one token leaves unfinished in a day, if one of a hundred of its uploads is abandoned.</remarks>
    public int MaxUploadsPerCaller { get; set => field = Positive(value); } = 1000;

    /// <summary>Unfinished uploads of all callers; 1 or more. As many finished ones are remembered.</summary>
    /// <remarks>Each is three files and folders, and less than 1 KB of memory.</remarks>
    public int MaxUploads { get; set => field = Positive(value); } = 4000;

    /// <summary>How long deleted and replaced files are kept in the trash; null to keep none.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Zero or negative.</exception>
    public TimeSpan? TrashLifetime
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value ?? TimeSpan.MaxValue, TimeSpan.Zero, nameof(value));
            field = value;
        }
    }

    /// <summary>Maximum bytes in the trash; the oldest entries are deleted when it has more. Null for no separate limit.</summary>
    /// <remarks>They count for <see cref="MaxTotalBytes"/>. The trash also gives way to files that would not fit otherwise.</remarks>
    public long? MaxTrashBytes { get; set; }

    /// <summary>Up to what size <see cref="DigestNeed.IfCheap"/> reads a file.</summary>
    /// <remarks>Less than a tenth of a second where SHA-256 runs at 1 GB/s.</remarks>
    public long CheapDigestBytes { get; set; } = 64L * 1024 * 1024;

    /// <summary>
    /// Files of more bytes than this are sent, received and hashed without leaving pages in the page cache, so that the files that others use
    /// stay there (<see cref="FileReadOptions.KeepCached"/>); by default the memory that this process may use.
    /// </summary>
    /// <remarks>A larger file would push out everything else, and then its own beginning.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Negative.</exception>
    public long MaxCachedBytes
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            field = value;
        }
    } = AvailableMemory;

    /// <summary>The failures that a published file survives; <see cref="Durability.OnCommit"/> by default.</summary>
    public Durability Durability { get; set; } = Durability.OnCommit;

    /// <summary>
    /// Permissions of the files that the store publishes, whatever the umask of the process, on Unix. Null, the default, leaves those of new files to
    /// the umask, and gives a file those of the one that it replaces.
    /// </summary>
    public UnixFileMode? FileMode { get; set; }

    /// <summary>Permissions of folders that the store creates for clients, whatever the umask, on Unix; null to leave them to the umask.</summary>
    public UnixFileMode? FolderMode { get; set; }

    /// <summary>
    /// Whether a file's SHA-256 is computed while it is received. True by default; otherwise the first request for it computes it.
    /// </summary>
    public bool ComputeSha256 { get; set; } = true;

    /// <summary>The clock by which uploads expire.</summary>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>Whether only the framework's own calls are used. For tests; the switch Millrace.Portable is for a process.</summary>
    internal bool Portable { get; set; }

    /// <summary>Bytes of the names of large folders that are kept between the pages of listings. For tests.</summary>
    internal long SnapshotBytes { get; set; } = FolderSnapshots.MaxBytes;

    /// <summary><see cref="MaxCachedBytes"/> where the system has calls for it, otherwise without an end.</summary>
    internal long MaxCachedHere => NativeFeatures.Linux && !Portable ? MaxCachedBytes : long.MaxValue;

    private static long AvailableMemory => GC.GetGCMemoryInfo().TotalAvailableMemoryBytes is > 0 and var bytes ? bytes : long.MaxValue;

    /// <summary>Whether anything outlives the store.</summary>
    internal bool KeepsState => !ReadOnly || StatePath is not null;

    /// <summary>The same options for a store that only reads.</summary>
    internal LocalFileStoreOptions AsReadOnly()
    {
        var options = (LocalFileStoreOptions)MemberwiseClone();
        options.ReadOnly = true;
        return options;
    }

    private static int Positive(int value)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value);
        return value;
    }
}
