namespace Millrace.Transfer.Server.Tests.Peers;

/// <summary>A peer's report of a call.</summary>
internal static class PeerReply
{
    public static string Text(this JsonElement reply, string name) => reply.GetProperty(name).GetString()!;

    public static long Number(this JsonElement reply, string name) => reply.GetProperty(name).GetInt64();

    /// <summary>A trailer's text; null without it.</summary>
    public static string? Trailer(this JsonElement reply, string name) =>
        reply.GetProperty("trailers").TryGetProperty(name, out JsonElement value) ? value.GetString() : null;

    /// <summary>Asserts that the call succeeded.</summary>
    public static JsonElement Succeeded(this JsonElement reply)
    {
        Assert.True(reply.Text("status") == "OK", reply.ToString());
        return reply;
    }

    /// <summary>Asserts how it failed.</summary>
    public static JsonElement Failed(this JsonElement reply, string status)
    {
        Assert.True(reply.Text("status") == status, $"{status} was expected: {reply}");
        return reply;
    }
}
