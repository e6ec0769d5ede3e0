using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Millrace.Tests.Copying;

/// <summary>Second names for a file, which .NET does not make. https://man7.org/linux/man-pages/man2/link.2.html</summary>
internal static partial class LinuxLinks
{
    public static void MakeHardLink(string existing, string name)
    {
        if (Link(existing, name) != 0)
        {
            throw new Win32Exception();
        }
    }

    [LibraryImport("libc", EntryPoint = "link", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Link(string existing, string name);
}
