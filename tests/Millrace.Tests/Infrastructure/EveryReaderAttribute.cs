using System.Reflection;
using Xunit.Sdk;

namespace Millrace.Tests.Infrastructure;

/// <summary>Runs a theory once for every reader that has the traits, with the reader's name as its argument.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class EveryReaderAttribute(ReaderTraits traits = ReaderTraits.None) : DataAttribute
{
    public ReaderTraits Traits { get; } = traits;

    public override IEnumerable<object[]> GetData(MethodInfo testMethod) =>
        from factory in Readers.All
        where (factory.Traits & Traits) == Traits
        orderby factory.Name
        select new object[] { factory.Name };
}
