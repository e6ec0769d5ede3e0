using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Tells an open file from every other one, whatever its names are, where Linux's own calls are not used: by the framework's native
/// library on Unix, and on Windows by
/// https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getfileinformationbyhandle.
/// </summary>
internal static partial class OpenIdentity
{
    /// <returns>False where the system does not report them.</returns>
    public static bool TryGet(SafeFileHandle file, out ulong device, out ulong number)
    {
        device = 0;
        number = 0;
        if (OperatingSystem.IsWindows())
        {
            if (!GetFileInformationByHandle(file, out Information found))
            {
                return false;
            }

            device = found.Volume;
            number = ((ulong)found.UpperIndex << 32) | found.LowerIndex;

            // ReFS has longer numbers, and returns either of these where 64 bits cannot identify a file.
            return number is not (0 or ulong.MaxValue);
        }

        if (!SpecialFile.TryGetIdentity(file, out long unixDevice, out long inode))
        {
            return false;
        }

        device = (ulong)unixDevice;
        number = (ulong)inode;
        return true;
    }

    [LibraryImport("kernel32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool GetFileInformationByHandle(SafeFileHandle file, out Information information);

    /// <summary>BY_HANDLE_FILE_INFORMATION of fileapi.h.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 52)]
    private struct Information
    {
        [FieldOffset(28)]
        public uint Volume;

        [FieldOffset(44)]
        public uint UpperIndex;

        [FieldOffset(48)]
        public uint LowerIndex;
    }
}
