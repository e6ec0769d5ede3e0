using System.Buffers.Binary;
using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Millrace.Testing;

/// <summary>ACLs of Linux: https://man7.org/linux/man-pages/man5/acl.5.html.</summary>
public static partial class AccessLists
{
    /// <summary>Gives a file a list in which its group may do nothing, but user 1234 may read and write.</summary>
    public static void Set(string file) => Set(file, "system.posix_acl_access");

    /// <summary>The same for all files that are created in a folder.</summary>
    public static void SetDefault(string folder) => Set(folder, "system.posix_acl_default");

    /// <returns>The list in hexadecimals; empty if there is none.</returns>
    public static string Get(string file)
    {
        byte[] list = new byte[1024];
        return Convert.ToHexString(list, 0, (int)Math.Max(0, GetXAttr(file, "system.posix_acl_access", list, list.Length)));
    }

    private static void Set(string path, string attribute)
    {
        const uint None = uint.MaxValue;
        (ushort Tag, ushort Permissions, uint Id)[] entries = [(1, 6, None), (2, 6, 1234), (4, 0, None), (0x10, 6, None), (0x20, 0, None)];
        byte[] list = new byte[4 + (8 * entries.Length)];
        BinaryPrimitives.WriteInt32LittleEndian(list, 2);
        for (int i = 0; i < entries.Length; i++)
        {
            Span<byte> entry = list.AsSpan(4 + (8 * i));
            BinaryPrimitives.WriteUInt16LittleEndian(entry, entries[i].Tag);
            BinaryPrimitives.WriteUInt16LittleEndian(entry[2..], entries[i].Permissions);
            BinaryPrimitives.WriteUInt32LittleEndian(entry[4..], entries[i].Id);
        }

        if (SetXAttr(path, attribute, list, list.Length, 0) != 0)
        {
            throw new Win32Exception();
        }
    }

    [LibraryImport("libc", EntryPoint = "setxattr", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int SetXAttr(string path, string name, byte[] value, nint size, int flags);

    [LibraryImport("libc", EntryPoint = "getxattr", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint GetXAttr(string path, string name, [Out] byte[] value, nint size);
}
