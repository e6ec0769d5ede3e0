using System.Buffers.Binary;
using System.Buffers.Text;

namespace Millrace.Transfer.Server;

/// <summary>Distinguishes one version of a file from all others without reading it.</summary>
/// <param name="Device">The device it is on; 0 where the framework does not say.</param>
/// <param name="Inode">Which file of it; 0 where the framework does not say.</param>
/// <param name="Length">Bytes.</param>
/// <param name="Modified">Nanoseconds since 1970 of the last write; any program can set it.</param>
/// <param name="Changed">
/// Nanoseconds since 1970 of the last change of any kind, which no program can set; the time of creation where the framework
/// does not return it.
/// </param>
/// <param name="IsRegular">Whether it is a file, not a folder or a device.</param>
/// <param name="ModifiedSeconds">Seconds since 1970 of the last write: nanoseconds in 64 bits are a date only until 2262.</param>
internal readonly record struct FileFacts(
    ulong Device, ulong Inode, long Length, long Modified, long Changed, bool IsRegular, long ModifiedSeconds)
{
    /// <summary>Whether its owner may run it.</summary>
    public bool IsExecutable { get; init; }

    /// <summary>Bytes of <see cref="CopyTo"/>.</summary>
    public const int Bytes = 40;

    private const int TagBytes = 15;

    /// <summary>When it was last written.</summary>
    public FileTime ModifiedTime => new(ModifiedSeconds, (int)(Modified - (ModifiedSeconds * 1_000_000_000)));

    public void CopyTo(Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(destination, Device);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[8..], Inode);
        BinaryPrimitives.WriteInt64LittleEndian(destination[16..], Length);
        BinaryPrimitives.WriteInt64LittleEndian(destination[24..], Modified);
        BinaryPrimitives.WriteInt64LittleEndian(destination[32..], Changed);
    }

    /// <summary>A tag of 20 characters that does not reveal the facts.</summary>
    public EntityTag ToTag()
    {
        Span<byte> facts = stackalloc byte[Bytes];
        CopyTo(facts);
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(facts, hash);
        return new EntityTag(Base64Url.EncodeToString(hash[..TagBytes]));
    }

    public StoredFile ToFile(TransferName name, Sha256Digest? digest) =>
        new(name, Length, ModifiedTime, ToTag(), digest) { IsExecutable = IsExecutable };
}
