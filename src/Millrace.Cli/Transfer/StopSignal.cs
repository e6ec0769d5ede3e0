using System.Runtime.InteropServices;

namespace Millrace.Cli.Transfer;

/// <summary>Ctrl-C and SIGTERM as a cancellation. A second one ends the process at once, as ever.</summary>
internal sealed class StopSignal : IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly PosixSignalRegistration _interrupt;
    private readonly PosixSignalRegistration _terminate;

    public StopSignal()
    {
        _interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, StopOnce);
        _terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, StopOnce);
    }

    /// <summary>Canceled by the first one.</summary>
    public CancellationToken Token => _stop.Token;

    /// <inheritdoc/>
    public void Dispose()
    {
        _interrupt.Dispose();
        _terminate.Dispose();
        _stop.Dispose();
    }

    private void StopOnce(PosixSignalContext context)
    {
        context.Cancel = !_stop.IsCancellationRequested;
        _stop.Cancel();
    }
}
