using System.Collections.Concurrent;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>Batches where files are reported, and where nothing may be written.</summary>
public sealed class DecoratedBatchTests
{
    [Fact]
    public async Task Each_stored_file_is_reported_once()
    {
        var received = new Received();
        await using ServedFolder served = await ServedFolder.StartAsync(options => options.Events = new FileEventOptions { Receiver = received });
        await served.WriteAsync("old", new byte[] { 1 });
        BatchResultDocument[] results = await Batch.PutAsync(
            served.Client, "files/?batch",
            Batch.File("one", [1]), Batch.File("old", [2, 3]), Batch.File("old", [4], ""","ifNoneMatch":"*" """), Batch.File("../out", [5]), Batch.File("d/two", [6]));
        Assert.Equal([201, 204, 412, 400, 201], results.Select(static one => one.Status));
        await Bounded.UntilAsync(() => received.Events.Count >= 3);
        Assert.Equal(
            [("d/two", 1L, results[4].Tag), ("old", 2L, results[1].Tag), ("one", 1L, results[0].Tag)],
            received.Events.Select(static one => (one.Name.Value, one.Length ?? -1, one.Tag?.ToString())).Order());
    }

    [Fact]
    public async Task Names_of_one_batch_are_reported_in_the_order_of_their_versions()
    {
        var received = new Received();
        await using ServedFolder served = await ServedFolder.StartAsync(options => options.Events = new FileEventOptions { Receiver = received });
        await Batch.PutAsync(served.Client, "files/?batch", [.. Enumerable.Range(1, 20).Select(static i => Batch.File("same", new byte[i]))]);
        await Bounded.UntilAsync(() => received.Events.Count >= 20);
        Assert.Equal(Enumerable.Range(1, 20).Select(static i => (long?)i), received.Events.Select(static one => one.Length));
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Store_that_only_reads_refuses_each_file_as_a_put()
    {
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions { Store = new LocalFileStoreOptions { ReadOnly = true } });
        await server.WriteAsync("old", new byte[] { 1 });
        using HttpResponseMessage put = await server.Client.PutAsync("files/new", new ByteArrayContent([1]));
        BatchResultDocument[] results = await Batch.PutAsync(server.Client, "files/?batch", Batch.File("new", [1]), Batch.File("old", [2]), Batch.File("d/x", [2]));
        Assert.All(results, one => Assert.Equal(((int)put.StatusCode, "Forbidden"), (one.Status, one.Error)));
        Assert.Equal(["old"], server.VisibleFiles());
        Assert.Equal([1], await File.ReadAllBytesAsync(server.PathOf("old")));
    }

    private sealed class Received : IFileEvents
    {
        public ConcurrentQueue<FileEvent> Events { get; } = new();

        public ValueTask DeliverAsync(FileEvent fileEvent, CancellationToken cancellationToken)
        {
            Events.Enqueue(fileEvent);
            return default;
        }
    }
}
