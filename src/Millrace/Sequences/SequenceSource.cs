using System.IO.Pipelines;

namespace Millrace.Sequences;

/// <summary>What a sequence walks over, and how.</summary>
internal readonly record struct SequenceSource(PipeReader? Reader, Stream? Stream, CancellationToken CancellationToken)
{
    private readonly bool _continueAnywhere;

    /// <summary>Whether what follows an await runs where the caller was; true unless told otherwise.</summary>
    public bool ContinueOnCapturedContext
    {
        get => !_continueAnywhere;
        init => _continueAnywhere = !value;
    }
}
