using System.Net;
using System.Text.Json;
using Millrace.Transfer;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>How `millrace health --folder` reaches the server of a folder on this machine: written there while the server runs.</summary>
/// <param name="Url">Of the health check.</param>
/// <param name="Socket">The Unix socket to use for it; null for a port.</param>
internal sealed record ReadyFile(string Url, string? Socket)
{
    /// <summary>Writes it; a folder that cannot be written has none, unless its state is elsewhere.</summary>
    public static void Write(TransferServer server, TransferHostOptions options)
    {
        if (PathOf(options) is not { } path)
        {
            return;
        }

        // All addresses include this one.
        string host = !IPAddress.TryParse(options.Host, out IPAddress? address) || address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any)
            ? "127.0.0.1"
            : options.Host;
        var url = new UriBuilder(server.Address) { Host = host, Path = options.PathBase + "/health" };
        try
        {
            // Whole or not at all: a check may read it at any moment.
            File.WriteAllText(path + ".new", CommandJson.ToLine(new ReadyFile(url.Uri.AbsoluteUri, server.SocketPath)));
            File.Move(path + ".new", path, overwrite: true);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // The check then takes the usual address.
        }
    }

    public static void Delete(TransferHostOptions options)
    {
        try
        {
            File.Delete(PathOf(options) ?? "");
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException)
        {
            // One that is left leads to a server that does not answer, which is true.
        }
    }

    /// <returns>Null if no server has written it.</returns>
    /// <exception cref="TransferException">It cannot be read.</exception>
    public static ReadyFile? Find(string folder, string? state)
    {
        string path = PathIn(folder, state);
        try
        {
            return File.Exists(path) ? JsonSerializer.Deserialize(File.ReadAllText(path), CommandJson.Default.ReadyFile) : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or JsonException)
        {
            throw new TransferException(TransferError.Failed, $"'{path}' cannot be read: {exception.Message}", innerException: exception);
        }
    }

    private static string? PathOf(TransferHostOptions options) =>
        options.FileStore is not null || (options.ReadOnly && options.Store.StatePath is null) ? null : PathIn(options.Folder, options.Store.StatePath);

    private static string PathIn(string folder, string? state) =>
        Path.Combine(Path.GetDirectoryName(TokenStore.DefaultPath(folder, state))!, "ready.json");
}
