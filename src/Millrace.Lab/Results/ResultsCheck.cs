namespace Millrace.Lab.Results;

internal static class ResultsCheck
{
    /// <summary>The first problem, beginning with the field; null when there is none.</summary>
    public static string? FirstProblem(LabResults results) =>
        Elements("cases", results.Cases)
        ?? Elements("noise", results.Noise)
        ?? Elements("bars", results.Targets)
        ?? Elements("launches", results.Launches)
        ?? Elements("meterCosts", results.MeterCosts)
        ?? Elements("absent", results.Absent)
        ?? Elements("warnings", results.Warnings)
        ?? Elements("meters", results.Meters.Values)
        ?? Elements("engine.runtimeSettings", results.Engine.RuntimeSettings.Values)
        ?? Number("durationSeconds", results.DurationSeconds)
        ?? results.Noise.Select((noise, index) => Noise($"noise[{index}]", noise)).FirstOrDefault(HasProblem)
        ?? results.Cases.Select((item, index) => Case($"cases[{index}]", item)).FirstOrDefault(HasProblem)
        ?? Twice(results);

    private static string? Case(string field, CaseResult item) =>
        (item.Samples is { } samples ? Samples($"{field}.samples", samples) : null)
        ?? (item.Summary is { } summary ? Summary($"{field}.summary", summary) : null)
        ?? (item.Verdicts is { } verdicts ? Elements($"{field}.verdicts", verdicts) : null)
        ?? (item.Unavailable is { } unavailable ? Elements($"{field}.unavailable", unavailable.Values) : null);

    private static string? Samples(string field, CaseSamples samples)
    {
        int count = samples.WallNs.Count;
        return Length("launch", samples.Launch) ?? Length("round", samples.Round)
            ?? samples.Counters().Select(counter => Length(counter.Name, counter.Values)).FirstOrDefault(HasProblem)
            ?? Numbers($"{field}.wallNs", samples.WallNs)
            ?? Numbers($"{field}.userCpuNs", samples.UserCpuNs)
            ?? Numbers($"{field}.systemCpuNs", samples.SystemCpuNs)
            ?? Numbers($"{field}.launch", samples.Launch)
            ?? Numbers($"{field}.round", samples.Round)
            ?? Indexes($"{field}.unverified", samples.Unverified, count);

        string? Length<T>(string name, IReadOnlyList<T>? list) => list is null || list.Count == count
            ? null
            : $"{field}.{name} has {list.Count} entries and {field}.wallNs {count}";
    }

    private static string? Summary(string field, CaseSummary summary) =>
        Number($"{field}.wallNs.median", summary.WallNs.Median)
        ?? Number($"{field}.wallNs.p25", summary.WallNs.P25)
        ?? Number($"{field}.wallNs.p75", summary.WallNs.P75)
        ?? Number($"{field}.ratio", summary.Ratio)
        ?? Number($"{field}.medianRatio", summary.MedianRatio)
        ?? Number($"{field}.floorRatio", summary.FloorRatio)
        ?? Number($"{field}.mibPerSecond", summary.MibPerSecond)
        ?? Number($"{field}.allocatedBytes", summary.AllocatedBytes)
        ?? Number($"{field}.systemCalls", summary.SystemCalls)
        ?? (summary.Distributions is { } others ? Elements($"{field}.distributions", others.Values) : null);

    private static string? Noise(string field, NoiseResult noise) =>
        Number($"{field}.medianRatio", noise.MedianRatio) ?? Number($"{field}.deviation", noise.Deviation);

    // A case is identified by these three; a second one would be compared with the wrong samples.
    private static string? Twice(LabResults results) => results.Cases
        .Select((item, index) => (Key: (item.Method, item.Role, item.Parameters), Index: index))
        .GroupBy(item => item.Key)
        .Where(group => group.Count() > 1)
        .Select(group => $"cases[{group.ElementAt(1).Index}] is {group.Key.Method} {group.Key.Parameters.Describe()} once more, "
            + $"as cases[{group.First().Index}] is")
        .FirstOrDefault();

    private static string? Elements<T>(string field, IEnumerable<T> list)
        where T : class
    {
        int index = 0;
        foreach (T? element in list)
        {
            if (element is null)
            {
                return $"{field}[{index}] is null";
            }

            index++;
        }

        return null;
    }

    private static string? Numbers<T>(string field, IReadOnlyList<T> numbers)
        where T : struct, IConvertible
    {
        for (int i = 0; i < numbers.Count; i++)
        {
            if (Number($"{field}[{i}]", Convert.ToDouble(numbers[i], null)) is { } problem)
            {
                return problem;
            }
        }

        return null;
    }

    private static string? Number(string field, double? number) =>
        number is { } value && (!double.IsFinite(value) || value < 0) ? $"{field} has the invalid value {value}" : null;

    private static string? Indexes(string field, IReadOnlyList<int>? indexes, int count)
    {
        foreach (int index in indexes ?? [])
        {
            if (index < 0 || index >= count)
            {
                return $"{field} refers to sample {index} of {count}";
            }
        }

        return null;
    }

    private static bool HasProblem(string? problem) => problem is not null;
}
