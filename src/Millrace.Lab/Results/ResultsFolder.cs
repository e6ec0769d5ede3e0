namespace Millrace.Lab.Results;

/// <summary>Stored runs, oldest first, and what could not be read: a damaged file does not hide the others.</summary>
internal sealed record ResultsFolder(IReadOnlyList<StoredRun> Runs, IReadOnlyList<string> Problems)
{
    private static readonly EnumerationOptions Everywhere = new() { RecurseSubdirectories = true, IgnoreInaccessible = true };

    /// <summary>Reads one run: a file, a folder with results.json, or a folder with one such folder per suite.</summary>
    public static ResultsFolder ReadRun(string path) => Read(path, $"a {ResultsFile.Name} or the folder that a run wrote", folder =>
        ResultsFile.In(folder) is { } file ? [file] : Directory.EnumerateDirectories(folder).Select(ResultsFile.In).OfType<string>());

    /// <summary>Reads every JSON file, packed or not, in a folder and all folders in it.</summary>
    public static ResultsFolder ReadAll(string path) => Read(
        path, "a folder that holds results", folder => Directory.EnumerateFiles(folder, "*", Everywhere).Where(file =>
            file.EndsWith(".json", StringComparison.OrdinalIgnoreCase) || file.EndsWith(".json.gz", StringComparison.OrdinalIgnoreCase)));

    private static ResultsFolder Read(string path, string what, Func<string, IEnumerable<string>> find)
    {
        if (!File.Exists(path) && !Directory.Exists(path))
        {
            return new ResultsFolder([], [$"{path} does not exist. Name {what}."]);
        }

        string[] files;
        try
        {
            files = File.Exists(path) ? [path] : [.. find(path).Order(StringComparer.Ordinal)];
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return new ResultsFolder([], [$"{path} cannot be read: {exception.Message}"]);
        }

        List<StoredRun> runs = [];
        List<string> problems = files.Length > 0 ? [] : [$"{path} holds no {ResultsFile.Name}, nor do the folders in it."];
        foreach (string file in files)
        {
            try
            {
                runs.Add(new StoredRun(file, ResultsFile.Read(file)));
            }
            catch (LabException exception)
            {
                problems.Add(exception.Message);
            }
        }

        return new ResultsFolder([.. runs.OrderBy(run => run.Results.Started)], problems);
    }
}

internal sealed record StoredRun(string Path, LabResults Results);
