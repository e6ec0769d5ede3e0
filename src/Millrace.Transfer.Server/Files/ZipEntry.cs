namespace Millrace.Transfer.Server;

/// <summary>A file in a zip file, as its header and the directory describe it.</summary>
/// <param name="Name">Its path, in UTF-8.</param>
/// <param name="Time">See <see cref="ZipDirectory.TimeOf"/>.</param>
/// <param name="Method"><see cref="Store"/> or <see cref="Deflate"/>.</param>
/// <param name="HasDescriptor">Whether the checksum and the sizes follow the bytes.</param>
/// <param name="Checksum">Its CRC-32; 0 while it is not known.</param>
/// <param name="Coded">Its bytes as they are in the zip file; 0 while that is not known.</param>
/// <param name="Length">Its bytes.</param>
/// <param name="Offset">Where its header is.</param>
internal readonly record struct ZipEntry(
    byte[] Name, uint Time, ushort Method, bool HasDescriptor, uint Checksum, long Coded, long Length, long Offset)
{
    public const ushort Store = 0;
    public const ushort Deflate = 8;

    private const ushort Utf8Name = 0x0800;
    private const ushort Descriptor = 0x0008;

    public ushort Flags => (ushort)(Utf8Name | (HasDescriptor ? Descriptor : 0));

    /// <summary>Whether its header, and a descriptor, need sizes of 64 bits.</summary>
    public bool IsLarge => Length >= uint.MaxValue || Coded >= uint.MaxValue;
}
