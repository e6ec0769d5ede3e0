namespace Millrace.Lab.Results;

/// <summary>The cases of a run that have figures, without second copies: what targets, findings, advice and tables choose from.</summary>
internal sealed class MeasuredCases
{
    public MeasuredCases(LabResults results, bool onlyVerified = false)
    {
        Results = results;
        CaseResult[] measured = [.. results.Cases.Where(item => item is { Summary: not null, Role: null })];

        // Some systems do not report the page cache: there no case is verified, and all are used.
        All = onlyVerified && measured.Any(item => item.Verified) ? [.. measured.Where(item => item.Verified)] : measured;
    }

    public LabResults Results { get; }
    public IReadOnlyList<CaseResult> All { get; }

    public string? Baseline => All.FirstOrDefault(item => item.Baseline)?.Method;

    public IEnumerable<CaseResult> Of(string method) => All.Where(item => item.Method == method);

    public IEnumerable<CaseResult> Of(string method, Func<CaseParameters, bool> condition) =>
        All.Where(item => item.Method == method && condition(item.Parameters));

    public CaseResult? Find(string method, CaseParameters parameters) =>
        All.FirstOrDefault(item => item.Method == method && item.Parameters == parameters);

    /// <summary>
    /// The difference that is noise at these parameters, as a part of 1: how much a method differed
    /// from its second copy. 0 when that was not measured.
    /// </summary>
    public double NoiseOf(CaseParameters parameters, string? method = null) => Results.Noise
        .FirstOrDefault(noise => noise.Parameters == parameters && (method is null || noise.Method == method))?.Deviation ?? 0;
}
