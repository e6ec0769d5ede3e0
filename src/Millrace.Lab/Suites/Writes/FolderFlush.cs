using System.ComponentModel;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Millrace.Lab.Interop;

namespace Millrace.Lab.Suites.Writes;

/// <summary>
/// Puts a folder's entries on the device, which the framework has no call for: without it a file that was renamed may have
/// its old name, or none, after a power failure.
/// </summary>
internal static class FolderFlush
{
    private const int Interrupted = 4; // EINTR

    /// <summary>Flushes a folder. Does nothing where the system has no such thing.</summary>
    /// <exception cref="IOException">The folder cannot be opened or flushed.</exception>
    public static void Flush(string folder)
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        using SafeFileHandle handle = LinuxFile.Open(folder, LinuxFile.OpenFolderFlags);
        if (handle.IsInvalid)
        {
            throw Failed(folder);
        }

        while (LinuxFile.FlushToDisk(handle) != 0)
        {
            if (Marshal.GetLastPInvokeError() != Interrupted)
            {
                throw Failed(folder);
            }
        }
    }

    private static IOException Failed(string folder) =>
        new($"The folder {folder} cannot be flushed: {new Win32Exception(Marshal.GetLastPInvokeError()).Message}.");
}
