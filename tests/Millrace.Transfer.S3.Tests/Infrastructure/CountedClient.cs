using System.Collections.Concurrent;
using Amazon.Runtime;

namespace Millrace.Transfer.S3.Tests.Infrastructure;

/// <summary>A client of a server that writes down its requests, and lets a test answer some of them.</summary>
internal sealed class CountedClient : Amazon.Runtime.HttpClientFactory
{
    private readonly ConcurrentQueue<string> _requests = new();

    /// <summary>Answers a request instead of the server; null for none.</summary>
    public Func<HttpRequestMessage, HttpResponseMessage?>? Answer { get; set; }

    /// <summary>
    /// What the server waits for before it carries a request out; null for nothing. It does so even if the client has given up meanwhile.
    /// </summary>
    public Func<HttpRequestMessage, Task>? Hold { get; set; }

    /// <summary>What each response of the server waits for before it is returned, until the request is cancelled; null for nothing. If it throws, the response is lost.</summary>
    public Func<HttpRequestMessage, Task>? HoldResponse { get; set; }

    /// <summary>Method and path with query, in the order in which they were sent.</summary>
    public IReadOnlyList<string> Requests => [.. _requests];

    public void Forget() => _requests.Clear();

    public override HttpClient CreateHttpClient(IClientConfig clientConfig) => new(new Handler(this));

    public override bool UseSDKHttpClientCaching(IClientConfig clientConfig) => false;

    private sealed class Handler(CountedClient owner) : DelegatingHandler(new SocketsHttpHandler())
    {
        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            // The SDK repeats what was cancelled while a response was read. Like HttpClient's own handler, this does not send it.
            cancellationToken.ThrowIfCancellationRequested();
            owner._requests.Enqueue($"{request.Method} {request.RequestUri!.PathAndQuery}");
            if (owner.Hold?.Invoke(request) is { IsCompletedSuccessfully: false } hold)
            {
                return await SendLateAsync(hold, await CopyAsync(request)).WaitAsync(cancellationToken);
            }

            return await AnswerAsync(request, cancellationToken);
        }

        private async Task<HttpResponseMessage> SendLateAsync(Task hold, HttpRequestMessage request)
        {
            await hold;
            return await AnswerAsync(request, CancellationToken.None);
        }

        /// <summary>A client that gives up disposes its request.</summary>
        private static async Task<HttpRequestMessage> CopyAsync(HttpRequestMessage request)
        {
            var copy = new HttpRequestMessage(request.Method, request.RequestUri)
            {
                Content = request.Content is { } content ? new ByteArrayContent(await content.ReadAsByteArrayAsync()) : null,
            };
            foreach ((string name, IEnumerable<string> values) in request.Headers.Concat(request.Content?.Headers ?? Enumerable.Empty<KeyValuePair<string, IEnumerable<string>>>()))
            {
                if (!copy.Headers.TryAddWithoutValidation(name, values))
                {
                    copy.Content!.Headers.TryAddWithoutValidation(name, values);
                }
            }

            return copy;
        }

        private async Task<HttpResponseMessage> AnswerAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            if (owner.Answer?.Invoke(request) is not { } answer)
            {
                HttpResponseMessage response = await base.SendAsync(request, cancellationToken);
                await (owner.HoldResponse?.Invoke(request) ?? Task.CompletedTask).WaitAsync(cancellationToken);
                return response;
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
