namespace Millrace.Lab.Advising;

/// <summary>How the time of one case is to that of another.</summary>
internal enum Relation
{
    /// <summary>Less, by more than the noise.</summary>
    Faster,

    /// <summary>Not apart by more than the noise.</summary>
    Same,

    /// <summary>More, by more than the noise.</summary>
    Slower,

    /// <summary>The results say that they have too little data.</summary>
    Unknown,
}
