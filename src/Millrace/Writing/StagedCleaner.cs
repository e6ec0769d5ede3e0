using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Writing;

/// <summary>Finds and removes staged files of writers that are no more, and links that did not get their names.</summary>
internal static class StagedCleaner
{
    public static int Clean(string folder)
    {
        int removed = 0;
        try
        {
            foreach (FileSystemInfo entry in new DirectoryInfo(folder).EnumerateFileSystemInfos(StagedName.Pattern, Options))
            {
                if (StagedName.Is(entry.Name) && TryRemove(entry))
                {
                    removed++;
                }
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw WriteErrors.Describe(
                "clean up", folder, 0, SystemError.Kind(exception, FilePipeError.Failed), exception);
        }

        return removed;
    }

    private static EnumerationOptions Options { get; } = new()
    {
        AttributesToSkip = FileAttributes.None,
        IgnoreInaccessible = false,
        MatchType = MatchType.Simple,
        MatchCasing = MatchCasing.CaseSensitive,
    };

    private static bool TryRemove(FileSystemInfo entry)
    {
        try
        {
            string path = entry.FullName;
            if (!OperatingSystem.IsWindows() && entry.LinkTarget is not null)
            {
                // Not followed. If it is still to be renamed, SymbolicLink.Create makes it again.
                File.Delete(path);
                return true;
            }

            if (entry.Attributes.HasFlag(FileAttributes.ReparsePoint) || entry is not FileInfo)
            {
                return false;
            }

            // Alone with the file, or not at all: its writer holds it shared.
            using SafeFileHandle alone = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
            if (OperatingSystem.IsWindows())
            {
                alone.Dispose();
            }

            File.Delete(path);
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // In use, or gone, or published in between.
            return false;
        }
    }
}
