namespace Millrace.Lab.Advising;

/// <summary>A figure that advice rests on.</summary>
/// <param name="Case">The case as filters name it, "METHOD/PARAMETERS"; null where it is about the whole run.</param>
/// <param name="Text">The figure in words.</param>
internal sealed record AdviceEvidence(string? Case, string Text);
