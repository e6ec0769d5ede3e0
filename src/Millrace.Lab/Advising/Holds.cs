namespace Millrace.Lab.Advising;

/// <summary>Whether a published conclusion holds on this machine.</summary>
internal enum Holds
{
    /// <summary>All that was measured agrees.</summary>
    Yes,

    /// <summary>Something that was measured contradicts it.</summary>
    No,

    /// <summary>What it needs was not measured.</summary>
    CannotBeTold,
}
