using Xunit.Abstractions;
using Xunit.Sdk;

namespace Millrace.Testing;

/// <summary>A fact that is skipped with a reason where something is missing; <c>--filter Needs=Curl</c> finds those of one need.</summary>
[AttributeUsage(AttributeTargets.Method)]
[TraitDiscoverer("Millrace.Testing.NeedTraits", "Millrace.Testing")]
public sealed class NeedsFactAttribute : FactAttribute, ITraitAttribute
{
    /// <param name="needs">The test's requirements.</param>
    /// <param name="wine">With <see cref="Need.Wine"/>, and only then: why Wine cannot run the test, as the rest of a sentence about it.</param>
    public NeedsFactAttribute(Need needs, string? wine = null) => Skip = Needs.Missing(needs, wine)!;
}

/// <summary>The same for a theory.</summary>
[AttributeUsage(AttributeTargets.Method)]
[TraitDiscoverer("Millrace.Testing.NeedTraits", "Millrace.Testing")]
public sealed class NeedsTheoryAttribute : TheoryAttribute, ITraitAttribute
{
    /// <inheritdoc cref="NeedsFactAttribute(Need, string?)"/>
    public NeedsTheoryAttribute(Need needs, string? wine = null) => Skip = Needs.Missing(needs, wine)!;
}

/// <summary>Gives a test one trait <c>Needs</c> for each of its needs.</summary>
public sealed class NeedTraits : ITraitDiscoverer
{
    public IEnumerable<KeyValuePair<string, string>> GetTraits(IAttributeInfo traitAttribute)
    {
        var needs = (Need)traitAttribute.GetConstructorArguments().First();
        return Enum.GetValues<Need>().Where(need => need != Need.None && needs.HasFlag(need))
            .Select(need => KeyValuePair.Create("Needs", need.ToString()));
    }
}
