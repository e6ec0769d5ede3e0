using Amazon.Runtime;

namespace Millrace.Transfer.S3;

/// <summary>
/// Connections of a client of the SDK that requests can be cancelled on. Give it to the configuration of a client that you pass as
/// <see cref="S3FileStoreOptions.Client"/>; the client that the store creates has it. Thread-safe.
/// </summary>
/// <remarks>
/// The SDK reads lists, and what services say about errors, on a thread that waits, and disposes them from another thread when their
/// request is cancelled. The connection then goes back to the pool with a read that nobody waits for, which takes the response of the
/// next request: that one hangs until the service closes the connection. Here, everything except for the contents of objects is read
/// before the SDK sees it, without a thread that waits, and a response that is not read to its end closes its connection.
/// </remarks>
public sealed class S3HttpClientFactory : HttpClientFactory
{
    /// <summary>Creates a client with the settings that the SDK would give it.</summary>
    /// <param name="clientConfig">The configuration of the SDK's client.</param>
    public override HttpClient CreateHttpClient(IClientConfig clientConfig)
    {
        ArgumentNullException.ThrowIfNull(clientConfig);
        var handler = new SocketsHttpHandler
        {
            AllowAutoRedirect = clientConfig.AllowAutoRedirect,
            AutomaticDecompression = DecompressionMethods.None,
            MaxResponseDrainSize = 0,
            UseCookies = false,
        };
        if (clientConfig.MaxConnectionsPerServer is { } connections)
        {
            handler.MaxConnectionsPerServer = connections;
        }

        if (clientConfig.GetWebProxy() is { } proxy)
        {
            handler.Proxy = proxy;
            proxy.Credentials = clientConfig.ProxyCredentials ?? proxy.Credentials;
        }

        var client = new HttpClient(new WholeResponses(handler));
        client.Timeout = clientConfig.Timeout ?? client.Timeout;
        return client;
    }

    private sealed class WholeResponses(HttpMessageHandler inner) : DelegatingHandler(inner)
    {
        /// <summary>Much more than a page of 1,000 keys of 1,024 bytes each, with what URL encoding and XML add.</summary>
        private const long MaxBytes = 64L << 20;

        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            HttpResponseMessage response = await base.SendAsync(request, cancellationToken);
            if (IsObject(request, response))
            {
                return response;
            }

            try
            {
                await response.Content.LoadIntoBufferAsync(MaxBytes, cancellationToken);
                return response;
            }
            catch
            {
                response.Dispose();
                throw;
            }
        }

        /// <summary>Only the contents of an object have a tag, and no list has.</summary>
        private static bool IsObject(HttpRequestMessage request, HttpResponseMessage response) =>
            request.Method == HttpMethod.Get && response.IsSuccessStatusCode && response.Headers.ETag is not null;
    }
}
