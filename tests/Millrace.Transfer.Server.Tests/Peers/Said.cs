namespace Millrace.Transfer.Server.Tests.Peers;

/// <summary>What a peer says of a call.</summary>
internal static class Said
{
    public static string Text(this JsonElement said, string name) => said.GetProperty(name).GetString()!;

    public static long Number(this JsonElement said, string name) => said.GetProperty(name).GetInt64();

    /// <summary>A trailer's text; null without it.</summary>
    public static string? Trailer(this JsonElement said, string name) =>
        said.GetProperty("trailers").TryGetProperty(name, out JsonElement value) ? value.GetString() : null;

    /// <summary>Asserts that the call succeeded.</summary>
    public static JsonElement Succeeded(this JsonElement said)
    {
        Assert.True(said.Text("status") == "OK", said.ToString());
        return said;
    }

    /// <summary>Asserts how it failed.</summary>
    public static JsonElement Failed(this JsonElement said, string status)
    {
        Assert.True(said.Text("status") == status, $"{status} was expected: {said}");
        return said;
    }
}
