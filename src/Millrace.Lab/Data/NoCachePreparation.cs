using Millrace.Lab.Running;

namespace Millrace.Lab.Data;

/// <summary>No state at all, for a warm-up, whose times nobody keeps.</summary>
internal sealed class NoCachePreparation : IIterationState
{
    public static readonly NoCachePreparation Instance = new();

    /// <inheritdoc/>
    public string? Prepare(LabCase labCase) => null;
}
