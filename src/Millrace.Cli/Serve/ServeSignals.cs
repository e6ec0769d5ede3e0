using System.Runtime.InteropServices;

namespace Millrace.Cli.Serve;

/// <summary>Ctrl-C and SIGTERM: the first stops, the second cuts, a third ends the process as ever.</summary>
internal sealed class ServeSignals : IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly CancellationTokenSource _cut = new();
    private readonly PosixSignalRegistration _interrupt;
    private readonly PosixSignalRegistration _terminate;
    private int _count;

    public ServeSignals()
    {
        _interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Handle);
        _terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Handle);
    }

    /// <summary>Canceled by the first one.</summary>
    public CancellationToken Stop => _stop.Token;

    /// <summary>Canceled by the second one.</summary>
    public CancellationToken Cut => _cut.Token;

    /// <inheritdoc/>
    public void Dispose()
    {
        _interrupt.Dispose();
        _terminate.Dispose();
        _stop.Dispose();
        _cut.Dispose();
    }

    private void Handle(PosixSignalContext context)
    {
        switch (Interlocked.Increment(ref _count))
        {
            case 1:
                context.Cancel = true;
                _stop.Cancel();
                break;
            case 2:
                context.Cancel = true;
                _cut.Cancel();
                break;
        }
    }
}
