namespace Millrace.Lab.Results;

/// <summary>Cases that were not measured.</summary>
/// <param name="What">Which ones.</param>
/// <param name="Reason">Why.</param>
internal sealed record AbsentCases(string What, string Reason);
