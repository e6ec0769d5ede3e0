namespace Millrace.Interop;

/// <summary>
/// The process' umask. <c>umask(2)</c> returns it only by changing it, for all threads; the kernel's description of the
/// process, Linux 4.7, does not. https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
/// </summary>
internal static class FileCreationMask
{
    private const string Field = "Umask:";

    /// <summary>The default of nearly every system, for systems that do not report it.</summary>
    private const UnixFileMode Usual = UnixFileMode.GroupWrite | UnixFileMode.OtherWrite;

    /// <summary>Asked every time: the process may change it.</summary>
    public static UnixFileMode Get()
    {
        if (!OperatingSystem.IsLinux())
        {
            return Usual;
        }

        try
        {
            foreach (string line in File.ReadLines("/proc/self/status"))
            {
                // The second line: the few hundred others are not read.
                if (line.StartsWith(Field, StringComparison.Ordinal))
                {
                    return (UnixFileMode)Convert.ToInt32(line[Field.Length..].Trim(), 8);
                }
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or FormatException)
        {
            // No /proc here.
        }

        return Usual;
    }
}
