using System.Collections.Concurrent;
using Amazon.Runtime;

namespace Millrace.Transfer.S3.Tests.Infrastructure;

/// <summary>A client of a server that writes down its requests, and lets a test answer some of them.</summary>
internal sealed class CountedClient : Amazon.Runtime.HttpClientFactory
{
    private readonly ConcurrentQueue<string> _requests = new();

    /// <summary>Answers a request instead of the server; null for none.</summary>
    public Func<HttpRequestMessage, HttpResponseMessage?>? Answer { get; set; }

    /// <summary>What each request waits for before it is sent; null for nothing.</summary>
    public Func<HttpRequestMessage, Task>? Hold { get; set; }

    /// <summary>Method and path with query, in the order in which they were sent.</summary>
    public IReadOnlyList<string> Requests => [.. _requests];

    public void Forget() => _requests.Clear();

    public override HttpClient CreateHttpClient(IClientConfig clientConfig) => new(new Handler(this));

    public override bool UseSDKHttpClientCaching(IClientConfig clientConfig) => false;

    private sealed class Handler(CountedClient owner) : DelegatingHandler(new SocketsHttpHandler())
    {
        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            owner._requests.Enqueue($"{request.Method} {request.RequestUri!.PathAndQuery}");
            if (owner.Hold is { } hold)
            {
                await hold(request);
            }

            if (owner.Answer?.Invoke(request) is not { } answer)
            {
                return await base.SendAsync(request, cancellationToken);
            }

            if (request.Content is not null)
            {
                // As a server that reads the request before it refuses.
                await request.Content.CopyToAsync(Stream.Null, cancellationToken);
            }

            answer.RequestMessage = request;
            return answer;
        }
    }
}
