using System.Reflection;
using Xunit.Sdk;

namespace Millrace.Tests.Sequences;

/// <summary>Runs a theory once for every source, with its name as the argument.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class EverySourceAttribute : DataAttribute
{
    /// <summary>Only sources where bytes that a walk did not take are there for the next one.</summary>
    public bool KeepsTheRest { get; init; }

    /// <summary>Only sources that are read more than once; a sequence comes with one read, and with its end.</summary>
    public bool ComesInPieces { get; init; }

    public override IEnumerable<object[]> GetData(MethodInfo testMethod) =>
        from name in ByteSources.Names
        where !KeepsTheRest || name != "Stream of pieces"
        where !ComesInPieces || name != "PipeReader.Create(ReadOnlySequence)"
        select new object[] { name };
}
