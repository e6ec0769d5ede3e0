using System.Text;
using Microsoft.AspNetCore.Connections;

namespace Millrace.Transfer.Server;

/// <summary>Tells a client that sends a request without TLS to a port with TLS what to do; the framework ends the connection without a word.</summary>
internal static class PlainRequests
{
    private static readonly byte[] Answer = Write("This port uses TLS. Begin the URL with https:// instead of http://.\n");

    /// <summary>Answers a connection that begins with the letter of a method, and runs every other one. It must precede TLS.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="timeout">How long its first byte may take.</param>
    /// <param name="next">Runs it.</param>
    public static async Task RunAsync(ConnectionContext connection, TimeSpan timeout, ConnectionDelegate next)
    {
        bool isPlain = false;
        bool? isRead = await ConnectionStart.ReadAsync(connection, timeout, bytes =>
        {
            isPlain = !bytes.IsEmpty && char.IsAsciiLetterUpper((char)bytes.FirstSpan[0]);
            return bytes.IsEmpty ? null : bytes.Start;
        });
        if (isRead is not true)
        {
            return;
        }

        if (!isPlain)
        {
            await next(connection);
            return;
        }

        try
        {
            await connection.Transport.Output.WriteAsync(Answer, ConnectionStart.StoppingOf(connection));
        }
        catch (Exception exception) when (exception is OperationCanceledException or IOException)
        {
            // It has left.
        }
    }

    private static byte[] Write(string text) => Encoding.ASCII.GetBytes(
        $"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {text.Length}\r\n\r\n{text}");
}
