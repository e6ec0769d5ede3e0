using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Whether a file is a program: one bit, as git keeps it, because users and groups differ from machine to machine. Every user who may
/// read such a file may run it, so the umask under which it was created decides.
/// </summary>
internal static class ExecutableBit
{
    private const UnixFileMode Run = UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute;

    /// <summary>Whether its owner may run a file; null on Windows, and if nothing has the name.</summary>
    public static bool? Of(string path)
    {
        try
        {
            return OperatingSystem.IsWindows() ? null : File.GetUnixFileMode(path).HasFlag(UnixFileMode.UserExecute);
        }
        catch (IOException)
        {
            return null;
        }
    }

    /// <summary>Sets it of an open file. Does nothing on Windows.</summary>
    public static void Set(SafeFileHandle file, bool isExecutable)
    {
        if (!OperatingSystem.IsWindows() && File.GetUnixFileMode(file) is var mode && With(mode, isExecutable) is var wanted && wanted != mode)
        {
            File.SetUnixFileMode(file, wanted);
        }
    }

    /// <summary>Sets it of a file. Does nothing on Windows.</summary>
    public static void Set(string path, bool isExecutable)
    {
        if (!OperatingSystem.IsWindows() && File.GetUnixFileMode(path) is var mode && With(mode, isExecutable) is var wanted && wanted != mode)
        {
            File.SetUnixFileMode(path, wanted);
        }
    }

    private static UnixFileMode With(UnixFileMode mode, bool isExecutable)
    {
        // The bit to run is two below that to read.
        UnixFileMode readers = (UnixFileMode)(((int)mode >> 2) & (int)Run);
        return isExecutable ? mode | readers | UnixFileMode.UserExecute : mode & ~Run;
    }
}
