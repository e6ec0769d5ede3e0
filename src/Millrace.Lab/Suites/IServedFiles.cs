namespace Millrace.Lab.Suites;

/// <summary>A server that has the files of a run. Disposing it stops it.</summary>
internal interface IServedFiles : IDisposable
{
    /// <summary>Where they are: the file with index i of the run's inputs at this address and i.</summary>
    Uri Address { get; }
}
