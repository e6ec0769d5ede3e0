namespace Millrace.Lab.Suites.Writes;

/// <summary>Whether files can be written here in the way that a case is named after.</summary>
internal static class StrategyProbe
{
    /// <summary>Why not; null when they can, or when the case promises no way.</summary>
    public static string? WhyNot(WritesCase entry)
    {
        if (entry.Strategy is not { } strategy)
        {
            return null;
        }

        Directory.CreateDirectory(entry.Folder);
        Durability durability = entry.IsDurable ? Durability.OnCommit : Durability.None;
        using FilePipeWriter writer = FilePipe.Create(
            ResultFolder.FileIn(entry.Folder), new FileWriteOptions { Strategy = strategy, Durability = durability });
        return writer.Strategy == strategy
            ? null
            : $"files are written {writer.Strategy} here when {strategy} is asked for: {writer.StrategyReason}";
    }
}
