using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server;

/// <summary>One version of a file, open for reading. Disposing it closes the file; readers that it gave must be completed before.</summary>
public abstract class StoredFileReader : IAsyncDisposable
{
    /// <summary>The file's description.</summary>
    public abstract StoredFile File { get; }

    /// <summary>
    /// The CRC-32 of all its bytes, as zip files have it, if that is known without reading them. A zip file then has it before the bytes,
    /// and ends early if they have another one.
    /// </summary>
    /// <value>Null, unless a store keeps it.</value>
    public virtual uint? Crc32 => null;

    /// <summary>Reads a part of it; any number, one after the other or at once.</summary>
    /// <param name="range">The part, within the file.</param>
    /// <returns>A pipe of exactly these bytes. The caller completes it.</returns>
    public abstract PipeReader Read(ByteRange range);

    /// <summary>The same, in reads of so many bytes.</summary>
    /// <param name="range">The part, within the file.</param>
    /// <param name="readBytes">Bytes of a read at most, as a wish; 1 or more.</param>
    /// <returns>As <see cref="Read(ByteRange)"/>.</returns>
    public virtual PipeReader Read(ByteRange range, int readBytes) => Read(range);

    /// <summary>The open file that holds a part of it at the same offset, for a response that the system sends itself.</summary>
    /// <param name="range">The part, within the file.</param>
    /// <returns>Null, unless a store has one. It belongs to this reader.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.Changed"/>.</exception>
    public virtual SafeFileHandle? FindHandle(ByteRange range) => null;

    /// <summary>All its bytes, if they are in memory; empty otherwise.</summary>
    internal virtual ReadOnlyMemory<byte> Content => default;

    /// <summary>Reads a part of it if that needs no device.</summary>
    /// <param name="range">The part, within the file.</param>
    /// <param name="bytes">Where it goes; of its length.</param>
    /// <returns>Whether all of it was read.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.Changed"/>.</exception>
    internal virtual bool TryReadCached(ByteRange range, Span<byte> bytes) => false;

    /// <summary>Whether the file is sparse, at a glance.</summary>
    internal virtual bool HasHoles => false;

    /// <summary>The parts of the file that have data. May take a second.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.Changed"/>.</exception>
    internal virtual ExtentList FindExtents() => ExtentList.Whole(File.Length);

    /// <summary>Whether <see cref="TryKeep"/> does anything.</summary>
    internal virtual bool KeepsDigests => false;

    /// <summary>Whether nothing about the open file has changed since it was opened, as far as that can be seen without asking the store.</summary>
    internal virtual bool IsUnchanged => true;

    /// <summary>Keeps the digest of all its bytes for this version.</summary>
    /// <returns>False if the file has changed.</returns>
    internal virtual bool TryKeep(in FileDigest digest) => false;

    /// <summary>As <see cref="Read(ByteRange)"/>, from the device, and without changing the page cache.</summary>
    internal virtual PipeReader ReadOnDevice(ByteRange range) => Read(range);

    /// <summary>An address where a client reads this file itself for a few minutes, without credentials.</summary>
    /// <param name="mediaType">The <c>Content-Type</c> of the response there.</param>
    /// <param name="disposition">Its <c>Content-Disposition</c>.</param>
    /// <returns>Null, unless the store has one and may give it away.</returns>
    public virtual ValueTask<Uri?> FindAddressAsync(string mediaType, string disposition) => default;

    /// <inheritdoc/>
    public abstract ValueTask DisposeAsync();

    private protected void ThrowIfOutside(ByteRange range)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(range.Offset, nameof(range));
        ArgumentOutOfRangeException.ThrowIfNegative(range.Length, nameof(range));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(range.Offset, File.Length, nameof(range));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(range.Length, File.Length - range.Offset, nameof(range));
    }
}
