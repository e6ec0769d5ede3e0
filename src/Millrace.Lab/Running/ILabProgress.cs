namespace Millrace.Lab.Running;

/// <summary>
/// Is told what runs and how long is left. Called between invocations only, from the measuring thread; whatever it does
/// must be over when it returns, as nothing may run beside a measurement.
/// </summary>
public interface ILabProgress
{
    /// <summary>A part of the run begins.</summary>
    void Phase(string name);

    /// <summary>How far the part is.</summary>
    /// <param name="done">0 to 1.</param>
    /// <param name="left">An estimate for the whole run; null when there is none yet.</param>
    /// <param name="current">What runs next.</param>
    void Report(double done, TimeSpan? left, string current);

    /// <summary>Something that the user should know, for example a failed case.</summary>
    void Note(string text);
}
