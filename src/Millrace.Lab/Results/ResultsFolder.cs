namespace Millrace.Lab.Results;

internal sealed record ResultsFolder
{
    private static readonly EnumerationOptions Everywhere = new() { RecurseSubdirectories = true, IgnoreInaccessible = true };

    private ResultsFolder(IReadOnlyList<StoredRun> runs, IReadOnlyList<string> problems)
    {
        Runs = runs;
        Problems = problems;
    }

    public IReadOnlyList<StoredRun> Runs { get; }
    public IReadOnlyList<string> Problems { get; }

    /// <summary>Reads one run: a file, a folder with results.json, or a folder with one such folder per suite.</summary>
    /// <exception cref="LabException">There is nothing that could be read, usable or not.</exception>
    public static ResultsFolder ReadRun(string path)
    {
        if (File.Exists(path))
        {
            return Read([path]);
        }

        if (!Directory.Exists(path))
        {
            throw new LabException($"{path} does not exist. Name a {ResultsFile.Name} or the folder that a run wrote.");
        }

        string own = Path.Combine(path, ResultsFile.Name);
        string[] files = File.Exists(own)
            ? [own]
            : [.. Folders(path).Select(folder => Path.Combine(folder, ResultsFile.Name)).Where(File.Exists)];
        return files.Length > 0
            ? Read(files)
            : throw new LabException($"{path} holds no {ResultsFile.Name}, nor do the folders in it.");
    }

    /// <summary>Reads every JSON file in a folder and all folders in it.</summary>
    /// <exception cref="LabException">There is none.</exception>
    public static ResultsFolder ReadAll(string folder)
    {
        if (File.Exists(folder))
        {
            return Read([folder]);
        }

        if (!Directory.Exists(folder))
        {
            throw new LabException($"{folder} does not exist. Name a folder that holds results.");
        }

        string[] files = [.. Directory.EnumerateFiles(folder, "*.json", Everywhere).Order(StringComparer.Ordinal)];
        return files.Length > 0 ? Read(files) : throw new LabException($"{folder} holds no {ResultsFile.Name}, nor do the folders in it.");
    }

    private static ResultsFolder Read(IEnumerable<string> files)
    {
        List<StoredRun> runs = [];
        List<string> problems = [];
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

    private static string[] Folders(string path)
    {
        try
        {
            return [.. Directory.EnumerateDirectories(path).Order(StringComparer.Ordinal)];
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException($"{path} cannot be read: {exception.Message}", exception);
        }
    }
}

internal sealed record StoredRun(string Path, LabResults Results);
