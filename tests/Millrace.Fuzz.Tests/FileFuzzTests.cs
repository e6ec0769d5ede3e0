using System.IO.Compression;
using System.Text.Json.Nodes;
using Millrace.Lab;
using Millrace.Lab.Cli;
using Millrace.Lab.Results;
using Millrace.Transfer;
using Millrace.Transfer.Server;

namespace Millrace.Fuzz.Tests;

/// <summary>Damaged files that we wrote: they are read, or refused with the exception that is documented, and no other.</summary>
public sealed class FileFuzzTests : FolderTests
{
    [Fact]
    public async Task Damaged_tokens_are_read_or_refused()
    {
        var store = new TokenStore(Folder["tokens.json"]);
        CreatedToken token = await store.AddAsync("one", TransferScope.Read | TransferScope.Write, lifetime: TimeSpan.FromDays(1));
        await store.AddAsync("two", TransferScope.List);
        byte[] valid = await File.ReadAllBytesAsync(store.Path);
        await Fuzzing.RunAsync(async (random, input) =>
        {
            byte[] damaged = Mutation.Change(random, valid);
            input.Add(damaged);
            string path = Folder["damaged.json"];
            await File.WriteAllBytesAsync(path, damaged);
            var read = new TokenStore(path);
            try
            {
                // A file that lost its tokens must not be one that needs none.
                Assert.NotNull(read.List());
                _ = read.Find(token.Secret);
            }
            catch (TransferException exception)
            {
                Assert.Equal(TransferError.Failed, exception.Error);
            }
        });
    }

    [Fact]
    public async Task Damaged_results_are_read_or_refused()
    {
        byte[] valid = await ShortResultsAsync();
        await Fuzzing.RunAsync(async (random, input) =>
        {
            byte[] damaged = Mutation.Change(random, valid, most: 8);
            string path = Folder["results.json"];
            await File.WriteAllBytesAsync(path, damaged);
            input.Add(damaged);
            try
            {
                Assert.NotEmpty(ReportWriter.Write(Folder.Path, [ResultsFile.Read(path)]));
            }
            catch (LabException exception)
            {
                Assert.Contains(path, exception.Message, StringComparison.Ordinal);
            }
        });
    }

    // The first cases of a committed run, so that most changes hit something else than one more sample.
    private static async Task<byte[]> ShortResultsAsync()
    {
        string path = Path.Combine(Repository.Root, "results/intel-xeon-2-cores-linux-6.18/transfers", ResultsFile.PackedName);
        await using var packed = new GZipStream(File.OpenRead(path), CompressionMode.Decompress);
        JsonNode results = (await JsonNode.ParseAsync(packed))!;
        JsonArray cases = results["cases"]!.AsArray();
        while (cases.Count > 3)
        {
            cases.RemoveAt(cases.Count - 1);
        }

        return Mutation.Latin(results.ToJsonString());
    }
}
