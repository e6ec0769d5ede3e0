using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Access control lists (ACLs) of files, as the kernel keeps them in an extended attribute. A file that has one shows the list's mask
/// where others show the permissions of their group. https://man7.org/linux/man-pages/man5/acl.5.html, xattr.7.html
/// </summary>
internal static partial class AccessList
{
    private const string Attribute = "system.posix_acl_access"; // XATTR_NAME_POSIX_ACL_ACCESS
    private const int Group = 0x04; // ACL_GROUP_OBJ
    private const int Mask = 0x10; // ACL_MASK
    private const int HeaderBytes = 4; // struct posix_acl_xattr_header
    private const int EntryBytes = 8; // struct posix_acl_xattr_entry

    /// <summary>XATTR_SIZE_MAX of linux/limits.h.</summary>
    private const int MaxBytes = 65536;

    /// <returns>Null if the file has none.</returns>
    public static byte[]? TryGet(string path)
    {
        nint bytes = GetXAttr(path, Attribute, [], 0);
        if (bytes <= 0)
        {
            return null;
        }

        // It may have grown in between.
        byte[] list = new byte[MaxBytes];
        bytes = GetXAttr(path, Attribute, list, list.Length);
        return bytes <= 0 ? null : list[..(int)bytes];
    }

    /// <returns>Null if the file has none.</returns>
    public static byte[]? TryGet(SafeFileHandle file)
    {
        nint bytes = FGetXAttr(file, Attribute, [], 0);
        if (bytes <= 0)
        {
            return null;
        }

        byte[] list = new byte[MaxBytes];
        bytes = FGetXAttr(file, Attribute, list, list.Length);
        return bytes <= 0 ? null : list[..(int)bytes];
    }

    public static bool TrySet(SafeFileHandle file, byte[] list) => FSetXAttr(file, Attribute, list, list.Length, 0) == 0;

    /// <summary>Leaves the file with the permissions that every file has, if it has a list.</summary>
    public static void Remove(SafeFileHandle file) => _ = FRemoveXAttr(file, Attribute);

    /// <summary>Permissions without the list: the group's own in the place of the mask, as far as the mask allows them.</summary>
    public static UnixFileMode Without(UnixFileMode mode, byte[] list)
    {
        int group = 7;
        for (int at = HeaderBytes; at + EntryBytes <= list.Length; at += EntryBytes)
        {
            if (BinaryPrimitives.ReadUInt16LittleEndian(list.AsSpan(at)) is Group or Mask)
            {
                group &= BinaryPrimitives.ReadUInt16LittleEndian(list.AsSpan(at + sizeof(ushort)));
            }
        }

        return (mode & ~(UnixFileMode)(7 << 3)) | (UnixFileMode)(group << 3);
    }

    [LibraryImport("libc", EntryPoint = "getxattr", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint GetXAttr(string path, string name, [Out] byte[] value, nint size);

    [LibraryImport("libc", EntryPoint = "fgetxattr", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint FGetXAttr(SafeFileHandle file, string name, [Out] byte[] value, nint size);

    [LibraryImport("libc", EntryPoint = "fsetxattr", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int FSetXAttr(SafeFileHandle file, string name, byte[] value, nint size, int flags);

    [LibraryImport("libc", EntryPoint = "fremovexattr", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int FRemoveXAttr(SafeFileHandle file, string name);
}
