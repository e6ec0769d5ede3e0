namespace Millrace.Transfer.S3.Tests.Serving;

/// <summary>MOVE, MKCOL, and DELETE of a folder with everything in it, with a server over a bucket.</summary>
public sealed class MoveTests : BucketTest
{
    [NeedsFact(Need.Ceph)]
    public async Task Files_of_one_and_of_several_parts_are_renamed_with_their_digests()
    {
        string small = Write("small", 1000);
        string large = Write("large", 17_000_001);
        await using ServedBucket server = await ServeAsync();
        await MillraceCommand.SucceedAsync(Folder.Path, "put", "small", "large", server.Files + "in/");
        foreach ((string name, string digest) in new[] { ("small", small), ("large", large) })
        {
            Assert.Equal(HttpStatusCode.Created, await MoveAsync(server, "in/" + name, "out/" + name));
            using var asked = new HttpRequestMessage(HttpMethod.Head, Url("out/" + name));
            asked.Headers.Add("Want-Repr-Digest", "sha-256=10");
            using HttpResponseMessage head = await server.Client.SendAsync(asked);
            Assert.Equal($"sha-256=:{Convert.ToBase64String(Convert.FromHexString(digest))}:", head.Headers.GetValues("Repr-Digest").Single());
            await MillraceCommand.SucceedAsync(Folder.Path, "get", $"{server.Files}out/{name}", name + ".back");
            Assert.Equal(digest, DigestOf(name + ".back"));
        }

        Assert.Equal(["out/large", "out/small"], await Bucket.VisibleAsync());
        await AssertNothingIsLeftAsync(digests: 1);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Taken_names_stale_versions_and_folders_are_refused()
    {
        await Bucket.PutAsync("a", "a"u8.ToArray());
        await Bucket.PutAsync("b", "b"u8.ToArray());
        await Bucket.PutAsync("folder/file", "c"u8.ToArray());
        await using ServedBucket server = await ServeAsync();

        Assert.Equal(HttpStatusCode.PreconditionFailed, await MoveAsync(server, "a", "b", ("Overwrite", "F")));
        Assert.Equal(HttpStatusCode.PreconditionFailed, await MoveAsync(server, "a", "c", ("If-Match", "\"other\"")));
        Assert.Equal(HttpStatusCode.Conflict, await MoveAsync(server, "a", "folder"));
        Assert.Equal(HttpStatusCode.NotFound, await MoveAsync(server, "none", "c"));
        Assert.Equal(HttpStatusCode.NotImplemented, await MoveAsync(server, "folder/", "other/"));
        Assert.Equal(["a", "b", "folder/file"], await Bucket.VisibleAsync());

        Assert.Equal(HttpStatusCode.NoContent, await MoveAsync(server, "a", "b"));
        Assert.Equal(["b", "folder/file"], await Bucket.VisibleAsync());
        await AssertNothingIsLeftAsync(digests: 0);
        Assert.Equal("a", await server.Client.GetStringAsync(Url("b")));
    }

    [NeedsFact(Need.Ceph)]
    public async Task Of_many_that_move_to_one_name_one_succeeds()
    {
        const int Movers = 8;
        for (int i = 0; i < Movers; i++)
        {
            await Bucket.PutAsync($"from{i}", Encoding.UTF8.GetBytes($"{i}"));
        }

        await using ServedBucket one = await ServeAsync();
        await using ServedBucket two = await ServeAsync();
        HttpStatusCode[] answers = await Task.WhenAll(Enumerable.Range(0, Movers).Select(
            i => MoveAsync(i % 2 == 0 ? one : two, $"from{i}", "to", ("Overwrite", "F"))));
        int winner = Array.IndexOf(answers, HttpStatusCode.Created);
        Assert.Equal(Movers - 1, answers.Count(static answer => answer == HttpStatusCode.PreconditionFailed));
        Assert.Equal($"{winner}", await one.Client.GetStringAsync(Url("to")));
        Assert.Equal(
            Enumerable.Range(0, Movers).Where(i => i != winner).Select(static i => $"from{i}").Append("to"), await Bucket.VisibleAsync());
    }

    [NeedsFact(Need.Ceph)]
    public async Task Folders_are_created_and_deleted_with_everything_in_them()
    {
        await using ServedBucket server = await ServeAsync();
        Assert.Equal(HttpStatusCode.Created, await SendAsync(server, "MKCOL", "new/"));
        Assert.NotEqual(HttpStatusCode.Created, await SendAsync(server, "MKCOL", "new/"));
        Assert.Contains("\"new\"", await MillraceCommand.SucceedAsync(Folder.Path, "ls", "--json", server.Files), StringComparison.Ordinal);

        Write("small", 1000);
        Write("large", 17_000_001);
        await MillraceCommand.SucceedAsync(Folder.Path, "put", "small", "large", server.Files + "new/sub/");
        await Bucket.PutAsync("newer", "stays"u8.ToArray());
        Assert.Equal(HttpStatusCode.NoContent, await SendAsync(server, "DELETE", "new/", ("Depth", "infinity")));
        Assert.Equal(["newer"], await Bucket.VisibleAsync());
        Assert.Equal(HttpStatusCode.NotFound, await SendAsync(server, "DELETE", "new/", ("Depth", "infinity")));
        await AssertNothingIsLeftAsync(digests: 0);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Folder_with_the_prefix_of_another_store_is_not_deleted()
    {
        await Bucket.PutAsync("a/file", "1"u8.ToArray());
        await Bucket.PutAsync("a/team/.millrace/digests/x", "2"u8.ToArray());
        await using ServedBucket server = await ServeAsync();
        Assert.Equal(HttpStatusCode.Conflict, await SendAsync(server, "DELETE", "a/", ("Depth", "infinity")));
        Assert.Equal(["a/file", "a/team/.millrace/digests/x"], await Bucket.KeysAsync("a/"));
    }

    private static Uri Url(string name) => new("/files/" + name, UriKind.Relative);

    private static Task<HttpStatusCode> MoveAsync(ServedBucket server, string from, string to, params (string Name, string Value)[] fields) =>
        SendAsync(server, "MOVE", from, [("Destination", "/files/" + to), .. fields]);

    private static async Task<HttpStatusCode> SendAsync(
        ServedBucket server, string method, string name, params (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), Url(name));
        foreach ((string field, string value) in fields)
        {
            request.Headers.TryAddWithoutValidation(field, value);
        }

        using HttpResponseMessage response = await server.Client.SendAsync(request);
        return response.StatusCode;
    }

    /// <param name="digests">Files whose digest is an object of its own.</param>
    private async Task AssertNothingIsLeftAsync(int digests)
    {
        Assert.Equal(digests, (await Bucket.KeysAsync(".millrace/digests/")).Count);
        Assert.Empty(await Bucket.KeysAsync(".millrace/claims/"));
        Assert.Empty(await Bucket.OpenUploadsAsync());
    }
}
