using System.Diagnostics.CodeAnalysis;

namespace Millrace.Tests.Infrastructure;

/// <summary>Tests that measure the process as a whole: nothing runs beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
[SuppressMessage("Naming", "CA1711", Justification = "xunit's own word.")]
public sealed class ProcessWide
{
    public const string Name = "process-wide";
}
