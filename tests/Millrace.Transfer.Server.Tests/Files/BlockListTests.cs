namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>The list of a file's blocks is a document with the file's version.</summary>
public sealed class BlockListTests : ServerTest
{
    private static readonly byte[] Bytes = Content.Random(1_500_000);

    [Fact]
    public async Task List_has_the_sums_and_the_version_of_the_file()
    {
        await Server.WriteAsync("a.txt", Bytes);
        using HttpResponseMessage file = await SendAsync(HttpMethod.Head, "files/a.txt");
        using HttpResponseMessage response = await GetAsync("files/a.txt?blocks", ("Accept-Encoding", "gzip"));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(BlockSums.MediaType, response.Content.Headers.ContentType?.ToString());
        Assert.Equal(file.Field("ETag"), response.Field("ETag"));
        Assert.Null(response.Field("Repr-Digest"));
        byte[] document = await response.Content.ReadAsByteArrayAsync();
        Assert.Equal(await DocumentAsync(Bytes), document);

        using HttpResponseMessage head = await SendAsync(HttpMethod.Head, "files/a.txt?blocks");
        Assert.Equal(document.Length, head.Content.Headers.ContentLength);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(5000)]
    public async Task Short_files_have_lists_too(int length)
    {
        await Server.WriteAsync("a", Bytes.AsMemory(0, length));
        using HttpResponseMessage response = await GetAsync("files/a?blocks");
        Assert.Equal(await DocumentAsync(Bytes[..length]), await response.Content.ReadAsByteArrayAsync());
    }

    [Fact]
    public async Task Rest_of_a_list_is_a_range()
    {
        await Server.WriteAsync("a", Bytes);
        byte[] document = await DocumentAsync(Bytes);
        using HttpResponseMessage whole = await GetAsync("files/a?blocks");
        using HttpResponseMessage rest = await GetAsync("files/a?blocks", ("Range", "bytes=1000-"), ("If-Range", whole.Field("ETag")!));
        Assert.Equal(HttpStatusCode.PartialContent, rest.StatusCode);
        Assert.Equal($"bytes 1000-{document.Length - 1}/{document.Length}", rest.Content.Headers.ContentRange?.ToString());
        Assert.Equal(document[1000..], await rest.Content.ReadAsByteArrayAsync());
        await GetAsync("files/a?blocks", ("Range", "bytes=1000-"), ("If-Range", "\"other\"")).AnswersAsync(HttpStatusCode.OK);
        await GetAsync("files/a?blocks", ("Range", "bytes=100000000-")).AnswersAsync(HttpStatusCode.RequestedRangeNotSatisfiable);
    }

    [Fact]
    public async Task Conditions_are_about_the_version()
    {
        await Server.WriteAsync("a", Bytes);
        using HttpResponseMessage first = await GetAsync("files/a?blocks");
        string tag = first.Field("ETag")!;
        await GetAsync("files/a?blocks", ("If-None-Match", tag)).AnswersAsync(HttpStatusCode.NotModified);
        await GetAsync("files/a?blocks", ("If-Match", tag)).AnswersAsync(HttpStatusCode.OK);
        await GetAsync("files/a?blocks", ("If-Match", "\"other\"")).AnswersAsync(HttpStatusCode.PreconditionFailed);
        await Server.WriteAsync("a", Bytes.AsMemory(1));
        await GetAsync("files/a?blocks", ("If-Match", tag)).AnswersAsync(HttpStatusCode.PreconditionFailed);
        using HttpResponseMessage second = await GetAsync("files/a?blocks");
        Assert.Equal(await DocumentAsync(Bytes[1..]), await second.Content.ReadAsByteArrayAsync());
    }

    [Fact]
    public async Task Missing_file_has_no_list() =>
        await GetAsync("files/none?blocks").AnswersAsync(HttpStatusCode.NotFound);

    [Fact]
    public async Task List_is_computed_once_and_the_kept_ones_are_bounded()
    {
        await using var lists = new BlockLists { MaxKeptBytes = 2 * BlockSums.DocumentBytes(Bytes.Length) };
        using var pass = new TransferPass(null, "one", Server.Store, null!, null, null);
        string[] names = ["a", "b", "c"];
        foreach (string name in names)
        {
            await Server.WriteAsync(name, Bytes);
        }

        async Task GetAsync(string name)
        {
            StoredFile? file = await Server.Store.FindAsync(TransferName.Parse(name), DigestNeed.IfKnown, default);
            BlockSums sums = await lists.GetAsync(Server.Store, pass, file!, default);
            Assert.Equal(Bytes.Length, sums.FileLength);
        }

        await Task.WhenAll(Enumerable.Repeat("a", 10).Select(GetAsync));
        Assert.Equal(1, lists.Computed);
        await GetAsync("b");
        await GetAsync("a");
        await GetAsync("c");
        await GetAsync("a");
        Assert.Equal(3, lists.Computed);
        Assert.Equal(lists.MaxKeptBytes, lists.KeptBytes);
        await GetAsync("b");
        Assert.Equal(4, lists.Computed);
        Assert.Equal(lists.MaxKeptBytes, lists.KeptBytes);
    }

    [Fact]
    public async Task Caller_who_leaves_gives_up_the_place_in_the_queue()
    {
        const int Begun = 2;
        var goesOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        (IFileStore store, OpenedStore opened) = OpenedStore.Create(Server.Store);
        opened.Opening = () => goesOn.Task.Soon();
        await using var lists = new BlockLists();
        using var pass = new TransferPass(null, "one", store, null!, null, null);
        for (int i = 0; i < 10; i++)
        {
            using var leaves = new CancellationTokenSource();
            Task<BlockSums> list = await GetAsync($"{i}", leaves.Token);
            if (i < Begun)
            {
                await Bounded.UntilAsync(() => lists.Computed > i);
            }

            await leaves.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => list);
        }

        Task<BlockSums> last = await GetAsync("last", default);
        goesOn.SetResult();
        await last.Soon();
        Assert.Equal(Begun + 1, lists.Computed);

        async Task<Task<BlockSums>> GetAsync(string name, CancellationToken cancellationToken)
        {
            await Server.WriteAsync(name, Bytes);
            StoredFile? file = await store.FindAsync(TransferName.Parse(name), DigestNeed.IfKnown, default);
            return lists.GetAsync(Server.Store, pass, file!, cancellationToken).AsTask();
        }
    }

    [Fact]
    public async Task Version_that_is_gone_has_no_list_and_leaves_nothing()
    {
        await using var lists = new BlockLists();
        using var pass = new TransferPass(null, "one", Server.Store, null!, null, null);
        await Server.WriteAsync("a", Bytes);
        StoredFile? file = await Server.Store.FindAsync(TransferName.Parse("a"), DigestNeed.IfKnown, default);
        await Server.WriteAsync("a", Bytes.AsMemory(1));
        var refusal = await Assert.ThrowsAsync<TransferException>(async () => await lists.GetAsync(Server.Store, pass, file!, default));
        Assert.Equal(TransferError.Changed, refusal.Error);
        Assert.Equal(0, lists.KeptBytes);
    }

    private static async Task<byte[]> DocumentAsync(byte[] content) => (await BlockSums.ComputeAsync(
        System.IO.Pipelines.PipeReader.Create(new MemoryStream(content)), content.Length, default)).Document.ToArray();
}
