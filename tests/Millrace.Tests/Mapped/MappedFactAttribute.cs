namespace Millrace.Tests.Mapped;

/// <summary>A fact about files that are really mapped, skipped where they are read instead.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class MappedFactAttribute : FactAttribute
{
    public MappedFactAttribute(Need needs = Need.Native) => Skip = Mapping.Missing(needs)!;
}

/// <summary>The same for a theory.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class MappedTheoryAttribute : TheoryAttribute
{
    public MappedTheoryAttribute(Need needs = Need.Native) => Skip = Mapping.Missing(needs)!;
}
