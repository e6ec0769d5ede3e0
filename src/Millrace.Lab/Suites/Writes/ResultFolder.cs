using Microsoft.Win32.SafeHandles;

namespace Millrace.Lab.Suites.Writes;

/// <summary>The folder that all methods write to: one that belongs to the laboratory, in which nothing stays.</summary>
internal static class ResultFolder
{
    private const string Name = "millrace-writes";
    private const string Result = "result.bin";

    public static string In(string data) => Path.Combine(data, Name);

    public static string FileIn(string folder) => Path.Combine(folder, Result);

    /// <summary>Makes the folder if it is missing, and removes every file in it.</summary>
    /// <remarks>
    /// When a file is removed, the kernel forgets its unwritten bytes: nothing is left that would be written to the
    /// device while the next case is measured, without the time that a flush would take.
    /// </remarks>
    public static void Clear(string folder)
    {
        Directory.CreateDirectory(folder);
        foreach (string file in Directory.EnumerateFiles(folder))
        {
            File.Delete(file);
        }
    }

    /// <summary>
    /// Puts the folder's entries on the device: without that, a file that was renamed may have its old name, or none, after a
    /// power failure. Does nothing where the system has no such call.
    /// </summary>
    public static void FlushToDisk(string folder)
    {
        if (OperatingSystem.IsLinux())
        {
            // The framework flushes folders as it does files, but does not open them.
            using SafeFileHandle handle = LinuxFile.Open(folder, LinuxFile.OpenFolderFlags.Here);
            RandomAccess.FlushToDisk(handle);
        }
    }
}
