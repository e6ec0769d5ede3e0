namespace Millrace.Tests.Child;

/// <summary>Reads and writes a small file, in that order, each a few times, so that the last time there is nothing to prepare.</summary>
internal static class SmallFiles
{
    private const int Rounds = 3;

    public static void Run(string folder)
    {
        string read = Path.Combine(folder, "read");
        File.WriteAllBytes(read, TestContent.Of(1_000).ToArray());
        for (int i = 0; i < Rounds; i++)
        {
            using FilePipeReader reader = FilePipe.OpenRead(read);
            while (reader.Read() is { IsCompleted: false } result)
            {
                reader.AdvanceTo(result.Buffer.End);
            }
        }

        for (int i = 0; i < Rounds; i++)
        {
            using FilePipeWriter writer = FilePipe.Create(Path.Combine(folder, $"written-{i}"), new FileWriteOptions { Durability = Durability.None });
            TestContent.Of(1_000).CopyTo(writer.GetMemory(1_000));
            writer.Advance(1_000);
            _ = writer.Commit();
        }
    }
}
