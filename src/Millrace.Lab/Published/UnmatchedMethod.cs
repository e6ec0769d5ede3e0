namespace Millrace.Lab.Published;

/// <summary>A method that the laboratory has no row for.</summary>
/// <param name="Method">Its published name.</param>
/// <param name="Reason">Why not, and what comes near.</param>
internal sealed record UnmatchedMethod(string Method, string Reason);
