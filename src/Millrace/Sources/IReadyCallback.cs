namespace Millrace.Sources;

/// <summary>Told once, on any thread, that a source has something again.</summary>
internal interface IReadyCallback
{
    void OnReady();
}
