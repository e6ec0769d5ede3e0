using System.Collections.Concurrent;
using System.Diagnostics;

namespace Millrace.Transfer.S3.Tests.Infrastructure;

/// <summary>`millrace serve s3://BUCKET` as a process on a free port.</summary>
internal sealed class ServedBucket : IAsyncDisposable
{
    private readonly Process _process;
    private readonly ConcurrentQueue<string> _log = new();

    private ServedBucket(Process process, JsonElement ready)
    {
        _process = process;
        process.ErrorDataReceived += (_, line) => _log.Enqueue(line.Data + '\n');
        process.BeginErrorReadLine();
        Ready = ready;
        Client = new HttpClient { BaseAddress = new Uri(ready.GetProperty("address").GetString()!), Timeout = TimeSpan.FromMinutes(5) };
    }

    /// <summary>Its output when it was ready.</summary>
    public JsonElement Ready { get; }

    public HttpClient Client { get; }

    /// <summary>What it has logged so far.</summary>
    public string Log => string.Concat(_log);

    /// <summary>The URL of its files.</summary>
    public string Files => Ready.GetProperty("files").GetString()!;

    /// <param name="folder">Where it runs.</param>
    /// <param name="bucket">Bucket and prefix, as after <c>s3://</c>.</param>
    /// <param name="endpoint">Where the bucket is.</param>
    /// <param name="arguments">More arguments.</param>
    public static async Task<ServedBucket> StartAsync(string folder, string bucket, Uri endpoint, params string[] arguments)
    {
        Process process = MillraceCommand.Start(
            folder, null,
            [
                "serve", "s3://" + bucket, "--s3-endpoint", endpoint.AbsoluteUri, "--s3-path-style", "--port", "0", "--json", "--grace", "0",
                .. arguments,
            ]);
        string? line = await process.StandardOutput.ReadLineAsync().WaitAsync(TimeSpan.FromMinutes(5));
        return new ServedBucket(process, JsonDocument.Parse(
            line ?? throw new InvalidOperationException("It did not start: " + await process.StandardError.ReadToEndAsync())).RootElement);
    }

    public async Task KillAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync();
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        if (!_process.HasExited)
        {
            await KillAsync();
        }

        _process.Dispose();
    }
}
