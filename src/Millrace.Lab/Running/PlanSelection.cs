namespace Millrace.Lab.Running;

/// <summary>Takes of a suite's plan what the user asked for.</summary>
internal static class PlanSelection
{
    /// <summary>Selects and numbers.</summary>
    /// <param name="plan">All cases of the mode.</param>
    /// <param name="options">The filters, and whether every method is measured against itself.</param>
    /// <exception cref="NoCaseException">Nothing is left.</exception>
    public static IReadOnlyList<TCase> Select<TCase>(IReadOnlyList<TCase> plan, LabOptions options)
        where TCase : PlannedCase
    {
        if (options.AgainstItself)
        {
            plan = TwiceEach(plan);
        }

        var filter = new CaseFilter(options.Filters);
        TCase[] selected =
        [
            .. plan.Where(entry =>
            {
                // Who names a method of which every copy is measured means both.
                string name = options.AgainstItself ? entry.Method : entry.Name;
                return filter.Selects(name, $"{name}/{entry.Parameters.Describe()}");
            }),
        ];
        return selected.Length > 0
            ? [.. selected.Select((entry, index) => entry with { Plan = index })]
            : throw new NoCaseException(
                $"No case matches --filter {string.Join(' ', options.Filters)}. Cases are named like "
                + $"\"{plan[0].Method}\" (a method) or \"{plan[0].Name}/{plan[0].Parameters.Describe()}\" (one case); "
                + "* stands for any text.");
    }

    // Every method against itself. The baseline has its second copy anyway.
    private static TCase[] TwiceEach<TCase>(IReadOnlyList<TCase> plan)
        where TCase : PlannedCase =>
    [
        .. plan.Where(entry => entry.Role is null)
            .SelectMany(entry => new[] { entry, entry with { Role = LabCase.NoiseRole } }),
    ];
}
