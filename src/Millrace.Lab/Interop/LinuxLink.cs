using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Millrace.Lab.Interop;

/// <summary>link(2): a second name for a file. It is not interrupted by signals.</summary>
[SupportedOSPlatform("linux")]
internal static partial class LinuxLink
{
    /// <summary>Makes it.</summary>
    /// <returns>False when the file system has none, or the system does not let this process.</returns>
    public static bool TryMake(string path, string second) => Link(path, second) == 0;

    [LibraryImport("libc", EntryPoint = "link", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Link(string path, string second);
}
