namespace Millrace.Lab.Running;

/// <summary>Names the launch that a part of the run belongs to.</summary>
internal sealed class PrefixedProgress : ILabProgress
{
    private readonly ILabProgress _progress;
    private readonly string _prefix;

    /// <summary>Puts text before every part's name.</summary>
    public PrefixedProgress(ILabProgress progress, string prefix)
    {
        _progress = progress;
        _prefix = prefix;
    }

    /// <inheritdoc/>
    public void Phase(string name) =>
        _progress.Phase(_prefix.Length > 0 ? _prefix + name : char.ToUpperInvariant(name[0]) + name[1..]);

    /// <inheritdoc/>
    public void Report(double done, TimeSpan? left, string current) => _progress.Report(done, left, current);

    /// <inheritdoc/>
    public void Note(string text) => _progress.Note(text);
}
