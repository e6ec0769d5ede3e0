using System.Collections.Concurrent;

namespace Millrace.Transfer.Tests.Syncing;

/// <summary>Folders that are kept in step.</summary>
public sealed class SyncWatchTests : SyncTest
{
    private static readonly TimeSpan Settle = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Whatever_happens_in_the_source_happens_in_the_target(int seed)
    {
        using TransferClient client = Server.Connect();
        var random = new Random(seed);
        await using Watching watching = Watch(client, new SyncOptions { Delete = true, Force = true, Settle = Settle });
        for (int round = 0; round < 8; round++)
        {
            FolderSyncTests.Scramble(Here.Path, random);
            if (Directory.Exists(Here["b"]) && !Path.Exists(Here["moved"]))
            {
                Directory.Move(Here["b"], Here["moved"]);
            }

            if (round % 2 == 0)
            {
                await watching.InStepAsync();
            }
        }

        await watching.InStepAsync();
    }

    [Fact]
    public async Task Ten_thousand_changes_a_second_end_in_step()
    {
        using TransferClient client = Server.Connect();
        await using Watching watching = Watch(client, new SyncOptions { Delete = true, Force = true, Settle = Settle });
        Directory.CreateDirectory(Here["many"]);
        Parallel.For(0, 4, worker =>
        {
            for (int i = 0; i < 10_000; i++)
            {
                string path = Here[$"many/{worker}-{i % 300}"];
                if (i % 7 == 3)
                {
                    File.Delete(path);
                }
                else
                {
                    File.WriteAllText(path, $"{i}");
                }
            }
        });
        await watching.InStepAsync();
    }

    [Fact]
    public async Task Everything_is_compared_again_when_notifications_were_lost_or_never_come()
    {
        using TransferClient client = Server.Connect();
        var silent = new SyncWatch(Here.Path, Settle, TimeSpan.FromDays(1));
        await using (Watching watching = Watch(client, new SyncOptions { Settle = Settle }, silent))
        {
            await watching.InStepAsync();
            await watching.PlannedAsync();
            Here.Write("sub/a", [1]);
            silent.Lose(new InternalBufferOverflowException());
            await watching.InStepAsync();
            Assert.Empty(watching.Faults);

            Here.Write("sub/b", [1]);
            silent.Lose(new IOException("There are too many watches."));
            await watching.InStepAsync();
            Assert.Contains("too many watches", Assert.Single(watching.Faults).Exception.Message, StringComparison.Ordinal);
        }

        await using Watching polling = Watch(client, new SyncOptions { Settle = Settle }, new SyncWatch(Here.Path, Settle, Settle));
        await polling.PlannedAsync();
        Here.Write("c", [1]);
        await polling.InStepAsync();
    }

    [Fact]
    public async Task File_that_has_just_changed_is_not_moved()
    {
        using TransferClient client = Server.Connect();
        Here.Write("old", [1]);
        LocalTime.Set(Here["old"], new FileTime(1_000_000_000, 0));
        Here.Write("new", [1]);
        await using Watching watching = Watch(client, new SyncOptions { Settle = TimeSpan.FromHours(1) });
        await watching.PlannedAsync();
        Assert.Equal(["f/old"], Server.Visible());
    }

    [Fact]
    public async Task Limits_of_removals_and_the_source_itself_hold_for_every_comparison()
    {
        using TransferClient client = Server.Connect();
        for (int i = 0; i < 10; i++)
        {
            Here.Write($"sub/{i}", [1]);
        }

        await using (Watching watching = Watch(client, new SyncOptions { Delete = true, MaxDeleteShare = 1, Settle = Settle }))
        {
            await watching.InStepAsync();
            File.Delete(Here["sub/1"]);
            await watching.InStepAsync();
            Directory.Move(Here["sub"], Here.Path + "-elsewhere");
            try
            {
                Assert.Contains("the source has no file", (await watching.EndAsync()).Message, StringComparison.Ordinal);
            }
            finally
            {
                Directory.Move(Here.Path + "-elsewhere", Here["sub"]);
            }
        }

        Assert.Equal(9, Server.Visible().Count);
        await using Watching gone = Watch(client, new SyncOptions { Delete = true, Settle = Settle });
        await gone.PlannedAsync();
        Directory.Move(Here.Path, Here.Path + "-elsewhere");
        try
        {
            File.Delete(Here.Path + "-elsewhere/sub/2");
            Assert.Equal(TransferError.NotFound, (await gone.EndAsync()).Error);
        }
        finally
        {
            Directory.Move(Here.Path + "-elsewhere", Here.Path);
        }

        Assert.Equal(9, Server.Visible().Count);
    }

    [Fact]
    public async Task Failed_files_are_tried_again()
    {
        using TransferClient client = Server.Connect();
        await using Watching watching = Watch(client, new SyncOptions { Settle = Settle });
        Server.Write("f/a/in the way", 1);
        Here.Write("a", [1]);
        await watching.FailedAsync();
        File.Delete(Server.PathOf("f/a/in the way"));
        Directory.Delete(Server.PathOf("f/a"));
        await watching.InStepAsync();
    }

    private Watching Watch(TransferClient client, SyncOptions options, SyncWatch? watch = null) => new(
        Sync(client, "up", options), Here.Path, Server.PathOf("f"), watch);

    private sealed class Watching : IAsyncDisposable
    {
        private readonly CancellationTokenSource _stop = new();
        private readonly string _from;
        private readonly string _to;
        private readonly SyncWatch? _watch;
        private readonly Task _task;
        private readonly ConcurrentQueue<Exception> _errors = [];
        private int _plans;

        public Watching(FolderSync sync, string from, string to, SyncWatch? watch)
        {
            _from = from;
            _to = to;
            _watch = watch;
            _task = watch is null ? sync.WatchAsync(RunAsync, _stop.Token) : sync.RunWatchAsync(watch, from, RunAsync, _stop.Token);

            async Task<IReadOnlyCollection<TransferName>> RunAsync(SyncPlan plan, CancellationToken token)
            {
                var failed = new ConcurrentQueue<TransferName>();
                plan.Faults.ToList().ForEach(Faults.Enqueue);
                await sync.RunAsync(
                    plan,
                    new Direct(done =>
                    {
                        if (done.Error is not null)
                        {
                            failed.Enqueue(done.Step.Name);
                            _errors.Enqueue(done.Error);
                        }
                    }),
                    token);
                Interlocked.Increment(ref _plans);
                return failed;
            }
        }

        public ConcurrentQueue<SyncFault> Faults { get; } = [];

        /// <summary>Waits until both trees are the same.</summary>
        public Task InStepAsync() => UntilAsync(() => FolderSyncTests.Tree(_from).SequenceEqual(Directory.Exists(_to) ? FolderSyncTests.Tree(_to) : []));

        public Task PlannedAsync() => UntilAsync(() => Volatile.Read(ref _plans) > 0);

        public Task FailedAsync() => UntilAsync(() => !_errors.IsEmpty);

        public async Task<TransferException> EndAsync() => await Assert.ThrowsAsync<TransferException>(() => _task.WaitAsync(Patience));

        public async ValueTask DisposeAsync()
        {
            await _stop.CancelAsync();
            await _task.ContinueWith(static _ => { }, TaskScheduler.Default);
            _watch?.Dispose();
            _stop.Dispose();
        }

        private async Task UntilAsync(Func<bool> isDone)
        {
            using var patience = new CancellationTokenSource(Patience);
            while (!Try(isDone))
            {
                if (_task.IsCompleted)
                {
                    await _task;
                }

                if (patience.IsCancellationRequested)
                {
                    Assert.Fail(
                        $"It never came, after {_plans} plans and the errors: {string.Join("; ", _errors.Select(static error => error.Message))}; "
                        + string.Join(", ", FolderSyncTests.Tree(_from).Except(FolderSyncTests.Tree(_to))));
                }

                await Task.Delay(50);
            }
        }

        private static bool Try(Func<bool> isDone)
        {
            try
            {
                return isDone();
            }
            catch (IOException)
            {
                // A file went away while the trees were compared.
                return false;
            }
        }
    }
}
