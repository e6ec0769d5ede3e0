namespace Millrace.Tests.Scanning;

/// <summary>How the records of a <see cref="ScanCase"/> are separated.</summary>
internal enum BoundaryKind
{
    /// <summary>By nothing: every byte is one.</summary>
    Anywhere,

    /// <summary>A byte ends each.</summary>
    Delimiter,

    /// <summary>They have one length.</summary>
    Size,

    /// <summary>A predicate knows the bytes that each begins with.</summary>
    Mark,

    /// <summary>A predicate goes by the offset alone.</summary>
    Place,
}
