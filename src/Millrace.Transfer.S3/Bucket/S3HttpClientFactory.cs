using Amazon.Runtime;

namespace Millrace.Transfer.S3;

/// <summary>
/// Connections of a client of the SDK whose requests may be cancelled. Give it to the configuration of a client that you pass as
/// <see cref="S3FileStoreOptions.Client"/>; the client that the store creates has it. Thread-safe.
/// </summary>
/// <remarks>
/// The SDK reads lists and errors of the service synchronously, and disposes them from another thread when their request is cancelled.
/// The connection then goes back to the pool with a read that takes the response of the next request: that one waits until the service
/// closes the connection. Here, everything except for the contents of objects is read before the SDK sees it, and a response that is
/// not read to its end closes its connection.
/// </remarks>
public sealed class S3HttpClientFactory : HttpClientFactory
{
    /// <summary>Creates a client.</summary>
    /// <param name="clientConfig">
    /// The configuration of the SDK's client. Its timeout is for the head of a response, and for each piece of what is read here: a service
    /// that copies or joins objects may send the head at once, and spaces until it is done.
    /// </param>
    public override HttpClient CreateHttpClient(IClientConfig clientConfig)
    {
        ArgumentNullException.ThrowIfNull(clientConfig);
        var handler = new SocketsHttpHandler
        {
            AllowAutoRedirect = clientConfig.AllowAutoRedirect,
            AutomaticDecompression = DecompressionMethods.None,
            ConnectTimeout = clientConfig.ConnectTimeout ?? Timeout.InfiniteTimeSpan,
            MaxConnectionsPerServer = clientConfig.MaxConnectionsPerServer ?? int.MaxValue,
            MaxResponseDrainSize = 0,
            UseCookies = false,
        };
        if (clientConfig.GetWebProxy() is { } proxy)
        {
            handler.Proxy = proxy;
            proxy.Credentials = clientConfig.ProxyCredentials ?? proxy.Credentials;
        }

        return new HttpClient(new WholeResponses(handler, clientConfig.Timeout ?? Timeout.InfiniteTimeSpan)) { Timeout = Timeout.InfiniteTimeSpan };
    }

    private sealed class WholeResponses(HttpMessageHandler inner, TimeSpan timeout) : DelegatingHandler(inner)
    {
        /// <summary>Much more than a page of 1,000 keys of 1,024 bytes each, with what URL encoding and XML add.</summary>
        private const int MaxBytes = 64 << 20;

        private const int PieceBytes = 16 * 1024;

        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            using var late = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
            late.CancelAfter(timeout);
            HttpResponseMessage? response = null;
            try
            {
                response = await base.SendAsync(request, late.Token);
                if (!HasNoBody(request, response) && !IsObject(request, response))
                {
                    await LoadAsync(response, late);
                }

                return response;
            }
            catch (Exception exception)
            {
                response?.Dispose();
                if (exception is OperationCanceledException && !cancellationToken.IsCancellationRequested)
                {
                    throw new TimeoutException($"The object store sent nothing for {timeout.TotalSeconds} s.", exception);
                }

                throw;
            }
        }

        private async Task LoadAsync(HttpResponseMessage response, CancellationTokenSource late)
        {
            HttpContent content = response.Content;
            var whole = new MemoryStream();
            byte[] piece = new byte[PieceBytes];
            Stream body = await content.ReadAsStreamAsync(late.Token);
            while (await body.ReadAsync(piece, late.Token) is > 0 and var count)
            {
                whole.Write(piece, 0, count);
                if (whole.Length > MaxBytes)
                {
                    throw new HttpRequestException($"The object store answered with more than {MaxBytes} bytes.");
                }

                late.CancelAfter(timeout);
            }

            response.Content = new ByteArrayContent(whole.GetBuffer(), 0, (int)whole.Length);
            foreach ((string name, System.Net.Http.Headers.HeaderStringValues values) in content.Headers.NonValidated)
            {
                response.Content.Headers.TryAddWithoutValidation(name, (IEnumerable<string>)values);
            }

            content.Dispose();
        }

        /// <summary>The length of such a response is that of an object that does not come.</summary>
        private static bool HasNoBody(HttpRequestMessage request, HttpResponseMessage response) =>
            request.Method == HttpMethod.Head || response.StatusCode is HttpStatusCode.NoContent or HttpStatusCode.NotModified;

        /// <summary>The contents of an object have a tag, and no list has one. Some services write it without quotes.</summary>
        private static bool IsObject(HttpRequestMessage request, HttpResponseMessage response) =>
            request.Method == HttpMethod.Get && response.IsSuccessStatusCode && response.Headers.NonValidated.Contains("ETag");
    }
}
