using System.Reflection;
using Xunit.Sdk;

namespace Millrace.Transfer.Server.Tests.Grpc;

/// <summary>Runs a theory with every form of a call.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class EveryFormAttribute : DataAttribute
{
    public override IEnumerable<object[]> GetData(MethodInfo testMethod) => [["grpc"], ["grpc-web"], ["grpc-web-text"]];
}
