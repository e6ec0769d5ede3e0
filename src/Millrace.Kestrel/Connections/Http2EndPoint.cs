using System.Net;
using System.Threading.Channels;
using Microsoft.AspNetCore.Connections;

namespace Millrace.Kestrel;

/// <summary>The address of an endpoint without a socket, whose connections another endpoint passes to it; its listener, too.</summary>
/// <param name="shared">The other endpoint's address, once that is bound.</param>
internal sealed class Http2EndPoint(Func<EndPoint> shared) : EndPoint, IConnectionListener
{
    private readonly Channel<PassedConnection> _passed =
        Channel.CreateUnbounded<PassedConnection>(new UnboundedChannelOptions { SingleReader = true });

    EndPoint IConnectionListener.EndPoint => shared();

    /// <summary>Passes a connection to this endpoint, and waits until it ends there.</summary>
    public async Task RunAsync(ConnectionContext connection)
    {
        var passed = new PassedConnection(connection);
        if (_passed.Writer.TryWrite(passed))
        {
            await passed.Ended;
        }
    }

    public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
    {
        while (await _passed.Reader.WaitToReadAsync(cancellationToken))
        {
            if (_passed.Reader.TryRead(out PassedConnection? connection))
            {
                return connection;
            }
        }

        return null;
    }

    /// <remarks>A connection that was passed before is still accepted: Kestrel then closes it as any other.</remarks>
    public ValueTask UnbindAsync(CancellationToken cancellationToken = default)
    {
        _passed.Writer.TryComplete();
        return default;
    }

    public async ValueTask DisposeAsync()
    {
        await UnbindAsync();
        while (_passed.Reader.TryRead(out PassedConnection? connection))
        {
            await connection.DisposeAsync();
        }
    }

    public override string ToString() => $"{shared()} (HTTP/2)";
}
