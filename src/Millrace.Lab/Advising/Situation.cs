
namespace Millrace.Lab.Advising;

/// <summary>Cases that differ in method and buffer only.</summary>
internal sealed class Situation
{
    /// <summary>Takes the cases and what they have in common.</summary>
    public Situation(CaseParameters parameters, IReadOnlyList<CaseResult> cases)
    {
        Parameters = parameters;
        Cases = cases;
    }

    /// <summary>What they have in common; without a buffer.</summary>
    public CaseParameters Parameters { get; }

    /// <summary>The cases.</summary>
    public IReadOnlyList<CaseResult> Cases { get; }

    /// <summary>Whether the file was not in the page cache.</summary>
    public bool IsCold => Parameters.Cache == "cold";

    /// <summary>For example "128 MiB, hot" or "http, random, 128 MiB, hot".</summary>
    public string Name => string.Join(", ", new[]
    {
        Parameters.Source,
        Parameters.Content,
        Parameters.File is { } file ? Path.GetFileName(file) : null,
        Parameters.Bytes is { } bytes ? ByteSize.ToText(bytes) : null,
        Parameters.Cache,
    }.OfType<string>());

    /// <summary>What is read: "file" or "response".</summary>
    public string Thing => Parameters.Source == "http" ? "response" : "file";

    /// <summary>The methods, each once.</summary>
    public IEnumerable<string> Methods => Cases.Select(item => item.Method).Distinct();

    /// <summary>The cases of a method by ascending buffer.</summary>
    public IReadOnlyList<CaseResult> Of(string method) =>
        [.. Cases.Where(item => item.Method == method).OrderBy(item => item.Parameters.Buffer)];

    /// <summary>The fastest case of a method; null when it was not measured.</summary>
    public CaseResult? Best(string method) => Cases.Where(item => item.Method == method).MinBy(Figures.Median);

    /// <summary>The fastest case of each method, the fastest first.</summary>
    public IReadOnlyList<CaseResult> BestOfEach() => [.. Methods.Select(Best).OfType<CaseResult>().OrderBy(Figures.Median)];
}
