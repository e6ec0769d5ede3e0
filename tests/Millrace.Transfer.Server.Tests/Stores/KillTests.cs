extern alias Child;

using System.Diagnostics;
using System.Globalization;
using Child::Millrace.Transfer.Server.Tests.Child;

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>A server that is killed while it takes uploads has acknowledged only saved bytes.</summary>
public sealed class KillTests
{
    [Fact]
    public async Task After_a_kill_no_file_is_partial_saved_bytes_are_kept_and_uploads_resume()
    {
        int runs = Soak.Times(10, 100);
        int firstSeed = Random.Shared.Next(1_000_000);
        for (int seed = firstSeed; seed < firstSeed + runs; seed++)
        {
            using var folder = new TemporaryFolder();
            int moment = new Random(seed).Next(1, 200);
            Acknowledged acknowledged = await KillAsync(folder.Path, seed, moment);
            try
            {
                await CheckAsync(folder, seed, acknowledged);
            }
            catch (Exception exception)
            {
                throw new InvalidOperationException($"Seed {seed}, killed after {moment} lines.", exception);
            }
        }
    }

    private static async Task<Acknowledged> KillAsync(string folder, int seed, int moment)
    {
        var acknowledged = new Acknowledged([], [], []);
        using var process = Process.Start(new ProcessStartInfo(
            "dotnet",
            [
                "exec",
                Path.Combine(AppContext.BaseDirectory, "Millrace.Transfer.Server.Tests.Child.dll"),
                "upload",
                folder,
                seed.ToString(CultureInfo.InvariantCulture),
            ])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
        })!;
        try
        {
            int seen = 0;
            while (await process.StandardOutput.ReadLineAsync().Soon() is { } line)
            {
                string[] words = line.Split(' ');
                int number = int.Parse(words[1], CultureInfo.InvariantCulture);
                switch (words[0])
                {
                    case "begun":
                        Assert.True(UploadId.TryParse(words[2], out UploadId id));
                        acknowledged.Begun[number] = id;
                        break;
                    case "saved":
                        acknowledged.Saved[number] = long.Parse(words[2], CultureInfo.InvariantCulture);
                        break;
                    default:
                        acknowledged.Published.Add($"{(words[0] == "put" ? "put" : "upload")}/{number}");
                        break;
                }

                if (++seen == moment)
                {
                    // Lines printed until its end count as well.
                    process.Kill();
                }
            }

            await process.WaitForExitAsync().Soon();
            Assert.True(seen >= moment, await process.StandardError.ReadToEndAsync().Soon());
        }
        finally
        {
            process.Kill();
        }

        return acknowledged;
    }

    private static async Task CheckAsync(TemporaryFolder folder, int seed, Acknowledged acknowledged)
    {
        await using var store = new LocalFileStore(folder.Path);
        FilePage page = await store.ListAsync(new ListFilesOptions { Recursive = true, PageSize = 10_000 }, default);
        foreach (FileEntry entry in page.Entries)
        {
            await IsWholeAsync(store, folder, seed, entry.Name);
        }

        Assert.Empty(acknowledged.Published.Except(page.Entries.Select(entry => entry.Name.Value)));
        foreach ((int number, UploadId id) in acknowledged.Begun)
        {
            UploadStatus status = (await store.FindUploadAsync(id, takeOver: true, default))!;
            Assert.InRange(status.Offset, acknowledged.Saved.GetValueOrDefault(number), status.Length!.Value);
            if (!status.IsComplete)
            {
                await using UploadWriter writer = await store.AppendUploadAsync(id, status.Offset, discardable: false, default);
                await writer.Output.WriteAsync(
                    UploadedContent.Of(seed, number, status.Offset, (int)(status.Length.Value - status.Offset)));
                await writer.SaveAsync(default);
            }

            await store.CompleteUploadAsync(id, null, default);
            await IsWholeAsync(store, folder, seed, status.Name);
        }
    }

    private static async Task IsWholeAsync(LocalFileStore store, TemporaryFolder folder, int seed, TransferName name)
    {
        int number = int.Parse(name.FileName, CultureInfo.InvariantCulture);
        byte[] expected = UploadedContent.Of(seed, number, 0, UploadedContent.LengthOf(seed, number));
        byte[] content = await File.ReadAllBytesAsync(folder[name.Value]);
        Assert.True(expected.AsSpan().SequenceEqual(content), $"{name} is not whole.");
        StoredFile? file = await store.FindAsync(name, DigestNeed.Always, default);
        Assert.Equal(Sha256Digest.Compute(expected), file!.Sha256);
    }

    private sealed record Acknowledged(
        Dictionary<int, UploadId> Begun, Dictionary<int, long> Saved, HashSet<string> Published);
}
