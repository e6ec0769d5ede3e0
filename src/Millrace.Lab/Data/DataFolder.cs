namespace Millrace.Lab.Data;

internal static class DataFolder
{
    /// <summary>The user's cache folder: on a disk, where temporary folders are often in memory and have no cache to be cold.</summary>
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

/// <summary>Keeps a second run from rewriting the files that a first one measures.</summary>
internal sealed class DataFolderLock : IDisposable
{
    private readonly FileStream _file;

    private DataFolderLock(FileStream file) => _file = file;

    /// <summary>Makes the folder if need be and takes it.</summary>
    /// <exception cref="LabException">Another run has it, or it cannot be made.</exception>
    public static DataFolderLock Take(string folder)
    {
        try
        {
            Directory.CreateDirectory(folder);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException(
                $"The folder for test files {folder} cannot be made: {exception.Message} Name another one with --data.",
                exception);
        }

        string path = Path.Combine(folder, "lab.lock");
        try
        {
            return new DataFolderLock(new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException(
                $"{path} cannot be locked: {exception.Message} If another run of the laboratory is using the folder, wait "
                + "for it (two at once would measure each other) or name another folder with --data.",
                exception);
        }
    }

    public void Dispose() => _file.Dispose();
}
