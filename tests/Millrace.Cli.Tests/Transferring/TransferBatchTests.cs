using System.Collections;
using Millrace.Transfer;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Moves of very many files.</summary>
public sealed class TransferBatchTests
{
    [Fact]
    public async Task Files_that_are_done_and_those_whose_turn_has_not_come_take_no_memory()
    {
        var files = new Files();
        int alive = int.MaxValue;
        int code = await TransferBatch.RunAsync(
            Job(
                files,
                (item, _, _) =>
                {
                    if (item.Bytes == files.Count - 1)
                    {
#pragma warning disable RS0030 // Whether something takes memory is what this measures.
                        GC.Collect();
#pragma warning restore RS0030
                        alive = files.Made.Count(static made => made.IsAlive);
                    }

                    return Task.FromResult(new TransferResult(item.Name, 0, null, null, TransferProtocol.Http1, 0, 1));
                }),
            default);

        Assert.Equal(ExitCode.Success, code);
        Assert.Equal(files.Count, files.Made.Count);
        Assert.InRange(alive, 1, 100);
    }

    [Fact]
    public async Task Of_files_that_travel_together_a_few_are_looked_at_at_the_same_time()
    {
        const int Files = 100;
        int running = 0;
        int most = 0;
        int moved = 0;
        var all = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        TransferItem[] items = [.. Enumerable.Range(0, Files).Select(i => new TransferItem($"{i}", TransferName.Parse($"{i}"), $"http://h/files/{i}", i)
        {
            Remote = new RemoteEntry(default, false, i, null, null, null),
        })];

        int code = await TransferBatch.RunAsync(
            Job(
                items,
                async (item, _, cancellationToken) =>
                {
                    // All of them travel together in the end.
                    if (Interlocked.Increment(ref moved) == Files)
                    {
                        all.TrySetResult();
                    }

                    await all.Task.WaitAsync(TimeSpan.FromMinutes(2), cancellationToken);
                    return new TransferResult(item.Name, 0, null, null, TransferProtocol.Http1, 0, 1);
                })
            with
            {
                SmallAtOnce = static () => FileTurns.Most,
                IsPresent = async (_, cancellationToken) =>
                {
                    lock (all)
                    {
                        most = Math.Max(most, ++running);
                    }

                    await Task.Delay(5, cancellationToken);
                    lock (all)
                    {
                        running--;
                    }

                    return false;
                },
            },
            default);

        Assert.Equal(ExitCode.Success, code);
        Assert.InRange(most, 1, FileTurns.SmallAtOnce);
    }

    private static TransferJob Job(
        IReadOnlyCollection<TransferItem> items, Func<TransferItem, IProgress<TransferProgress>, CancellationToken, Task<TransferResult>> move) => new()
        {
            Command = "put",
            Verb = "Put",
            NameReason = "with bad names",
            Settings = new TransferSettings { Client = new TransferClientOptions(), Quiet = true },
            Items = items,
            Output = TextWriter.Null,
            Describe = static item => item.Path,
            Continues = true,
            Move = move,
        };

    /// <summary>Weak references to files that are made one after the other.</summary>
    private sealed class Files : IReadOnlyCollection<TransferItem>
    {
        public int Count => 10_000;

        public List<WeakReference> Made { get; } = [];

        public IEnumerator<TransferItem> GetEnumerator()
        {
            for (int i = 0; i < Count; i++)
            {
                yield return Make(i);
            }
        }

        IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

        private TransferItem Make(int number)
        {
            var item = new TransferItem($"{number}", TransferName.Parse($"{number}"), $"http://h/files/{number}", number);
            Made.Add(new WeakReference(item));
            return item;
        }
    }
}
