namespace Millrace.Sources;

/// <summary>Lets a thread sleep until a source has something.</summary>
internal sealed class BlockingCallback : IReadyCallback, IDisposable
{
    private readonly ManualResetEventSlim _ready = new();

    public void OnReady() => _ready.Set();

    public void Reset() => _ready.Reset();

    public void Wait() => _ready.Wait();

    public void Dispose() => _ready.Dispose();
}
