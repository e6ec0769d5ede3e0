using System.Reflection;
using Xunit.Sdk;

namespace Millrace.Tests.Infrastructure;

/// <summary>Runs a theory once for every <see cref="WriterKind"/>, given by its name.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class EveryWriterAttribute : DataAttribute
{
    public override IEnumerable<object[]> GetData(MethodInfo testMethod) =>
        WriterKind.All.Select(kind => new object[] { kind.Name });
}
