using Millrace.Lab.Data;
using Millrace.Lab.Suites.Files;

namespace Millrace.Lab.Suites;

/// <summary>The files that a run measures. Disposing it lets other runs have them.</summary>
internal sealed class SuiteInputs : IDisposable
{
    private readonly IDisposable _hold;

    /// <summary>Takes the files and what keeps others from them.</summary>
    public SuiteInputs(IReadOnlyList<TestFile> files, IDisposable hold)
    {
        Files = files;
        _hold = hold;
    }

    /// <summary>The files; the last one is on the file system that the results describe.</summary>
    public IReadOnlyList<TestFile> Files { get; }

    /// <inheritdoc/>
    public void Dispose() => _hold.Dispose();
}
