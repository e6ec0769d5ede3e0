using System.Reflection;
using Xunit.Sdk;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>Runs a theory with a store on Linux's own calls and with one on the framework's alone, or once with a bucket.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class EveryStoreAttribute : DataAttribute
{
    public override IEnumerable<object[]> GetData(MethodInfo testMethod) => TestedStore.IsBucket ? [[false]] : [[false], [true]];
}
