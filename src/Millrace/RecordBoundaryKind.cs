namespace Millrace;

/// <summary>What a <see cref="RecordBoundary"/> goes by.</summary>
internal enum RecordBoundaryKind
{
    /// <summary>One after every byte: the value of a boundary that nobody set.</summary>
    None,

    /// <summary>A byte that ends a record.</summary>
    Delimiter,

    /// <summary>Records of one length.</summary>
    FixedSize,

    /// <summary>A predicate of the caller's.</summary>
    Predicate,
}
