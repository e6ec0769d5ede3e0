using System.Text;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace Millrace.Transfer.Server;

/// <summary>Tells a client that sends a request without TLS to a port with TLS what to do; the framework ends the connection without a word.</summary>
internal static class PlainRequests
{
    /// <summary>How long the first byte may take: as long as a handshake may take then.</summary>
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(10);

    private static readonly byte[] Answer = Write("This port uses TLS. Begin the URL with https:// instead of http://.\n");

    /// <summary>Answers a connection that begins with the letter of a method, and runs every other one. It must precede TLS.</summary>
    public static async Task RunAsync(ConnectionContext connection, ConnectionDelegate next)
    {
        CancellationToken stopping = connection.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested ?? default;
        bool isPlain;
        using (var limit = CancellationTokenSource.CreateLinkedTokenSource(stopping))
        {
            limit.CancelAfter(Timeout);
            try
            {
                ReadResult read = await connection.Transport.Input.ReadAsync(limit.Token);
                isPlain = !read.Buffer.IsEmpty && char.IsAsciiLetterUpper((char)read.Buffer.FirstSpan[0]);
                connection.Transport.Input.AdvanceTo(read.Buffer.Start);
            }
            catch (Exception exception) when (exception is OperationCanceledException or IOException)
            {
                return;
            }
        }

        if (!isPlain)
        {
            await next(connection);
            return;
        }

        try
        {
            await connection.Transport.Output.WriteAsync(Answer, stopping);
        }
        catch (Exception exception) when (exception is OperationCanceledException or IOException)
        {
            // It has left.
        }
    }

    private static byte[] Write(string text) => Encoding.ASCII.GetBytes(
        $"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {text.Length}\r\n\r\n{text}");
}
