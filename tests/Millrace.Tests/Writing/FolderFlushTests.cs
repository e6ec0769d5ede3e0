using Microsoft.Win32.SafeHandles;
using Millrace.Interop;
using Millrace.Writing;

namespace Millrace.Tests.Writing;

/// <summary>Threads that publish files into one folder share its flushes.</summary>
public sealed class FolderFlushTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [NeedsFact(Need.Native)]
    public async Task Threads_that_wait_for_a_folder_share_the_next_flush()
    {
        using SafeFileHandle folder = Folder.Open(_folder.Path);
        using var release = new ManualResetEventSlim();
        int flushes = 0;
        int Flush(SafeFileHandle handle)
        {
            if (Interlocked.Increment(ref flushes) == 1)
            {
                Assert.True(release.Wait(TimeSpan.FromMinutes(1)));
            }

            return Folder.Flush(handle);
        }

        Task<int> first = Task.Factory.StartNew(() => FolderFlush.Run(folder, Flush), TaskCreationOptions.LongRunning);
        await Bounded.UntilAsync(() => Volatile.Read(ref flushes) == 1);
        var threads = new List<Thread>();
        int succeeded = 0;
        for (int i = 0; i < 6; i++)
        {
            var thread = new Thread(() => Interlocked.Add(ref succeeded, FolderFlush.Run(folder, Flush) == 0 ? 1 : 0)) { IsBackground = true };
            thread.Start();
            threads.Add(thread);
        }

        await Bounded.UntilAsync(() => FolderFlush.WaitingFor(folder) == 6);
        Assert.Equal(1, Volatile.Read(ref flushes));
        release.Set();
        Assert.All(threads, static thread => Assert.True(thread.Join(TimeSpan.FromMinutes(1))));
        Assert.Equal(0, await first);
        Assert.Equal(6, succeeded);
        Assert.Equal(2, flushes);
        Assert.Equal(0, FolderFlush.WaitingFor(folder));
    }

    [NeedsFact(Need.Native)]
    public async Task Flush_that_failed_counts_for_nobody()
    {
        using SafeFileHandle folder = Folder.Open(_folder.Path);
        using var release = new ManualResetEventSlim();
        int flushes = 0;
        int Flush(SafeFileHandle handle)
        {
            int number = Interlocked.Increment(ref flushes);
            Assert.True(release.Wait(TimeSpan.FromMinutes(1)));
            return number == 2 ? Errno.NoSpace : 0;
        }

        Task<int>[] all = [.. Enumerable.Range(0, 4).Select(_ => Task.Factory.StartNew(() => FolderFlush.Run(folder, Flush), TaskCreationOptions.LongRunning))];
        await Bounded.UntilAsync(() => FolderFlush.WaitingFor(folder) == 3);
        release.Set();
        int[] errors = await Task.WhenAll(all).WaitAsync(TimeSpan.FromMinutes(1));

        // The first one; the second, which fails; and one for each of the two that it would have been for.
        Assert.Equal(4, flushes);
        Assert.Single(errors, Errno.NoSpace);
        Assert.Equal(3, errors.Count(static error => error == 0));
    }

    [NeedsFact(Need.Native)]
    public async Task Every_return_follows_a_flush_that_began_after_the_call()
    {
        using SafeFileHandle folder = Folder.Open(_folder.Path);
        long clock = 0;
        long covered = 0;
        int Flush(SafeFileHandle handle)
        {
            long began = Interlocked.Increment(ref clock);
            Thread.Yield();
            Volatile.Write(ref covered, Math.Max(began, Volatile.Read(ref covered)));
            return 0;
        }

        await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Factory.StartNew(
            () =>
            {
                for (int i = 0; i < 500; i++)
                {
                    long called = Interlocked.Increment(ref clock);
                    Assert.Equal(0, FolderFlush.Run(folder, Flush));
                    Assert.InRange(Volatile.Read(ref covered), called + 1, long.MaxValue);
                }
            },
            TaskCreationOptions.LongRunning))).WaitAsync(TimeSpan.FromMinutes(2));
    }
}
