namespace Millrace.Lab.Meters;

/// <summary>An allocation that the runtime reported.</summary>
/// <param name="Time">When, UTC.</param>
/// <param name="Bytes">How large the object is, its header included.</param>
internal readonly record struct SampledObject(DateTime Time, double Bytes);
