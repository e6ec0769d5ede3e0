namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>Every test has a new server.</summary>
public abstract class ServerTest : IAsyncLifetime
{
    private RunningServer? _server;

    protected RunningServer Server => _server!;

    protected HttpClient Client => Server.Client;

    protected virtual RunningServerOptions Options => new();

    public async Task InitializeAsync() => _server = await RunningServer.StartAsync(Options);

    public async Task DisposeAsync() => await Server.DisposeAsync();

    /// <summary>Sends a request with some fields.</summary>
    protected async Task<HttpResponseMessage> SendAsync(
        HttpMethod method, string path, HttpContent? content = null, params (string Field, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(method, Server.Url(path)) { Content = content };
        foreach ((string field, string value) in fields)
        {
            if (!request.Headers.TryAddWithoutValidation(field, value))
            {
                content!.Headers.TryAddWithoutValidation(field, value);
            }
        }

        return await Client.SendAsync(request);
    }

    protected Task<HttpResponseMessage> GetAsync(string path, params (string Field, string Value)[] fields) =>
        SendAsync(HttpMethod.Get, path, null, fields);

    private protected static async Task<ErrorDocument> ProblemOf(HttpResponseMessage response)
    {
        Assert.Equal(ErrorDocument.MediaType, response.Content.Headers.ContentType?.MediaType);
        return JsonSerializer.Deserialize(
            await response.Content.ReadAsStringAsync(), TransferJson.Default.ErrorDocument)!;
    }
}
