using System.Reflection;
using Xunit.Sdk;

namespace Millrace.Tests.Infrastructure;

/// <summary>Runs a theory once for every strategy, native and portable: <c>(ReadStrategy strategy, bool portable)</c>.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class EveryStrategyAttribute : DataAttribute
{
    public override IEnumerable<object[]> GetData(MethodInfo testMethod) =>
        from strategy in Enum.GetValues<ReadStrategy>()
        from portable in new[] { false, true }
        select new object[] { strategy, portable };
}
