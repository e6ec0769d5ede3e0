namespace Millrace.Lab.Running;

/// <summary>
/// Receives the current work and the time left. Called between invocations only, from the measuring thread; whatever it does
/// must be over when it returns, as nothing may run beside a measurement.
/// </summary>
internal interface ILabProgress
{
    void Phase(string name);

    /// <param name="done">How far the part is, 0 to 1.</param>
    /// <param name="left">An estimate for the whole run; null when there is none yet.</param>
    void Report(double done, TimeSpan? left, string current);

    /// <summary>Something that the user should know, for example a failed case.</summary>
    void Note(string text);
}

/// <summary>Names the launch that a part of the run belongs to.</summary>
internal sealed class PrefixedProgress(ILabProgress progress, string prefix) : ILabProgress
{
    public void Phase(string name) =>
        progress.Phase(prefix.Length > 0 ? prefix + name : char.ToUpperInvariant(name[0]) + name[1..]);

    public void Report(double done, TimeSpan? left, string current) => progress.Report(done, left, current);

    public void Note(string text) => progress.Note(text);
}
