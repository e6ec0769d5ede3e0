using Millrace.Lab.Suites;

namespace Millrace.Lab.Running;

/// <summary>Where launches run: processes of their own, or, for tests, this one.</summary>
internal interface ILaunchHost
{
    /// <summary>Measures all cases once more.</summary>
    /// <exception cref="LabException">It could not begin, or its process died; the message says why.</exception>
    LaunchResult Launch(LaunchRequest request, ILabProgress progress, CancellationToken stop);

    /// <summary>Measures the memory that one case takes.</summary>
    MemoryResult MeasureMemory(MemoryRequest request);

    /// <summary>Starts a server for the files of a run.</summary>
    /// <exception cref="LabException">It could not begin.</exception>
    IServedFiles Serve(ServeRequest request);
}
