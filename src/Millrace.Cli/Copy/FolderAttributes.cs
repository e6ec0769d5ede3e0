namespace Millrace.Cli.Copy;

/// <summary>Permissions and times of folders, which are set when nothing more is put into them.</summary>
internal static class FolderAttributes
{
    /// <summary>Gives them what their sources have, as far as it was asked for. Innermost first: a folder may become read-only.</summary>
    public static void Keep(List<CopyItem> items, FileCopyOptions options)
    {
        foreach (CopyItem item in Enumerable.Reverse(items).Where(item => item.Kind == CopyItemKind.Folder))
        {
            if (!Directory.Exists(item.Destination))
            {
                // It could not be made, and somebody was told.
                continue;
            }

            if (options.PreserveTimes)
            {
                Directory.SetLastAccessTimeUtc(item.Destination, Directory.GetLastAccessTimeUtc(item.Source));
                Directory.SetLastWriteTimeUtc(item.Destination, Directory.GetLastWriteTimeUtc(item.Source));
            }

            if (options.PreserveMode && !OperatingSystem.IsWindows())
            {
                File.SetUnixFileMode(item.Destination, File.GetUnixFileMode(item.Source));
            }
        }
    }
}
