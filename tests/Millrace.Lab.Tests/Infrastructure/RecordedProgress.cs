namespace Millrace.Lab.Tests.Infrastructure;

internal sealed class RecordedProgress : ILabProgress
{
    public List<string> Phases { get; } = [];
    public List<string> Notes { get; } = [];
    public List<string> Current { get; } = [];
    public Action<string>? OnPhase { get; init; }
    public Action<string>? OnReport { get; init; }

    public void Phase(string name)
    {
        Phases.Add(name);
        OnPhase?.Invoke(name);
    }

    public void Report(double done, TimeSpan? left, string current)
    {
        Assert.InRange(done, 0, 1);
        Current.Add(current);
        OnReport?.Invoke(current);
    }

    public void Note(string text) => Notes.Add(text);
}
