namespace Millrace.Transfer.Server.Tests.Infrastructure;

internal static class Responses
{
    /// <summary>Asserts the status of a response of which nothing else matters.</summary>
    public static async Task AnswersAsync(this Task<HttpResponseMessage> sent, HttpStatusCode status)
    {
        using HttpResponseMessage response = await sent;
        Assert.Equal(status, response.StatusCode);
    }

    /// <summary>A header of the response or of its content; null without it.</summary>
    public static string? Field(this HttpResponseMessage response, string name) =>
        response.Headers.TryGetValues(name, out IEnumerable<string>? values)
            || response.Content.Headers.TryGetValues(name, out values) ? string.Join(", ", values) : null;
}
