using Millrace.Lab.Results;

namespace Millrace.Lab.Advising;

/// <summary>
/// Results without gaps: the deserializer leaves lists that an older file lacks null, whatever their declared default.
/// </summary>
internal static class CompleteResults
{
    /// <summary>The same results with an empty list for each that is missing.</summary>
    public static LabResults Of(LabResults results) => results with
    {
        Launches = results.Launches ?? [],
        Absent = results.Absent ?? [],
        Warnings = results.Warnings ?? [],
        Noise = results.Noise ?? [],
        Engine = results.Engine with
        {
            RuntimeSettings = results.Engine.RuntimeSettings ?? new Dictionary<string, string>(),
        },
    };
}
