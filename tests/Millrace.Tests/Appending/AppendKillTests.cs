using System.Globalization;

namespace Millrace.Tests.Appending;

/// <summary>A process that is killed while it appends has acknowledged only finished appends.</summary>
public sealed class AppendKillTests
{
    private const int Writers = 4;

    [Fact]
    public async Task Every_acknowledged_record_is_in_the_file_whole_after_a_kill()
    {
        int runs = Soak.Times(20, 300);
        int firstSeed = Random.Shared.Next(1_000_000);
        for (int seed = firstSeed; seed < firstSeed + runs; seed++)
        {
            // The output to wait for before the kill; the child's progress meanwhile sets the moment.
            int moment = new Random(seed).Next(1, 300);
            string path = TestFolder.NewPath();
            int[] acknowledged = await KillAsync(path, seed, moment);
            string? wrong = Check(path, seed, acknowledged);
            Assert.True(wrong is null, $"Seed {seed}, killed after {moment} records: {wrong}");
            File.Delete(path);
        }
    }

    /// <summary>Runs it until a number of records is acknowledged, and kills it.</summary>
    /// <returns>How many records of each writer were acknowledged.</returns>
    private static async Task<int[]> KillAsync(string path, int seed, int moment)
    {
        int[] acknowledged = new int[Writers];
        using ChildProcess child = ChildProcess.Start(
            "append", path, Writers.ToString(CultureInfo.InvariantCulture), seed.ToString(CultureInfo.InvariantCulture));
        for (int seen = 0; seen < moment; seen++)
        {
            Count(await child.ReadLineAsync());
        }

        // Records acknowledged until its end count as well.
        await child.KillAsync();
        foreach (string line in await child.ReadRestAsync())
        {
            Count(line);
        }

        return acknowledged;

        void Count(string line)
        {
            string[] words = line.Split(' ');
            int writer = int.Parse(words[0], CultureInfo.InvariantCulture);
            Assert.Equal(acknowledged[writer]++, int.Parse(words[1], CultureInfo.InvariantCulture));
        }
    }

    private static string? Check(string path, int seed, int[] acknowledged)
    {
        byte[] before = File.ReadAllBytes(path);
        long whole = before.AsSpan().LastIndexOf((byte)'\n') + 1;
        var options = new FileAppendOptions { Boundary = RecordBoundary.Lines, TornTail = TornTailAction.Truncate };
        using (FileAppendWriter writer = FilePipe.Append(path, options))
        {
            TornTail? expected = whole == before.Length ? null : new TornTail(whole, before.Length - whole);
            if (writer.TornTail != expected)
            {
                return $"the torn tail is {writer.TornTail}, not {expected}";
            }
        }

        int[] found = new int[Writers];
        foreach (string line in File.ReadLines(path))
        {
            int writer = line[0] - '0';
            if (line + "\n" != AppendedRecord.Line(seed, writer, found[writer]))
            {
                return $"record {found[writer]} of writer {writer} is '{line[..Math.Min(40, line.Length)]}…'";
            }

            found[writer]++;
        }

        for (int writer = 0; writer < Writers; writer++)
        {
            if (found[writer] < acknowledged[writer])
            {
                return $"writer {writer} got {acknowledged[writer]} records acknowledged, but the file has {found[writer]}";
            }
        }

        return null;
    }
}
