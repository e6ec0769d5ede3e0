namespace Millrace.Lab.Advising;

/// <summary>Says whether a conclusion holds.</summary>
internal static class HoldsText
{
    /// <summary>"holds here", "does not hold here" or "cannot be told".</summary>
    public static string Of(Holds holds) => holds switch
    {
        Holds.Yes => "holds here",
        Holds.No => "does not hold here",
        _ => "cannot be told",
    };
}
