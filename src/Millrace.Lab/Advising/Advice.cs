using System.Text.Encodings.Web;
using Millrace.Lab.Reporting;

namespace Millrace.Lab.Advising;

/// <summary>What results suggest: a statement with its evidence, what to do about it, and how to test it again.</summary>
/// <param name="Statement">The finding, in a sentence or two.</param>
/// <param name="Evidence">The figures that support it; empty only where nothing was measured.</param>
/// <param name="Claim">The published conclusion that is tested; null for advice of our own.</param>
internal sealed record Advice(
    string Topic,
    AdviceKind Kind,
    string Statement,
    IReadOnlyList<AdviceEvidence> Evidence,
    string Action,
    string? Code,
    string Check,
    TestedClaim? Claim = null)
{
    /// <summary>The topic of what reduces the value of the whole run.</summary>
    public const string Trust = "trust";

    [JsonIgnore]
    public bool IsAboutTrust => Topic == Trust;

    /// <summary>A heading: the published conclusion and whether it holds, or the statement.</summary>
    [JsonIgnore]
    public string Title => Claim is { } claim
        ? $"{claim.Says}: {AdviceText.Words(claim.Holds)}"
        : Statement;

    /// <summary>The evidence as sentences, each beginning with its case where it is about one.</summary>
    [JsonIgnore]
    public IEnumerable<string> EvidenceTexts =>
        Evidence.Select(item => item.Case is { } name ? $"{name}: {item.Text}" : item.Text);
}

/// <summary>How serious advice is; the order is that of the output.</summary>
internal enum AdviceKind
{
    /// <summary>The results cannot be used for their purpose.</summary>
    Error,

    /// <summary>The results are worth less than they look, or a method has a risk.</summary>
    Warning,
    Hint,
}

/// <param name="Case">The case as filters name it, "METHOD/PARAMETERS"; null where the figure is about the whole run.</param>
internal sealed record AdviceEvidence(string? Case, string Text)
{
    public AdviceEvidence(CaseResult item, string text)
        : this(Figures.Id(item), text)
    {
    }

    public AdviceEvidence(string text)
        : this((string?)null, text)
    {
    }
}

/// <summary>A published conclusion, and whether it holds on this machine.</summary>
internal sealed record TestedClaim(string Whose, string Source, string Says, Holds Holds, string Reason);

internal enum Holds
{
    Yes,

    /// <summary>In at least four of five comparisons, and the others contradict it by no more than their noise.</summary>
    Mostly,
    No,
    Inconclusive,
}

/// <summary>The advice from one run.</summary>
internal sealed record AdviceDocument(
    string Suite, string Machine, IReadOnlyList<Advice> Advice, IReadOnlyList<PublishedBeside> Published)
{
    public static string ToJson(LabResults results) => JsonSerializer.Serialize(
        new AdviceDocument(
            results.Suite, MachineIdentity.Describe(results.Machine), Advisor.Advise(results), PublishedBeside.Of(results)),
        AdviceJson.Readable.AdviceDocument);
}

/// <summary>What depends on the machine, for each suite with results of several.</summary>
internal sealed record MachinesDocument(IReadOnlyList<MachinesSideBySide> Machines)
{
    public static string ToJson(IReadOnlyList<MachinesSideBySide> suites) =>
        JsonSerializer.Serialize(new MachinesDocument(suites), AdviceJson.Readable.MachinesDocument);
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    UseStringEnumConverter = true,
    WriteIndented = true)]
[JsonSerializable(typeof(AdviceDocument))]
[JsonSerializable(typeof(MachinesDocument))]
internal sealed partial class AdviceJson : JsonSerializerContext
{
    // Without escapes for letters and signs that people read: this JSON is not embedded in a page.
    public static AdviceJson Readable => field ??= new AdviceJson(
        new JsonSerializerOptions(Default.AdviceDocument.Options) { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
}
