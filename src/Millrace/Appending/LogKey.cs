namespace Millrace.Appending;

/// <summary>Tells one file from every other: by device and inode, or by its full path where there are none.</summary>
/// <param name="Device">The device's number; 0 portably.</param>
/// <param name="Inode">The file's number on the device; 0 portably.</param>
/// <param name="Path">The full path portably; else empty.</param>
internal readonly record struct LogKey(ulong Device, ulong Inode, string Path)
{
    /// <summary>By path, as the system compares names.</summary>
    public static LogKey Of(string path)
    {
        string full = System.IO.Path.GetFullPath(path);
        return new LogKey(0, 0, OperatingSystem.IsWindows() ? full.ToUpperInvariant() : full);
    }
}
