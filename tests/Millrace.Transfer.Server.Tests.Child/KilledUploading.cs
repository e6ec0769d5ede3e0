namespace Millrace.Transfer.Server.Tests.Child;

/// <summary>
/// Uploads file after file, several at once, and prints the safe state: <c>begun NUMBER ID</c>, <c>saved NUMBER OFFSET</c>,
/// <c>published NUMBER</c>, <c>put NUMBER</c>.
/// </summary>
internal static class KilledUploading
{
    private const int Uploaders = 3;

    public static async Task RunAsync(string folder, int seed)
    {
        await using var store = new LocalFileStore(folder);
        await Task.WhenAll(Enumerable.Range(0, Uploaders).Select(first => UploadAsync(store, seed, first)));
    }

    private static async Task UploadAsync(LocalFileStore store, int seed, int first)
    {
        await Task.Yield();
        var random = new Random(seed + first);
        for (int number = first; ; number += Uploaders)
        {
            int length = UploadedContent.LengthOf(seed, number);
            if (random.Next(4) == 0)
            {
                await PutAsync(store, seed, number, length);
            }
            else
            {
                await UploadAsync(store, random, seed, number, length);
            }
        }
    }

    private static async Task PutAsync(LocalFileStore store, int seed, int number, int length)
    {
        await using StoredFileWriter writer = await store.CreateAsync(
            TransferName.Parse($"put/{number}"), new CreateFileOptions { Length = length }, default);
        await writer.Output.WriteAsync(UploadedContent.Of(seed, number, 0, length));
        await writer.CommitAsync(null, default);
        Say($"put {number}");
    }

    private static async Task UploadAsync(LocalFileStore store, Random random, int seed, int number, int length)
    {
        await using StoredUpload upload = await store.Uploads.StartAsync(
            new StartUploadOptions { Name = TransferName.Parse($"upload/{number}"), Length = length }, default);
        Say($"begun {number} {upload.Id}");
        while (!upload.Status.IsComplete)
        {
            long offset = upload.Status.Offset;
            int piece = Math.Min(random.Next(1, 100_000), length - (int)offset);
            await using UploadWriter writer = await upload.AppendAsync(offset, discardable: random.Next(3) == 0, default);
            await writer.Output.WriteAsync(UploadedContent.Of(seed, number, offset, piece));
            await writer.SaveAsync(default);
            Say($"saved {number} {upload.Status.Offset}");
        }

        await upload.CompleteAsync(null, default);
        Say($"published {number}");
    }

    private static void Say(string line)
    {
        lock (Console.Out)
        {
            Console.Out.WriteLine(line);
            Console.Out.Flush();
        }
    }
}
