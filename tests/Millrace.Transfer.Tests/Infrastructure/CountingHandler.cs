namespace Millrace.Transfer.Tests.Infrastructure;

/// <summary>A client's real connections, with a count of the requests of each method.</summary>
internal sealed class CountingHandler : DelegatingHandler
{
    private int _puts;
    private int _posts;
    private int _gets;

    public CountingHandler()
        : base(TransferConnections.Create(new TransferClientOptions()))
    {
    }

    /// <summary>Requests that would bring, or begin, an upload.</summary>
    public int Uploads => Volatile.Read(ref _puts) + Volatile.Read(ref _posts);

    public int Gets => Volatile.Read(ref _gets);

    /// <summary>Sees each request before it is sent; null for none.</summary>
    public Action<HttpRequestMessage>? Watch { get; init; }

    protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        Watch?.Invoke(request);
        switch (request.Method.Method)
        {
            case "PUT":
                Interlocked.Increment(ref _puts);
                break;
            case "POST":
                Interlocked.Increment(ref _posts);
                break;
            case "GET":
                Interlocked.Increment(ref _gets);
                break;
        }

        return base.SendAsync(request, cancellationToken);
    }
}
