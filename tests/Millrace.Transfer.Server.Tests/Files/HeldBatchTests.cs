using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Millrace.Transfer.Server.Interop;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>What a batch holds open while its body arrives, and what happens to it meanwhile. The clock stands still.</summary>
[NeedsLocalFolder]
public sealed partial class HeldBatchTests : ServerTest
{
    private readonly StepClock _clock = new();

    protected override RunningServerOptions Options => new()
    {
        Store = new LocalFileStoreOptions { TrashLifetime = TimeSpan.FromDays(1) },
        Services = services => services.AddSingleton<TimeProvider>(_clock),
    };

    private LocalStore Store => ((LocalFileStore)Server.Store).Core;

    [Theory]
    [InlineData("move")]
    [InlineData("delete")]
    [InlineData("exchange")]
    [InlineData("other program")]
    [InlineData("other program deletes")]
    public async Task Every_acknowledged_file_has_its_name_whatever_becomes_of_its_folder(string change)
    {
        (byte[], byte[])[] files = [.. Enumerable.Range(0, 3).Select(static i => Batch.File($"above/d/{i}", [(byte)i]))];
        await Server.WriteAsync("above/d/old", new byte[] { 1 });
        await Server.WriteAsync("above/other/old", new byte[] { 1 });
        using RawConnection connection = await BeginAsync(Batch.Joined(files).Length);
        Assert.True(await connection.SendAsync(Batch.Joined(files[..2])));
        await UntilHeldAsync(2);
        switch (change)
        {
            case "move":
                await Server.Store.MoveAsync(TransferName.Parse("above/d"), TransferName.Parse("moved"), default, default);
                break;
            case "delete":
                await Server.Store.DeleteFolderAsync(TransferName.Parse("above"), default, default);
                break;
            case "exchange":
                await ((IFolderClones)Server.Store).ExchangeFoldersAsync(TransferName.Parse("above/d"), TransferName.Parse("above/other"), default, default);
                break;
            case "other program":
                Directory.Move(Server.PathOf("above"), Server.PathOf("moved"));
                break;
            default:
                Directory.Delete(Server.PathOf("above"), recursive: true);
                break;
        }

        Assert.True(await connection.SendAsync(Batch.Joined(files[2..])));
        BatchResultDocument[] results = Results(await connection.ReadToEndAsync());
        Assert.Equal(201, results[2].Status);
        Assert.All(results, static one => Assert.True(one.Status is 201 or 503));
        Assert.Equal(
            [.. results.Where(static one => one.Status == 201).Select(static one => one.Name)],
            Server.VisibleFiles().Where(static name => name.StartsWith("above/d/", StringComparison.Ordinal) && !name.EndsWith("old", StringComparison.Ordinal)));
        Assert.DoesNotContain(Server.VisibleFiles(), static name => name.StartsWith("moved/", StringComparison.Ordinal) && !name.EndsWith("old", StringComparison.Ordinal));
        Assert.All(Server.Leftovers(), static name => Assert.StartsWith(NameRules.HiddenFolder, name, StringComparison.Ordinal));
        Assert.Equal(0, Store.BatchHandles);
        Assert.Empty(Server.Complaints);
    }

    [Fact]
    public async Task Complete_files_are_published_while_the_next_one_is_awaited()
    {
        byte[] body = Batch.Joined(Batch.File("a", Content.Of(3000)), Batch.File("d/b", Content.Of(3000)));
        using RawConnection connection = await BeginAsync(body.Length);
        Assert.True(await connection.SendAsync(body[..^10]));
        await Bounded.UntilAsync(() =>
        {
            _clock.Advance(TimeSpan.FromSeconds(1));
            return Server.VisibleFiles().Count > 0 && Store.BatchHandles == 0;
        });
        Assert.Equal(["a"], Server.VisibleFiles());
        Assert.True(await connection.SendAsync(body[^10..]));
        Assert.Equal([201, 201], Results(await connection.ReadToEndAsync()).Select(static one => one.Status));
        Assert.Equal(["a", "d/b"], Server.VisibleFiles());
    }

    [Fact]
    public async Task Batches_of_all_callers_hold_a_bounded_number_of_files_open()
    {
        List<RawConnection> connections = [];
        for (int i = 0; i < 3; i++)
        {
            byte[] body = Batch.Joined([.. Enumerable.Range(0, 250).Select(n => Batch.File($"{i}/{n}", []))]);
            connections.Add(await BeginAsync(body.Length + 10));
            Assert.True(await connections[i].SendAsync(body));
        }

        // Each of them could hold all of its files.
        await Bounded.UntilAsync(() => Server.VisibleFiles().Count > 0);
        Assert.True(Store.BatchHandles < 1024 + (3 * 3));
        connections.ForEach(static one => one.Dispose());
        await Bounded.UntilAsync(() => Store.BatchHandles == 0 && Server.Leftovers().Count == 0);
    }

    [Fact]
    public async Task Client_that_goes_away_leaves_nothing_unfinished()
    {
        byte[] body = Batch.Joined(Batch.File("a", Content.Of(3000)), Batch.File("b", Content.Of(3000)));
        using (RawConnection connection = await BeginAsync(body.Length))
        {
            Assert.True(await connection.SendAsync(body[..^10]));
            await UntilHeldAsync(1);
        }

        await Bounded.UntilAsync(() => Store.BatchHandles == 0 && Server.Leftovers().Count == 0);
        Assert.DoesNotContain("b", Server.VisibleFiles());
        Assert.Empty(Server.Complaints);
    }

    [Fact]
    public async Task Files_are_not_acknowledged_when_their_folder_cannot_be_flushed()
    {
        if (((LocalFileStore)Server.Store).TryBeginBatch() is not { } batch)
        {
            return;
        }

        using (batch)
        {
            List<LocalBatch.Written> written = [];
            foreach (string name in (string[])["d/a", "d/b", "e/c"])
            {
                written.Add(await batch.WriteAsync(TransferName.Parse(name), new CreateFileOptions(), new byte[] { 1 }, expected: null, default));
            }

            await batch.FlushAsync(written);
            foreach (LocalBatch.Written one in written)
            {
                await batch.PublishAsync(one, default);
            }

            // The system refuses to flush by a handle that only names a place.
            using SafeFileHandle place = BeneathOpen.Path(written[0].Place.Handle, "a", out int error);
            Assert.Equal(0, error);
            Assert.True(Duplicate(place, written[0].Place.Handle) >= 0);
            var failed = new ConcurrentDictionary<string, TransferError>();
            batch.FlushNames(written, (one, exception) => failed[one.Name.Value] = exception.Error);
            Assert.Equal(["d/a", "d/b"], failed.Keys.Order());
            written.ForEach(static one => one.Dispose());
        }

        Assert.Equal(0, Store.BatchHandles);
    }

    private Task<RawConnection> BeginAsync(int length) => RawConnection.OpenAsync(
        Server.Address, $"POST /files/?batch HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {BatchFileDocument.MediaType}\r\nContent-Length: {length}\r\n\r\n");

    /// <summary>Waits until files of one folder are written; a store without calls of Linux publishes them at once.</summary>
    private Task UntilHeldAsync(int files) =>
        Bounded.UntilAsync(() => Store.Native ? Store.BatchHandles >= 1 + (2 * files) : Server.VisibleFiles().Count >= files);

    private static BatchResultDocument[] Results(string response)
    {
        Assert.Equal(200, RawResponse.Parse(response).Status);
        return [.. response[response.IndexOf("\r\n\r\n", StringComparison.Ordinal)..].Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
            .Select(static line => JsonSerializer.Deserialize(line, TransferJson.Default.BatchResultDocument)!)];
    }

    [LibraryImport("libc", EntryPoint = "dup2", SetLastError = true)]
    private static partial int Duplicate(SafeFileHandle from, SafeFileHandle to);
}
