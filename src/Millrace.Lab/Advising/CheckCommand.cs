namespace Millrace.Lab.Advising;

/// <summary>The command that measures some methods again.</summary>
internal static class CheckCommand
{
    // More than these are nearly all methods, and make a command too long to read.
    private const int MaxFilters = 5;

    /// <summary>In the same mode, on the same file.</summary>
    public static string Again(LabResults results, params IEnumerable<string> methods) => Make(results, ModeOf(results), methods);

    /// <summary>In the same mode, by filters that name the cases and their references.</summary>
    public static string Cases(LabResults results, params IEnumerable<string> filters) =>
        $"millrace lab {results.Suite}{ModeOf(results)}" + Filters(filters);

    /// <summary>With everything that only full mode measures.</summary>
    public static string Full(LabResults results, params IEnumerable<string> methods) => Make(results, " --full", methods);

    private static string Make(LabResults results, string mode, IEnumerable<string> methods)
    {
        string? file = results.Cases.Select(item => item.Parameters.File).FirstOrDefault(path => path is not null);

        // A suite may have a baseline for each kind of content: prefer one that was asked for.
        string[] baselines = [.. results.Cases.Where(item => item.Baseline).Select(item => item.Method).Distinct()];
        string? baseline = baselines.FirstOrDefault(name => methods.Contains(name)) ?? baselines.FirstOrDefault();

        // The star also selects the second copy, which the noise needs.
        string[] filters =
        [
            .. methods.Where(method => method != baseline)
                .Concat(methods.Any() && baseline is not null ? [baseline + "*"] : [])
                .Distinct(),
        ];
        return $"millrace lab {results.Suite}{mode}"
            + (file is null ? "" : $" --file \"{file}\"")
            + (filters.Length > MaxFilters ? "" : Filters(filters));
    }

    private static string ModeOf(LabResults results) => results.Mode == "full" ? " --full" : "";

    private static string Filters(IEnumerable<string> filters) => string.Concat(filters.Select(filter => $" --filter \"{filter}\""));
}
