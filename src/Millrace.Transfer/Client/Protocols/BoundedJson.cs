using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Millrace.Transfer;

/// <summary>Reads documents of a server, which may be longer than any server needs, or endless.</summary>
internal static class BoundedJson
{
    /// <summary>Bytes of a page of a listing at most: 8 MiB.</summary>
    /// <remarks>Three times 1,000 entries with the longest names, every character of them escaped.</remarks>
    public const int MaxListing = 8 * 1024 * 1024;

    /// <summary>Bytes of every other document at most: 64 KiB.</summary>
    /// <remarks>They have a few hundred; a longer one is another server's page.</remarks>
    public const int MaxDocument = 64 * 1024;

    /// <exception cref="JsonException">It cannot be read, or is longer.</exception>
    public static async ValueTask<T?> ReadAsync<T>(
        HttpResponseMessage response, int maxBytes, JsonTypeInfo<T> type, CancellationToken cancellationToken)
    {
        try
        {
            await response.Content.LoadIntoBufferAsync(maxBytes, cancellationToken).ConfigureAwait(false);
        }
        catch (HttpRequestException exception) when (exception.HttpRequestError == HttpRequestError.ConfigurationLimitExceeded)
        {
            throw new JsonException($"it has more than the {maxBytes} bytes that are read", exception);
        }

        Stream body = await response.Content.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false);
        return await JsonSerializer.DeserializeAsync(body, type, cancellationToken).ConfigureAwait(false);
    }
}
