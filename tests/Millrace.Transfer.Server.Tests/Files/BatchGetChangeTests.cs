namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>POST FOLDER/?batch=get while its files change, and of a store that fails.</summary>
public sealed class BatchGetChangeTests : ServerTest
{
    private static readonly byte[] Old = Content.Of(3000);

    public static TheoryData<string, bool> Changes
    {
        get
        {
            var all = new TheoryData<string, bool>();
            foreach (string change in (string[])["replaced", "deleted", "truncated", "grown", "rewritten", "rewritten with the old date", "moved"])
            {
                all.Add(change, false);
                all.Add(change, true);
            }

            return all;
        }
    }

    [Theory]
    [MemberData(nameof(Changes))]
    [NeedsLocalFolder]
    public async Task Changed_file_is_given_whole_or_not_at_all(string change, bool portable)
    {
        await using RunningServer files = await RunningServer.StartAsync(new RunningServerOptions { Store = new LocalFileStoreOptions { Portable = portable } });
        string[] tags = [.. (await Batch.PutAsync(files.Client, "files/d/?batch", Batch.File("a", Old), Batch.File("b", Old), Batch.File("c", Old))).Select(static one => one.Tag!)];
        (IFileStore store, OpenedStore opened) = OpenedStore.Create(files.Store);
        opened.Opened = name =>
        {
            if (name == "d/b")
            {
                Change(change, files.PathOf(name));
            }
        };
        await using RunningServer server = await ServeAsync(store);
        (BatchResultDocument Line, byte[] Content)[] got = await Batch.GetAsync(server.Client, "files/d/?batch=get", "a", "b", "c");

        Assert.Equal((200, tags[0]), (got[0].Line.Status, got[0].Line.Tag));
        Assert.Equal(Old, got[0].Content);
        Assert.Equal(change == "moved" ? 404 : 200, got[2].Line.Status);
        (BatchResultDocument line, byte[] content) = got[1];
        if (change is "replaced" or "deleted" or "moved")
        {
            Assert.Equal((200, tags[1], Sha256Digest.Compute(Old).ToBase64()), (line.Status, line.Tag, line.Sha256));
            Assert.Equal(Old, content);
        }
        else if (line.Status == 200)
        {
            // The new bytes of a file whose length and date are the old ones. Linux has the time of the change, too; elsewhere the digest does not fit.
            Assert.Equal("rewritten with the old date", change);
            Assert.Equal(new byte[Old.Length], content);
            Assert.Equal(Sha256Digest.Compute(portable ? Old : content).ToBase64(), line.Sha256);
        }
        else
        {
            Assert.Equal((409, "Changed", null), (line.Status, line.Error, line.Length));
        }

        Assert.Empty(server.Complaints);
    }

    [Theory]
    [InlineData("replaced")]
    [InlineData("deleted")]
    public async Task File_of_any_store_that_changes_is_of_one_version(string change)
    {
        string tag = (await Batch.PutAsync(Client, "files/?batch", Batch.File("a", Old))).Single().Tag!;
        (IFileStore store, OpenedStore opened) = OpenedStore.Create(Server.Store);
        opened.Opened = _ =>
        {
            using HttpResponseMessage changed = Task.Run(() => change == "deleted" ? Client.DeleteAsync("files/a") : Client.PutAsync("files/a", new ByteArrayContent([1]))).GetAwaiter().GetResult();
            Assert.Equal(HttpStatusCode.NoContent, changed.StatusCode);
        };
        await using RunningServer server = await ServeAsync(store);
        (BatchResultDocument line, byte[] content) = (await Batch.GetAsync(server.Client, "files/?batch=get", "a")).Single();
        if (line.Status == 200)
        {
            Assert.Equal(tag, line.Tag);
            Assert.Equal(Old, content);
        }
        else
        {
            Assert.Contains(line.Status, (int[])[404, 409]);
        }
    }

    [Fact]
    public async Task Sixteen_files_are_opened_at_once_and_come_in_order()
    {
        string[] names = [.. Enumerable.Range(0, 50).Select(static i => $"{i}")];
        await Batch.PutAsync(Client, "files/?batch", [.. names.Select((name, i) => Batch.File(name, Content.Of(i * 1000)))]);
        (IFileStore store, OpenedStore opened) = OpenedStore.Create(Server.Store);
        var waiting = new List<TaskCompletionSource>();
        opened.Opening = () =>
        {
            lock (waiting)
            {
                var one = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                waiting.Add(one);
                return one.Task;
            }
        };
        await using RunningServer server = await ServeAsync(store);
        Task<(BatchResultDocument Line, byte[] Content)[]> getting = Batch.GetAsync(server.Client, "files/?batch=get", names);
        for (int open = 0; open < names.Length; open += 16)
        {
            // All but the first of them are there, and nothing more is opened.
            await Bounded.UntilAsync(() => Waiting() == Math.Min(16, names.Length - open));
            TaskCompletionSource[] all;
            lock (waiting)
            {
                all = [.. waiting];
                waiting.Clear();
            }

            foreach (TaskCompletionSource one in all.Skip(1).Reverse())
            {
                one.SetResult();
            }

            Assert.False(getting.IsCompleted);
            Assert.Equal(0, Waiting());
            all[0].SetResult();
        }

        (BatchResultDocument Line, byte[] Content)[] got = await getting.Soon();
        Assert.Equal(names, got.Select(static one => one.Line.Name));
        Assert.All(got.Select(static (one, i) => (one.Content, i)), static one => Assert.Equal(Content.Of(one.i * 1000), one.Content));

        int Waiting()
        {
            lock (waiting)
            {
                return waiting.Count;
            }
        }
    }

    [Fact]
    public async Task Files_are_not_read_faster_than_the_client_receives()
    {
        await Server.WriteAsync("large", new byte[BatchUpload.MaxFileBytes]);
        (IFileStore store, OpenedStore opened) = OpenedStore.Create(Server.Store);
        int files = 0;
        opened.Opened = _ => Interlocked.Increment(ref files);
        await using RunningServer server = await ServeAsync(store);
        string body = string.Concat(Enumerable.Repeat(Batch.Name("large"), BatchUpload.MaxFiles));
        using RawConnection client = await RawConnection.OpenAsync(
            server.Address,
            $"POST /files/?batch=get HTTP/1.1\r\nHost: x\r\nContent-Type: {BatchFileDocument.ResultsMediaType}\r\nContent-Length: {body.Length}\r\n\r\n{body}");

        // The system's buffers take some, too.
        for (int received = 1; received <= 50; received++)
        {
            await client.SkipAsync((int)BatchUpload.MaxFileBytes);
            Assert.InRange(Volatile.Read(ref files), received - 1, received + 16 + 50);
        }

        client.Reset();
    }

    [Fact]
    public async Task Files_ahead_of_those_that_are_sent_are_limited_for_all_requests_together()
    {
        const int Requests = 6;
        string[] names = [.. Enumerable.Range(0, 20).Select(static i => $"{i}")];
        await Batch.PutAsync(Client, "files/?batch", [.. names.Select(static name => Batch.File(name, Content.Of(1000)))]);
        (IFileStore store, OpenedStore opened) = OpenedStore.Create(Server.Store);
        var open = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        int opening = 0;
        opened.Opening = () =>
        {
            Interlocked.Increment(ref opening);
            return open.Task;
        };
        await using RunningServer server = await ServeAsync(store);
        Task<(BatchResultDocument Line, byte[] Content)[]>[] gets =
            [.. Enumerable.Range(0, Requests).Select(_ => Batch.GetAsync(server.Client, "files/?batch=get", names))];

        // 64 ahead, and the first of each.
        await Bounded.UntilAsync(() => Volatile.Read(ref opening) == 64 + Requests);
        Assert.All(gets, static get => Assert.False(get.IsCompleted));
        open.SetResult();
        foreach (Task<(BatchResultDocument Line, byte[] Content)[]> get in gets)
        {
            Assert.All(await get.Soon(), static one => Assert.Equal(Content.Of(1000), one.Content));
        }

        Assert.Equal(Requests * names.Length, opening);

        // All places are free again.
        (open, opening) = (new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously), 0);
        Task<(BatchResultDocument Line, byte[] Content)[]> last = Batch.GetAsync(server.Client, "files/?batch=get", names);
        await Bounded.UntilAsync(() => Volatile.Read(ref opening) == 16);
        open.SetResult();
        await last.Soon();
    }

    [Fact]
    public async Task File_that_cannot_be_opened_affects_no_other_one()
    {
        await Batch.PutAsync(Client, "files/?batch", Batch.File("a", [1]), Batch.File("b", [2]), Batch.File("c", [3]));
        (IFileStore store, OpenedStore opened) = OpenedStore.Create(Server.Store);
        opened.Refused["b"] = TransferError.Unavailable;
        await using RunningServer server = await ServeAsync(store);
        (BatchResultDocument Line, byte[] Content)[] got = await Batch.GetAsync(server.Client, "files/?batch=get", "a", "b", "c");
        Assert.Equal([(200, null), (503, "Unavailable"), (200, null)], got.Select(static one => (one.Line.Status, one.Line.Error)));
    }

    [Fact]
    public async Task Fault_of_the_server_leaves_a_response_without_its_end()
    {
        await Batch.PutAsync(Client, "files/?batch", Batch.File("a", Content.Of(100_000)), Batch.File("b", [2]), Batch.File("c", [3]));
        (IFileStore store, OpenedStore opened) = OpenedStore.Create(Server.Store);
        opened.Opened = static name => _ = name == "b" ? throw new InvalidOperationException("A fault.") : name;
        await using RunningServer server = await ServeAsync(store);
        string body = string.Concat(Batch.Name("a"), Batch.Name("b"), Batch.Name("c"));
        string response = (await RawConnection.ExchangeAsync(
            server.Address,
            $"POST /files/?batch=get HTTP/1.1\r\nHost: x\r\nContent-Type: {BatchFileDocument.ResultsMediaType}\r\nContent-Length: {body.Length}\r\n\r\n{body}")).Body;
        Assert.DoesNotContain("\"files\"", response, StringComparison.Ordinal);
        Assert.DoesNotContain("\r\n0\r\n", response, StringComparison.Ordinal);
        Assert.DoesNotContain("A fault.", response, StringComparison.Ordinal);
    }

    private static Task<RunningServer> ServeAsync(IFileStore store) => RunningServer.StartAsync(new RunningServerOptions
    {
        Map = (application, _, options) => application.MapMillraceFiles(options.FilesPath, store, options),
    });

    private static void Change(string change, string path)
    {
        DateTime modified = File.GetLastWriteTimeUtc(path);
        switch (change)
        {
            case "replaced":
                File.WriteAllBytes(path + " new", [1]);
                File.Move(path + " new", path, overwrite: true);
                break;
            case "deleted":
                File.Delete(path);
                break;
            case "moved":
                Directory.Move(Path.GetDirectoryName(path)!, Path.GetDirectoryName(path) + " elsewhere");
                break;
            case "truncated":
                using (var file = new FileStream(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
                {
                    file.SetLength(Old.Length - 1);
                }

                break;
            case "grown":
                File.AppendAllText(path, "x");
                break;
            default:
                File.WriteAllBytes(path, new byte[Old.Length]);
                File.SetLastWriteTimeUtc(path, change == "rewritten" ? modified.AddSeconds(1) : modified);
                break;
        }
    }
}
