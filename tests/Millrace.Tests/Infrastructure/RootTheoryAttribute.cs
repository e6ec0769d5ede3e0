namespace Millrace.Tests.Infrastructure;

/// <summary>The same as <see cref="RootFactAttribute"/> for a theory.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class RootTheoryAttribute : TheoryAttribute
{
    public RootTheoryAttribute() => Skip = new RootFactAttribute().Skip;
}
