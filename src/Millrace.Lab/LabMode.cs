namespace Millrace.Lab;

/// <summary>How much a suite measures.</summary>
public enum LabMode
{
    /// <summary>What answers the main questions, within three minutes.</summary>
    Quick,

    /// <summary>Every method with every parameter, as long as it takes.</summary>
    Full,
}
