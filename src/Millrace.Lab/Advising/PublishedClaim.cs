namespace Millrace.Lab.Advising;

/// <summary>A conclusion that others published.</summary>
/// <param name="Whose">The title of the original.</param>
/// <param name="Source">Its address.</param>
/// <param name="Says">What it concluded, in our words, with its figures.</param>
/// <param name="Holds">Whether that holds on this machine.</param>
/// <param name="Reason">Why.</param>
internal sealed record PublishedClaim(string Whose, string Source, string Says, Holds Holds, string Reason);
