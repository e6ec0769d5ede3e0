using BenchmarkDotNet.Engines;

namespace Millrace.Lab.Running;

/// <summary>The engine's host: its log lines are of no use here, as every measurement is also returned.</summary>
internal sealed class SilentHost : IHost
{
    public static readonly SilentHost Instance = new();

    public void Dispose()
    {
    }

    public void Write(string message)
    {
    }

    public void WriteLine()
    {
    }

    public void WriteLine(string message)
    {
    }

    public void SendSignal(HostSignal hostSignal)
    {
    }

    public void SendError(string message)
    {
    }

    public void ReportResults(RunResults runResults)
    {
    }
}
