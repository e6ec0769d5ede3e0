using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Millrace.Lab.Suites.Transfers;

namespace Millrace.Lab.Suites.Bytes;

/// <summary>An HTTP/1.1 server on loopback that has the run's files in its memory.</summary>
internal sealed class ByteServer : IServedFiles
{
    // As large as the socket takes at once; more brought nothing.
    private const int PieceBytes = 128 * 1024;

    private readonly WebApplication _app;

    private ByteServer(WebApplication app, Uri address)
    {
        _app = app;
        Address = address;
    }

    public Uri Address { get; }

    public static ByteServer Start(IReadOnlyList<TestFile> files)
    {
        byte[][] contents;
        try
        {
            contents = [.. files.Select(file => File.ReadAllBytes(file.Path))];
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException($"The files cannot be served: {exception.Message}", exception);
        }

        WebApplication app = ServerEnd.CreateBuilder(options =>
        {
            options.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = HttpProtocols.Http1);
            options.AddServerHeader = false;
            options.Limits.MaxResponseBufferSize = 2 * PieceBytes;
            options.Limits.MinResponseDataRate = null;
        }).Build();
        app.Run(context => SendAsync(context, contents));
        app.StartAsync().GetAwaiter().GetResult();
        return new ByteServer(app, new Uri(app.Urls.Single() + "/"));
    }

    public void Dispose() => _app.DisposeAsync().AsTask().GetAwaiter().GetResult();

    private static async Task SendAsync(HttpContext context, byte[][] contents)
    {
        string name = context.Request.Path.Value ?? "";
        if (!int.TryParse(name.AsSpan().TrimStart('/'), NumberStyles.None, CultureInfo.InvariantCulture, out int index)
            || index >= contents.Length)
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }

        ReadOnlyMemory<byte> left = contents[index];
        context.Response.ContentLength = left.Length;
        context.Response.ContentType = "application/octet-stream";
        while (!left.IsEmpty)
        {
            int piece = Math.Min(left.Length, PieceBytes);
            await context.Response.BodyWriter.WriteAsync(left[..piece], context.RequestAborted).ConfigureAwait(false);
            left = left[piece..];
        }
    }
}
