using System.Text.Json;

namespace Millrace.Transfer.S3.Tests.Serving;

/// <summary>Objects that other programs put into the bucket.</summary>
public sealed class ForeignObjectTests : BucketTest
{
    [NeedsFact(Need.Ceph)]
    public async Task Keys_with_empty_segments_are_no_names_and_hide_no_others()
    {
        foreach (string key in new[] { "f/a", "f//", "f//x", "f///y", "f/z/b", "f/z//c", "g//x" })
        {
            await Bucket.PutAsync(key, new byte[1]);
        }

        await using ServedBucket server = await ServeAsync("--names", "portable");

        Assert.Equal(["f", "g"], await ListAsync(server, ""));
        Assert.Equal(["f/a", "f/z"], await ListAsync(server, "f/"));
        Assert.Equal(["f/z/b"], await ListAsync(server, "f/z/"));
        Assert.Empty(await ListAsync(server, "g/"));
        (int exitCode, string _, string error) = await MillraceCommand.RunAsync(Folder.Path, environment: null, "get", server.Files, "back");
        Assert.Equal(4, exitCode);
        Assert.Contains("5 entries", error, StringComparison.Ordinal);
        Assert.Equal(["a", "b"], Directory.GetFiles(Folder["back"], "*", SearchOption.AllDirectories).Select(Path.GetFileName).Order());
    }

    [NeedsFact(Need.Ceph)]
    public async Task Names_are_keys_as_they_are_unless_S3_cannot_list_them()
    {
        string[] names = ["What?", "a%41 b+c&d", "aux.c", "back\\slash", "del\u007f", "line\nbreak", "turn\u202E", "x.", "x:"];
        string[] hidden = ["esc\u001b", "folder\u0001/x", ".MILLRACE"];
        foreach (string key in (string[])[.. names, .. hidden])
        {
            await Bucket.PutAsync("f/" + key, new byte[1]);
        }

        try
        {
            await using ServedBucket server = await ServeAsync("--names", "native");
            Assert.Equal((names.Length, 3), await CountAsync(server, "f/"));
            Assert.Equal((names.Length, 3), await CountAsync(server, "f/?recursive"));
            Assert.Equal(names.Select(static name => "f/" + name).Order(StringComparer.Ordinal), (await ListAsync(server, "f/")).Order(StringComparer.Ordinal));
            foreach (string name in names)
            {
                string url = server.Files + "f/" + Uri.EscapeDataString(name);
                Assert.Single(await server.Client.GetByteArrayAsync(url));
                using var move = new HttpRequestMessage(new("MOVE"), url);
                move.Headers.Add("Destination", url + "%3F");
                using HttpResponseMessage moved = await server.Client.SendAsync(move);
                Assert.Equal(HttpStatusCode.Created, moved.StatusCode);
                using HttpResponseMessage put = await server.Client.PutAsync(url, new ByteArrayContent(new byte[6 << 20]));
                Assert.Equal(HttpStatusCode.Created, put.StatusCode);
            }

            Assert.Equal((2 * names.Length, 3), await CountAsync(server, "f/"));
            using HttpResponseMessage refused = await server.Client.PutAsync(server.Files + "f/esc%1B", new ByteArrayContent([]));
            Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);
        }
        finally
        {
            // What deletes the bucket cannot list them.
            foreach (string key in hidden)
            {
                await Bucket.Client.DeleteObjectAsync(Bucket.Name, "f/" + key);
            }
        }
    }

    [NeedsTheory(Need.Ceph)]
    [InlineData("01 - What is love?.mp3")]
    [InlineData("aux.txt")]
    [InlineData("sub/ends with a dot.")]
    [InlineData("back\\slash")]
    [InlineData("a\tb")]
    [InlineData("%2e%2e")]
    public async Task Folder_with_a_key_that_is_not_a_valid_name_is_not_deleted(string key)
    {
        await Bucket.PutAsync("f/02.mp3", new byte[1]);
        await Bucket.PutAsync("f/" + key, new byte[1]);
        await using ServedBucket server = await ServeAsync("--names", "portable");

        Assert.Equal((1, 1), await CountAsync(server, "f/?recursive"));
        using HttpResponseMessage refused = await DeleteAsync(server, "f/");
        Assert.Equal(HttpStatusCode.Conflict, refused.StatusCode);
        using JsonDocument problem = JsonDocument.Parse(await refused.Content.ReadAsStringAsync());
        Assert.Equal(1, problem.RootElement.GetProperty("omitted").GetInt32());
        Assert.Equal(2, (await Bucket.KeysAsync("f/")).Count);

        await Bucket.Client.DeleteObjectAsync(Bucket.Name, "f/" + key);
        using HttpResponseMessage deleted = await DeleteAsync(server, "f/");
        Assert.Equal(HttpStatusCode.NoContent, deleted.StatusCode);
        Assert.Empty(await Bucket.KeysAsync("f/"));
    }

    [NeedsTheory(Need.Ceph)]
    [InlineData("")]
    [InlineData("&recursive")]
    public async Task Pages_add_up_to_all_keys_that_are_left_out(string query)
    {
        for (int i = 0; i < 10; i++)
        {
            await Bucket.PutAsync($"f/{i}", new byte[1]);
            await Bucket.PutAsync($"f/{i}?", new byte[1]);
            await Bucket.PutAsync($"f/{i}:", new byte[1]);
        }

        await using ServedBucket server = await ServeAsync("--names", "portable");
        foreach (int limit in (int[])[1, 2, 3, 5, 10, 11])
        {
            Assert.Equal((10, 20), await CountAsync(server, $"f/?limit={limit}{query}"));
        }
    }

    [NeedsTheory(Need.Ceph)]
    [InlineData("")]
    [InlineData("foreign")]
    [InlineData("1/2")]
    [InlineData("12")]
    [InlineData("9999999999")]
    [InlineData("99999999999999999999")]
    [InlineData("-000000001")]
    public async Task Foreign_object_among_the_claims_of_a_name_stops_nobody(string key)
    {
        string hash = Convert.ToHexStringLower(SHA256.HashData("a"u8))[..32];
        await Bucket.PutAsync($".millrace/claims/{hash}/{key}", new byte[1]);
        await Bucket.PutAsync("a", "old"u8.ToArray());
        await using S3FileStore store = Open();

        Assert.True(await store.DeleteAsync(TransferName.Parse("a"), new WritePrecondition { MustExist = true }, default));
    }

    private static async Task<IEnumerable<string>> ListAsync(ServedBucket server, string folder)
    {
        using JsonDocument page = await GetPageAsync(server, folder);
        return [.. page.RootElement.GetProperty("entries").EnumerateArray().Select(entry => entry.GetProperty("name").GetString()!)];
    }

    /// <summary>Counts the entries of all pages of a listing, and the omitted ones.</summary>
    private static async Task<(int Entries, int Omitted)> CountAsync(ServedBucket server, string folder)
    {
        (int entries, int omitted) = (0, 0);
        string after = "";
        do
        {
            using JsonDocument page = await GetPageAsync(server, folder + after);
            entries += page.RootElement.GetProperty("entries").GetArrayLength();
            omitted += page.RootElement.TryGetProperty("omitted", out JsonElement count) ? count.GetInt32() : 0;
            after = page.RootElement.TryGetProperty("next", out JsonElement next) && next.GetString() is { } name ? $"&after={name}" : "";
        }
        while (after.Length > 0);
        return (entries, omitted);
    }

    private static async Task<JsonDocument> GetPageAsync(ServedBucket server, string folder)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, server.Files + folder);
        request.Headers.Add("Accept", "application/json");
        using HttpResponseMessage response = await server.Client.SendAsync(request);
        return JsonDocument.Parse(await response.Content.ReadAsStringAsync());
    }

    private static async Task<HttpResponseMessage> DeleteAsync(ServedBucket server, string folder)
    {
        using var request = new HttpRequestMessage(HttpMethod.Delete, server.Files + folder);
        request.Headers.Add("Depth", "infinity");
        return await server.Client.SendAsync(request);
    }
}
