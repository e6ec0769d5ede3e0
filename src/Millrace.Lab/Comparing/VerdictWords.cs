namespace Millrace.Lab.Comparing;

/// <summary>What a verdict can be.</summary>
internal static class VerdictWords
{
    /// <summary>Less time than the other, by more than the threshold.</summary>
    public const string Faster = "faster";

    /// <summary>More time than the other, by more than the threshold.</summary>
    public const string Slower = "slower";

    /// <summary>Less than the other, of what is no wall time.</summary>
    public const string Less = "less";

    /// <summary>More than the other, of what is no wall time.</summary>
    public const string More = "more";

    /// <summary>The difference is shown to be within the threshold.</summary>
    public const string Same = "same";

    /// <summary>Neither a difference nor its absence is shown.</summary>
    public const string Noise = "noise";

    /// <summary>There is not enough to say anything; the reason says what is missing.</summary>
    public const string TooLittleData = "too little data";

    /// <summary>Whether it names a difference.</summary>
    public static bool NamesDifference(string verdict) => verdict is Faster or Slower or Less or More;
}
