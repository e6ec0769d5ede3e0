namespace Millrace.Lab.Results;

/// <summary>A field in which two machines differ.</summary>
/// <param name="Field">Its name in results.json.</param>
/// <param name="First">The first's.</param>
/// <param name="Second">The second's.</param>
/// <param name="IsAnotherMachine">Whether it makes another machine of it; otherwise the same machine was changed.</param>
internal sealed record MachineDifference(string Field, string First, string Second, bool IsAnotherMachine)
{
    /// <inheritdoc/>
    public override string ToString() => $"{Field}: {First} / {Second}";
}
