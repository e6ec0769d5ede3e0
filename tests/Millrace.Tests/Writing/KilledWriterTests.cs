using System.Buffers.Binary;
using System.Globalization;
using Millrace.Interop;

namespace Millrace.Tests.Writing;

/// <summary>
/// A process that publishes files is killed with SIGKILL at random moments: under every name is a whole file, and every file
/// reported as published is there.
/// </summary>
public sealed class KilledWriterTests
{
    private const int LongestMilliseconds = 40;

    [Theory]
    [InlineData(WriteStrategy.Auto, 1)]
    [InlineData(WriteStrategy.Direct, 2)]
    public async Task After_a_kill_the_target_is_completely_old_or_new(WriteStrategy strategy, int seed)
    {
        using var folder = new TemporaryFolder();
        var random = new Random(seed);
        long first = 1;
        for (int kill = 0; kill < Soak.Times(12, 150); kill++)
        {
            long published = await RunAndKillAsync(folder, "replace", strategy, first, random);
            long found = File.Exists(folder["file"]) ? WholeVersion(folder["file"], seed, kill) : first - 1;
            Assert.True(
                found == published || found == published + 1,
                $"Seed {seed}, kill {kill}: version {published} was published, {found} is there.");
            AssertNothingElse(folder, ["file"]);
            first = found + 1;
        }
    }

    [Theory]
    [InlineData(WriteStrategy.Auto, 3)]
    [InlineData(WriteStrategy.Buffered, 4)]
    public async Task After_a_kill_a_new_file_is_complete_or_missing(WriteStrategy strategy, int seed)
    {
        using var folder = new TemporaryFolder();
        var random = new Random(seed);
        long first = 1;
        for (int kill = 0; kill < Soak.Times(12, 150); kill++)
        {
            long published = await RunAndKillAsync(folder, "create", strategy, first, random);
            long last = published;
            if (File.Exists(folder[Name(published + 1)]))
            {
                // Published, and killed before it could say so.
                last++;
            }

            for (long version = first; version <= last; version++)
            {
                Assert.Equal(version, WholeVersion(folder[Name(version)], seed, kill));
                File.Delete(folder[Name(version)]);
            }

            AssertNothingElse(folder, []);
            first = last + 1;
        }
    }

    private static string Name(long version) => version.ToString(CultureInfo.InvariantCulture);

    /// <returns>The last version that it reported as published.</returns>
    private static async Task<long> RunAndKillAsync(
        TemporaryFolder folder, string mode, WriteStrategy strategy, long first, Random random)
    {
        using var child = ChildProcess.Start("publish", folder.Path, mode, strategy.ToString(), Name(first));
        string started = await child.ReadLineAsync();
        await Task.Delay(TimeSpan.FromMilliseconds(random.NextDouble() * LongestMilliseconds));
        await child.KillAsync();
        string[] rest = await child.ReadRestAsync();
        return long.Parse(rest.LastOrDefault() ?? started, CultureInfo.InvariantCulture);
    }

    private static long WholeVersion(string path, int seed, int kill)
    {
        byte[] content = File.ReadAllBytes(path);
        if (content.Length == 0)
        {
            return long.Parse(Path.GetFileName(path), CultureInfo.InvariantCulture);
        }

        long version = BinaryPrimitives.ReadInt64LittleEndian(content);
        Assert.True(
            content.Length == PublishedVersion.LengthOf(version),
            $"Seed {seed}, kill {kill}: version {version} has {content.Length} bytes, not {PublishedVersion.LengthOf(version)}.");
        for (int i = 0; i < content.Length; i += sizeof(long))
        {
            Assert.True(
                BinaryPrimitives.ReadInt64LittleEndian(content.AsSpan(i)) == version,
                $"Seed {seed}, kill {kill}: version {version} is another at {i}.");
        }

        return version;
    }

    /// <summary>Only what clean-up recognises, and removes.</summary>
    private static void AssertNothingElse(TemporaryFolder folder, string[] names)
    {
        string[] leftovers = [.. folder.Names.Except(names, StringComparer.Ordinal)];
        Assert.All(leftovers, name => Assert.True(StagedName.Is(name), name));
        Assert.Equal(leftovers.Length, FilePipe.CleanUp(folder.Path));
        Assert.Empty(folder.Names.Except(names, StringComparer.Ordinal));
    }
}
