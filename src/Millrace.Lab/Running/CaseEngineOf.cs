namespace Millrace.Lab.Running;

/// <summary>A case and the engine that runs it.</summary>
internal sealed record CaseEngineOf(LabCase Case, CaseEngine Engine) : IDisposable
{
    /// <inheritdoc/>
    public void Dispose() => Engine.Dispose();
}
