namespace Millrace.Transfer.S3.Tests.Costs;

/// <summary>A search reads all keys with several lists at once, wherever it divides them. Pages are small here, so that it has to.</summary>
public sealed class KeyWalkTests : BucketTest
{
    private const int MaxKeys = 5;

    public static TheoryData<string> Layouts => ["folders", "numbers", "chain", "mixed", "random"];

    [NeedsTheory(Need.Ceph), MemberData(nameof(Layouts))]
    public async Task Each_file_and_each_folder_is_returned_once(string layout)
    {
        List<string> files = [.. FilesOf(layout)];
        string[] others = ["empty folder/", "a/folder's own object/", ".millrace/documents/1", ".millrace/uploads/x/y", "odd//name", "odd//other"];
        await Parallel.ForEachAsync(
            files.Concat(others), new ParallelOptions { MaxDegreeOfParallelism = 16 }, async (key, _) => await Bucket.PutAsync(key, default));
        var counted = new CountedClient();
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = counted);
        foreach (TransferName top in (TransferName[])[default, .. files.Take(1).Select(static file => file.Name().Folder)])
        {
            counted.Forget();
            List<string> below = [.. files.Where(file => file.Name().IsIn(top))];
            (List<string> found, List<string> folders, int omitted) = await WalkAsync(client, top);
            Assert.Equal(below.Order(StringComparer.Ordinal), found.Order(StringComparer.Ordinal));
            Assert.Equal(FoldersOf(below, top), folders.Order(StringComparer.Ordinal));
            if (top.IsRoot)
            {
                Assert.Equal(2, omitted);
            }

            // Those of the pages, and of places that were looked for or turned out to be empty.
            Assert.InRange(counted.Requests.Count, 1, 16 + (2 * (below.Count + others.Length) / MaxKeys));
        }
    }

    [NeedsFact(Need.Ceph)]
    public async Task Lists_run_at_once_and_none_begins_while_the_caller_does_not_wait()
    {
        await Parallel.ForAsync(0, 200, new ParallelOptions { MaxDegreeOfParallelism = 16 }, async (i, _) => await Bucket.PutAsync($"{i / 10:00}/{i}", default));
        int running = 0;
        var several = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var counted = new CountedClient();
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = counted);
        IAsyncEnumerator<WalkedPage> walk = Walk(client, default, maxKeys: 10).ReadAsync(default).GetAsyncEnumerator();

        // The first page, and where to divide the rest.
        Assert.True(await walk.MoveNextAsync());
        Assert.True(await walk.MoveNextAsync());
        Assert.Equal(2, counted.Requests.Count);
        counted.Hold = _ =>
        {
            if (Interlocked.Increment(ref running) == KeyWalk.MaxLists)
            {
                several.SetResult();
            }

            return several.Task.WaitAsync(TimeSpan.FromMinutes(2));
        };
        Assert.True(await walk.MoveNextAsync());
        Assert.Equal(KeyWalk.MaxLists, running);
        Assert.Equal(2 + KeyWalk.MaxLists, counted.Requests.Count);
        await walk.DisposeAsync();
        Assert.Equal(2 + KeyWalk.MaxLists, counted.Requests.Count);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Folder_of_one_page_takes_one_request_and_a_missing_one_is_refused()
    {
        await Bucket.PutAsync("a/b/c", default);
        var counted = new CountedClient();
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = counted);
        await WalkAsync(client, default);
        Assert.Single(counted.Requests);
        Assert.Equal(TransferError.NotFound, (await Assert.ThrowsAsync<TransferException>(() => WalkAsync(client, "b".Name()))).Error);
    }

    private async Task<(List<string> Files, List<string> Folders, int Omitted)> WalkAsync(IAmazonS3 client, TransferName top)
    {
        (List<string> files, List<string> folders, int omitted) = ([], [], 0);
        await foreach (WalkedPage page in Walk(client, top).ReadAsync(default))
        {
            files.AddRange(page.Files.Select(static file => file.Name.Value));
            folders.AddRange(page.Folders.Select(static folder => folder.Value));
            omitted += page.Omitted;
        }

        return (files, folders, omitted);
    }

    private KeyWalk Walk(IAmazonS3 client, TransferName top, int maxKeys = MaxKeys) =>
        new(new Bucket(client, Bucket.Name), new Keys("", AllowedNames.Native), top) { MaxKeys = maxKeys };

    private static IEnumerable<string> FilesOf(string layout)
    {
        var random = new Random(7);
        return layout switch
        {
            "folders" => Enumerable.Range(0, 400).Select(static i => $"a/{i / 20:000}/{i % 3}/file {i}"),
            "numbers" => Enumerable.Range(0, 400).Select(static i => $"photos/IMG_{i:0000}.jpg"),
            "chain" => Enumerable.Range(0, 300).Select(static i => $"a/b/c/d/e/{(i % 2 == 0 ? "f/g/h/" : "")}{Math.Sqrt(i):R}"),
            "mixed" => Enumerable.Range(0, 100)
                .SelectMany(static i => (string[])[$"d/{i % 7}-/{i}", $"d/{i % 7}/{i}", $"d/{i % 7}", $"\uFF21/{i}", $"\U0001F600/{i}", $".millrace{i}"])
                .Distinct(),
            _ => Enumerable.Range(0, 500)
                .Select(_ => string.Join('/', Enumerable.Range(0, 1 + random.Next(5)).Select(_ => "abAB01-é"[random.Next(8)].ToString())) + "/" + random.Next())
                .Distinct(),
        };
    }

    private static SortedSet<string> FoldersOf(IEnumerable<string> files, TransferName top)
    {
        var folders = new SortedSet<string>(StringComparer.Ordinal);
        foreach (string file in files)
        {
            for (TransferName folder = file.Name().Folder; folder != top; folder = folder.Folder)
            {
                folders.Add(folder.Value);
            }
        }

        return folders;
    }
}
