
namespace Millrace.Lab.Comparing;

/// <summary>A case that two runs have.</summary>
/// <param name="Reference">In the reference.</param>
/// <param name="Other">In the other run.</param>
/// <param name="IsSelected">Whether the user asked for it; the others still tell how the machine drifted.</param>
internal sealed record CasePair(CaseResult Reference, CaseResult Other, bool IsSelected);
