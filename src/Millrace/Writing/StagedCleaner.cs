using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Writing;

/// <summary>Finds and removes staged files of writers that are no more.</summary>
internal static class StagedCleaner
{
    public static int Clean(string folder)
    {
        int removed = 0;
        try
        {
            foreach (string path in Directory.EnumerateFiles(folder, StagedName.Pattern, Options))
            {
                if (StagedName.Is(Path.GetFileName(path.AsSpan())) && TryRemove(path))
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
        AttributesToSkip = FileAttributes.ReparsePoint | FileAttributes.Directory,
        IgnoreInaccessible = false,
        MatchType = MatchType.Simple,
        MatchCasing = MatchCasing.CaseSensitive,
    };

    private static bool TryRemove(string path)
    {
        try
        {
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
