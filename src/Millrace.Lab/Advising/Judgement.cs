namespace Millrace.Lab.Advising;

/// <summary>How two cases compare.</summary>
/// <param name="Relation">Which is faster, or that it cannot be told.</param>
/// <param name="Ratio">The first one's time by the second one's.</param>
/// <param name="Noise">Differences up to this, as a part of 1, are noise.</param>
internal sealed record Judgement(Relation Relation, double Ratio, double Noise);
