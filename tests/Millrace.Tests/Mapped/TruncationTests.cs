using System.Diagnostics;
using System.Globalization;
using Millrace.Sources;
using Xunit.Abstractions;

namespace Millrace.Tests.Mapped;

/// <summary>Truncations by another process, while a process that would not survive a SIGBUS reads.</summary>
public sealed class TruncationTests(ITestOutputHelper output)
{
    private const int Rounds = 200;
    private const int Size = (2 * MappedSource.WindowBytes) + 100_001;

    /// <summary>About the time that the child takes to read a file; it holds the last bytes until the file was truncated.</summary>
    private static readonly TimeSpan LongestRead = TimeSpan.FromMilliseconds(50);

    [Trait("Tier", "All")]
    [MappedFact]
    public async Task Two_hundred_truncations_at_random_moments_end_no_process_and_change_no_byte_handed_out()
    {
        var random = new Random(1);
        var delays = new List<double>();
        var outcomes = new Dictionary<string, int>(StringComparer.Ordinal);
        using ChildProcess child = ChildProcess.Start("follow-truncations");
        for (int round = 0; round < Rounds; round++)
        {
            string path = TestFolder.NewFile(Size);
            child.WriteLine(path);
            Assert.Equal("Mapped", await child.ReadLineAsync());
            Stopwatch moment = Stopwatch.StartNew();
            double until = random.NextDouble() * LongestRead.TotalMilliseconds;
            while (moment.Elapsed.TotalMilliseconds < until)
            {
                await Task.Yield();
            }

            Stopwatch delay = Stopwatch.StartNew();
            await Task.Factory.StartNew(
                () => Change(random, path),
                CancellationToken.None,
                TaskCreationOptions.LongRunning,
                TaskScheduler.Default).Soon();
            delays.Add(delay.Elapsed.TotalMilliseconds);
            child.WriteLine("truncated");
            string answer = await child.ReadLineAsync();
            Assert.True(answer.StartsWith("right ", StringComparison.Ordinal), $"round {round}: {answer}");
            outcomes[answer] = outcomes.GetValueOrDefault(answer) + 1;
            File.Delete(path);
        }

        Assert.Equal(0, await child.EndAsync());
        delays.Sort();
        output.WriteLine($"writer delayed by {delays[Rounds / 2]:F2} ms (median), {delays[^1]:F2} ms (longest)");
        output.WriteLine(string.Join(", ", outcomes.Select(outcome => $"{outcome.Key}: {outcome.Value}")));

        // After this many seconds the system takes the lease away.
        int longest = int.Parse(await File.ReadAllTextAsync("/proc/sys/fs/lease-break-time"), CultureInfo.InvariantCulture);
        Assert.True(delays[^1] < 1000.0 * longest, $"a writer waited for {delays[^1]} ms");
    }

    [MappedFact]
    public async Task A_starved_thread_pool_delays_no_writer()
    {
        string path = TestFolder.NewFile(Size);
        using ChildProcess child = ChildProcess.Start("starve", path);
        await TruncateAsync(path, child);
    }

    [MappedFact]
    public async Task A_full_signal_queue_delays_no_writer_and_ends_no_process()
    {
        // Without room for a real-time signal the kernel sends SIGIO, which names no file and ends a process that does not expect it.
        string path = TestFolder.NewFile(Size);
        using ChildProcess child = ChildProcess.StartAfter("ulimit -i 0", "starve", path);
        await TruncateAsync(path, child);
    }

    /// <summary>Truncates a file that a child holds, which then finds its bytes unchanged.</summary>
    private static async Task TruncateAsync(string path, ChildProcess child)
    {
        Assert.Equal("holding", await child.ReadLineAsync());
        await Task.Factory.StartNew(
            () => Writers.OpenTruncating(path),
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default).Soon();
        child.WriteLine("look");
        Assert.Equal("right", await child.ReadLineAsync());
        Assert.Equal(0, await child.EndAsync());
    }

    private static void Change(Random random, string path)
    {
        switch (random.Next(6))
        {
            case 0:
                Writers.OpenTruncating(path);
                break;
            case 1:
                Writers.OpenAndTruncate(path, random.Next(Size));
                break;
            case 2:
                Writers.Overwrite(path, TestContent.Inverted(Size));
                break;
            default:
                Writers.TruncateByName(path, random.Next(Size));
                break;
        }
    }
}
