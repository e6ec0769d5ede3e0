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

    [NeedsTheory(Need.Ceph), InlineData(100), InlineData(12_000_000)]
    public async Task File_that_is_put_while_another_one_is_moved_to_its_name_stays(int bytes)
    {
        byte[] content = Content.Random(bytes, 1);
        bool put = false;
        await using S3FileStore other = Open();
        var between = new CountedClient
        {
            Answer = request =>
            {
                // The move has looked, and does not know the file that is put now.
                if (!put && (request.Method == HttpMethod.Put || request.RequestUri!.Query.Contains("uploads", StringComparison.Ordinal))
                    && request.RequestUri!.AbsolutePath.EndsWith("/to", StringComparison.Ordinal))
                {
                    put = true;
                    other.PutAsync("to", "acknowledged"u8.ToArray()).GetAwaiter().GetResult();
                }

                return null;
            },
        };
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = between);
        await using S3FileStore store = Open(client);
        await store.PutAsync("from", content);

        Exception? refused = await Record.ExceptionAsync(
            async () => await store.MoveAsync("from".Name(), "to".Name(), new MoveOptions { Replace = false }, default));

        Assert.True(put);
        Assert.Equal(TransferError.AlreadyExists, Assert.IsType<TransferException>(refused).Error);
        Assert.Equal("acknowledged"u8.ToArray(), await store.GetAsync("to"));
        Assert.Equal(content, await store.GetAsync("from"));
        Assert.Empty(await Bucket.OpenUploadsAsync());
    }

    [NeedsFact(Need.Ceph)]
    public async Task Moved_file_keeps_what_another_tool_wrote_about_it()
    {
        await Bucket.Client.PutObjectAsync(new PutObjectRequest
        {
            BucketName = Bucket.Name,
            Key = "from",
            InputStream = new MemoryStream(new byte[6_000_000]),
            ContentType = "text/plain",
            Metadata = { ["mtime"] = "1234.5" },
        });
        await using S3FileStore store = Open();

        await store.MoveAsync("from".Name(), "to".Name(), new MoveOptions { Replace = false }, default);

        GetObjectMetadataResponse head = await Bucket.Client.GetObjectMetadataAsync(Bucket.Name, "to");
        Assert.Equal(("text/plain", "1234.5"), (head.Headers.ContentType, head.Metadata["mtime"]));
    }

    [NeedsTheory(Need.Ceph)]
    [InlineData(100)]
    [InlineData(6_000_000)]
    public async Task Program_is_one_in_its_metadata_and_stays_one_where_it_is_moved_and_dated(int bytes)
    {
        await using S3FileStore store = Open();
        foreach (bool isExecutable in (bool[])[true, false])
        {
            await using StoredFileWriter writer = await store.CreateAsync(
                "from".Name(), new CreateFileOptions { Length = bytes, IsExecutable = isExecutable }, default);
            await writer.Output.WriteAsync(new byte[bytes]);
            await writer.CommitAsync(null, default);

            Assert.Equal(isExecutable, (await store.FindAsync("from".Name(), DigestNeed.IfKnown, default))!.IsExecutable);
            await store.MoveAsync("from".Name(), "to".Name(), new MoveOptions { Replace = true }, default);
            await store.SetModifiedAsync("to".Name(), new FileTime(1000, 0), default, default);
            Assert.Equal(isExecutable, (await store.FindAsync("to".Name(), DigestNeed.IfKnown, default))!.IsExecutable);
        }
    }

    [NeedsFact(Need.Ceph)]
    public async Task Name_as_long_as_a_key_is_one_of_a_file_and_not_of_a_folder()
    {
        string folders = string.Concat(Enumerable.Repeat(new string('d', 203) + "/", 5));
        TransferName longest = (folders + "1234").Name();
        await using S3FileStore store = Open();
        await store.PutAsync("from", "content"u8.ToArray());

        TransferException refused = await Assert.ThrowsAsync<TransferException>(async () => await store.CreateFolderAsync(longest, default));
        Assert.Equal(TransferError.InvalidName, refused.Error);
        Assert.False(await store.FolderExistsAsync(longest, default));
        await store.MoveAsync("from".Name(), longest, new MoveOptions { Replace = false }, default);
        Assert.Equal("content"u8.ToArray(), await store.GetAsync(longest.Value));
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

    /// <param name="digests">Files whose digest is a separate object.</param>
    private async Task AssertNothingIsLeftAsync(int digests)
    {
        Assert.Equal(digests, (await Bucket.KeysAsync(".millrace/digests/")).Count);
        Assert.Empty(await Bucket.KeysAsync(".millrace/claims/"));
        Assert.Empty(await Bucket.OpenUploadsAsync());
    }
}
