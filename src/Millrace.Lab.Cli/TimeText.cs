namespace Millrace.Lab.Cli;

/// <summary>Durations as people say them.</summary>
internal static class TimeText
{
    /// <summary>For example ", about 80 s left"; empty when unknown.</summary>
    public static string Left(TimeSpan? left) => left switch
    {
        null => "",
        { TotalMinutes: >= 3 } time => $", about {time.TotalMinutes:0} min left",
        { } time => $", about {Math.Max(0, time.TotalSeconds):0} s left",
    };
}
