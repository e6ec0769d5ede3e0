using System.Diagnostics;
using Millrace.Transfer;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Syncs whose client or server is killed at random moments: no file is torn, and the same command completes the rest.</summary>
[Trait("Tier", "All")]
public sealed class KilledSyncTests : CommandTests
{
    private const int LargeBytes = 3_000_000;

    /// <summary>Longer than this no run is left alone before it is killed.</summary>
    private static readonly TimeSpan LongestRun = TimeSpan.FromMinutes(2);

    [NeedsTheory(Need.Unix)]
    [InlineData("up", false)]
    [InlineData("up", true)]
    [InlineData("down", false)]
    [InlineData("down", true)]
    [InlineData("copy", false)]
    [InlineData("copy", true)]
    public async Task Killed_sync_leaves_whole_files_and_is_completed_by_the_same_command(string direction, bool isAtomic)
    {
        KeepsPorts = true;
        string[] versions = direction == "down" ? ["served/one", "served/two"] : ["one", "two"];
        string target = direction == "up" ? "served/target" : "target";
        WriteVersions(versions);
        using ServedCommand server = await ServeAsync("served");
        await using var relay = new StallingRelay(() => server.Port);
        Assert.Equal(0, (await EndAsync(Start(Arguments(0)))).ExitCode);
        long began = Stopwatch.GetTimestamp();
        Assert.Equal(0, (await EndAsync(Start(Arguments(1)))).ExitCode);
        TimeSpan usual = Stopwatch.GetElapsedTime(began);
        Assert.Equal(FilesOf(versions[1]), FilesOf(target));

        var random = new Random(direction.Length + (isAtomic ? 1 : 0));
        int rounds = Soak.Times(4, 20);
        for (int round = 0; round < rounds; round++)
        {
            SortedDictionary<string, (string, FileTime)> before = FilesOf(target);
            SortedDictionary<string, (string, FileTime)> after = FilesOf(versions[round % 2]);

            // Half of them are certain to be in their middle; the others may also be at their beginning, at their end, and between files.
            bool isStalled = direction != "copy" && round % 4 < 2;
            bool killsServer = direction != "copy" && round % 2 == 1;
            if (isStalled)
            {
                long bytes = random.Next(1, LargeBytes / 4);
                relay.Stall(direction == "up" ? bytes : long.MaxValue, direction == "down" ? bytes : long.MaxValue);
            }

            Process client = Start(Arguments(round % 2));
            await (isStalled ? relay.StalledAsync() : Task.WhenAny(client.WaitForExitAsync(), Task.Delay(usual * random.NextDouble())))
                .WaitAsync(LongestRun);
            if (killsServer)
            {
                await server.KillAsync();
            }
            else
            {
                client.Kill();
                await TestProcess.WaitAsync(client);
            }

            // A client that goes on may exchange the folder between two looks into it, so only what is seen twice was there.
            SortedDictionary<string, (string, FileTime)> found = [];
            await Bounded.UntilAsync(() =>
            {
                try
                {
                    SortedDictionary<string, (string, FileTime)> again = FilesOf(target);
                    (bool isSeenTwice, found) = (found.SequenceEqual(again), again);
                    return isSeenTwice || !killsServer;
                }
                catch (IOException) when (killsServer)
                {
                    // The client has renamed or deleted something meanwhile.
                    return false;
                }
            });

            ThrowIfTorn(before, after, found, isAtomic);
            relay.CutAndRelease();
            if (killsServer)
            {
                await server.StartAgainAsync();
                (int exitCode, _, string error) = await EndAsync(client);
                Assert.True(exitCode == 0, error);
            }

            (int code, string output, string errors) = await EndAsync(Start(Arguments(round % 2)));
            Assert.True(code == 0, output + errors);
            Assert.Equal(after, FilesOf(target));
            if (isAtomic)
            {
                Assert.DoesNotContain(
                    Directory.GetDirectories(Path.GetDirectoryName(Folder[target])!),
                    static path => Path.GetFileName(path).StartsWith("target.", StringComparison.Ordinal));
            }
        }

        string[] Arguments(int version)
        {
            string source = direction == "down" ? relay.Files + Path.GetFileName(versions[version]) + "/" : versions[version];
            string[] sides = [source, direction == "up" ? relay.Files + "target/" : target];
            string[] options = isAtomic ? ["--atomic", "--delete"] : ["--delete"];
            return ["sync", .. options, "--max-delete", "100%", "--delta", "always", "--attempts", "1000", .. sides];
        }
    }

    /// <summary>Two versions of a folder, with a large file that has an insertion, a renamed one, and some that only one of them has.</summary>
    private void WriteVersions(string[] versions)
    {
        byte[] large = Content.Random(LargeBytes, 1);
        for (int i = 0; i < 2; i++)
        {
            string version = versions[i];
            byte[] insertion = Content.Random(i * LargeBytes / 2, 2);
            Folder.Write($"{version}/large", [.. large.AsSpan(0, LargeBytes / 3), .. insertion, .. large.AsSpan(LargeBytes / 3)]);
            Folder.Write($"{version}/new-{i}", Content.Random(LargeBytes / 2, 3 + i));
            Folder.Write($"{version}/renamed-{i}/file", Content.Random(LargeBytes / 10, 5));
            for (int file = 0; file < 30; file++)
            {
                // A third of them is the same, a third has another date, and a third another content.
                string name = $"{version}/small/{file}";
                Folder.Write(name, Content.Random(2_000 + file, file % 3 == 0 ? file + (100 * i) : file));
            }

            foreach (string path in Directory.EnumerateFiles(Folder[version], "*", SearchOption.AllDirectories))
            {
                bool isSame = Path.GetDirectoryName(path)!.EndsWith("small", StringComparison.Ordinal)
                    && int.Parse(Path.GetFileName(path), null) % 3 == 1;
                LocalTime.Set(path, new FileTime(1_000_000 + (isSame ? 0 : i), 123_456_789));
            }
        }
    }

    private static void ThrowIfTorn(
        SortedDictionary<string, (string, FileTime)> before,
        SortedDictionary<string, (string, FileTime)> after,
        SortedDictionary<string, (string, FileTime)> found,
        bool isAtomic)
    {
        if (isAtomic)
        {
            Assert.True(
                found.SequenceEqual(before) || found.SequenceEqual(after),
                "The folder is neither the old nor the new version. Old and new besides: "
                    + $"{string.Join(", ", found.Except(before).Select(static file => file.Key))}; {string.Join(", ", found.Except(after).Select(static file => file.Key))}.");
            return;
        }

        foreach ((string name, (string Digest, FileTime) file) in found)
        {
            // A renamed file gets its date after its name.
            Assert.True(
                (before.TryGetValue(name, out (string, FileTime) old) && old == file)
                || (after.TryGetValue(name, out (string Digest, FileTime) next)
                    && (next == file || (name.StartsWith("renamed-", StringComparison.Ordinal) && next.Digest == file.Digest))),
                $"'{name}' is neither the old nor the new version.");
        }

        Assert.All(before.Keys.Intersect(after.Keys), name => Assert.True(found.ContainsKey(name), $"'{name}' is missing."));
    }
}
