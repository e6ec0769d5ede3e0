using System.Runtime.InteropServices;

namespace Millrace.Cli;

/// <summary>Ctrl-C and SIGTERM as cancellation: the first one stops, the next one cuts where that is handled, or ends the process.</summary>
internal sealed class StopSignal : IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly CancellationTokenSource? _cut;
    private readonly PosixSignalRegistration _interrupt;
    private readonly PosixSignalRegistration _terminate;
    private int _signals;

    public StopSignal(bool handlesSecond = false)
    {
        _cut = handlesSecond ? new CancellationTokenSource() : null;
        _interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Handle);
        _terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Handle);
    }

    public CancellationToken Token => _stop.Token;

    public CancellationToken Cut => _cut?.Token ?? default;

    public void Dispose()
    {
        _interrupt.Dispose();
        _terminate.Dispose();
        _stop.Dispose();
        _cut?.Dispose();
    }

    private void Handle(PosixSignalContext context)
    {
        // Two signals may be handled at the same time.
        CancellationTokenSource? next = Interlocked.Increment(ref _signals) switch { 1 => _stop, 2 => _cut, _ => null };
        context.Cancel = next is not null;
        next?.Cancel();
    }
}
