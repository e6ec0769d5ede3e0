using System.Reflection;
using Xunit.Sdk;

namespace Millrace.Tests.Appending;

/// <summary>Runs a test with each durability, natively and portably.</summary>
internal sealed class EveryLogAttribute : DataAttribute
{
    public override IEnumerable<object[]> GetData(MethodInfo testMethod) =>
        from portable in new[] { false, true }
        from durability in Enum.GetValues<Durability>()
        select new object[] { portable, durability };
}
