using Millrace.Lab.Running;

namespace Millrace.Lab.Meters;

/// <summary>Counts the bytes of large objects that an invocation allocates at either end, in a pass of its own.</summary>
internal static class LargeObjectPass
{
    /// <summary>Measures one case.</summary>
    public static void Measure(CaseEngineOf entry)
    {
        var mine = new LargeObjects();
        entry.Engine.Prepare();
        _ = entry.Engine.ServerLargeObjects();
        _ = mine.Next();
        entry.Engine.Invoke();
        entry.Case.LargeObjectBytes = mine.Next();
        entry.Case.ServerLargeObjectBytes = entry.Engine.ServerLargeObjects();
        entry.Engine.Finish();
    }
}
