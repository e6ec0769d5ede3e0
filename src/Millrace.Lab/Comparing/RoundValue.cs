namespace Millrace.Lab.Comparing;

/// <summary>A case's value in one round: the median of its samples there.</summary>
/// <param name="Launch">Index of the process.</param>
/// <param name="Round">Index of the round in it.</param>
/// <param name="Value">The value, in the metric's unit.</param>
internal readonly record struct RoundValue(int Launch, int Round, double Value);
