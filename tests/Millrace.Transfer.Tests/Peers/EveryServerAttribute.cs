using System.Reflection;
using Xunit.Sdk;

namespace Millrace.Transfer.Tests.Peers;

/// <summary>Runs a theory with each server of others, and with each further value if there are some.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class EveryServerAttribute(params object[] with) : DataAttribute
{
    public override IEnumerable<object[]> GetData(MethodInfo testMethod) => with.Length == 0
        ? ForeignServer.Names.Select(name => new object[] { name })
        : ForeignServer.Names.SelectMany(_ => with, (name, value) => new[] { name, value });
}
