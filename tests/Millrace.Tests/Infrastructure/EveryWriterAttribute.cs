using System.Reflection;
using Xunit.Sdk;

namespace Millrace.Tests.Infrastructure;

/// <summary>Runs a theory once for every <see cref="WriterKind"/>, given by its name.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class EveryWriterAttribute : DataAttribute
{
    /// <summary>Leaves out direct writers, which have their own blocks: a pool promises no alignment.</summary>
    public bool RentsFromPool { get; set; }

    public override IEnumerable<object[]> GetData(MethodInfo testMethod) => WriterKind.All
        .Where(kind => !RentsFromPool || !kind.Name.Contains("Direct", StringComparison.Ordinal))
        .Select(kind => new object[] { kind.Name });
}
