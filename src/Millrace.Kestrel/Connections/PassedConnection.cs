using System.IO.Pipelines;
using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http.Features;

namespace Millrace.Kestrel;

/// <summary>
/// A connection as a second endpoint sees it: the features that Kestrel sets for it do not replace those of the endpoint that accepted it,
/// and disposing it leaves the connection to that endpoint.
/// </summary>
internal sealed class PassedConnection(ConnectionContext inner) : ConnectionContext
{
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Ends when the second endpoint has disposed this.</summary>
    public Task Ended => _ended.Task;

    public override IFeatureCollection Features { get; } = new FeatureCollection(inner.Features);

    public override IDuplexPipe Transport { get; set; } = inner.Transport;

    public override string ConnectionId
    {
        get => inner.ConnectionId;
        set => inner.ConnectionId = value;
    }

    public override IDictionary<object, object?> Items
    {
        get => inner.Items;
        set => inner.Items = value;
    }

    public override CancellationToken ConnectionClosed
    {
        get => inner.ConnectionClosed;
        set => inner.ConnectionClosed = value;
    }

    public override EndPoint? LocalEndPoint
    {
        get => inner.LocalEndPoint;
        set => inner.LocalEndPoint = value;
    }

    public override EndPoint? RemoteEndPoint
    {
        get => inner.RemoteEndPoint;
        set => inner.RemoteEndPoint = value;
    }

    public override void Abort(ConnectionAbortedException abortReason) => inner.Abort(abortReason);

    public override void Abort() => inner.Abort();

    public override ValueTask DisposeAsync()
    {
        _ended.TrySetResult();
        return base.DisposeAsync();
    }
}
