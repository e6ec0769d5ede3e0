namespace Millrace.Lab.Data;

/// <summary>Where the laboratory keeps the files that it makes.</summary>
public static class DataFolder
{
    /// <summary>
    /// The user's cache folder: on a disk, where temporary folders are often in memory and have no cache to be cold.
    /// </summary>
    public static string Default
    {
        get
        {
            if (OperatingSystem.IsWindows())
            {
                return Path.Combine(
                    Environment.GetFolderPath(Environment.SpecialFolder.LocalApplicationData), "Millrace");
            }

            string home = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);
            if (OperatingSystem.IsMacOS())
            {
                return Path.Combine(home, "Library", "Caches", "millrace");
            }

            string? cache = Environment.GetEnvironmentVariable("XDG_CACHE_HOME");
            return Path.Combine(Path.IsPathRooted(cache) ? cache : Path.Combine(home, ".cache"), "millrace");
        }
    }
}
