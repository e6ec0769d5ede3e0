namespace Millrace.Lab.Results;

/// <summary>What one meter costs.</summary>
/// <param name="Meter">What is read, for example "getrusage".</param>
/// <param name="Nanoseconds">Median of how long it takes, or how much longer it makes what it measures.</param>
/// <param name="Per">"reading" for meters that are read before and after an invocation, "system call" for those that slow calls.</param>
/// <param name="Where">Whether that is inside the measured time: "outside the measured time", "in a pass of its own".</param>
internal sealed record MeterCost(string Meter, double Nanoseconds, string Per, string Where);
