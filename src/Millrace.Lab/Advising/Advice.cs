using System.Text.Json.Serialization;

namespace Millrace.Lab.Advising;

/// <summary>What results suggest: a statement with its evidence, what to do about it, and how to test it again.</summary>
internal sealed record Advice
{
    /// <summary>What it is about, for example "buffer".</summary>
    public required string Topic { get; init; }

    /// <summary>How serious it is.</summary>
    public required AdviceKind Kind { get; init; }

    /// <summary>What was found, in a sentence or two.</summary>
    public required string Statement { get; init; }

    /// <summary>The figures that it rests on; empty only where nothing was measured.</summary>
    public required IReadOnlyList<AdviceEvidence> Evidence { get; init; }

    /// <summary>What to do.</summary>
    public required string Action { get; init; }

    /// <summary>Lines of C# that do it; null where code is not the answer.</summary>
    public string? Code { get; init; }

    /// <summary>The command that tests it again.</summary>
    public required string Check { get; init; }

    /// <summary>The published conclusion that is tested; null for advice of our own.</summary>
    public PublishedClaim? Claim { get; init; }

    /// <summary>A heading: the published conclusion and whether it holds, or the statement.</summary>
    [JsonIgnore]
    public string Title => Claim is { } claim ? $"{claim.Says}: {HoldsText.Of(claim.Holds)}" : Statement;

    /// <summary>The evidence as sentences, each beginning with its case where it is about one.</summary>
    [JsonIgnore]
    public IEnumerable<string> EvidenceTexts =>
        Evidence.Select(item => item.Case is { } name ? $"{name}: {item.Text}" : item.Text);
}
