using Millrace.Interop;

namespace Millrace.Tests.Child;

/// <summary>Writes, appends to, copies, scans and reads a file in every way; throws when bytes or errors are not as usual.</summary>
internal static class EveryWay
{
    private const int Bytes = 3_000_000;

    /// <returns>Which native calls were allowed.</returns>
    public static async Task<string> RunAsync(string folder)
    {
        byte[] content = new byte[Bytes];
        new Random(1).NextBytes(content);
        foreach (WriterKind kind in WriterKind.All)
        {
            string path = Path.Combine(folder, kind.Name);
            await WriteAsync(kind, path, content.AsMemory(1));
            await WriteAsync(kind, path, content);
            await ThrowIfOtherAsync(path, content);
            await WriteAsync(kind with { Options = kind.Options with { CreateNew = true } }, path + ".new", content);
            if (await ErrorAsync(() => WriteAsync(kind with { Options = kind.Options with { CreateNew = true } }, path, content)) != FilePipeError.NameTaken)
            {
                throw new InvalidDataException("An existing file was replaced.");
            }
        }

        string source = Path.Combine(folder, "Buffered");
        foreach (ReadStrategy strategy in Enum.GetValues<ReadStrategy>())
        {
            await using FilePipeReader reader = FilePipe.OpenRead(source, new FileReadOptions { Strategy = strategy });
            using var read = new MemoryStream();
            await reader.CopyToAsync(read);
            ThrowIfOther(read.ToArray(), content);
        }

        await FilePipe.CopyAsync(source, source + ".copy", new FileCopyOptions { KeepCached = false });
        await ThrowIfOtherAsync(source + ".copy", content);
        await FilePipe.CopyAsync(source, source + ".copy");
        await ThrowIfOtherAsync(source + ".copy", content);
        string log = Path.Combine(folder, "log");
        for (int part = 0; part < 2; part++)
        {
            await using FileAppendWriter writer = FilePipe.Append(log);
            await writer.WriteAsync(content.AsMemory(part * (Bytes / 2), Bytes / 2));
        }

        await ThrowIfOtherAsync(log, content);
        return $"native {NativeFeatures.Linux}, mapping {NativeFeatures.Mapping}, io_uring {NativeFeatures.IoUring}";
    }

    private static async Task WriteAsync(WriterKind kind, string path, ReadOnlyMemory<byte> content)
    {
        await using FilePipeWriter writer = kind.Create(path);
        await writer.WriteAsync(content);
        await writer.CommitAsync();
    }

    private static async Task<FilePipeError?> ErrorAsync(Func<Task> call)
    {
        try
        {
            await call();
            return null;
        }
        catch (FilePipeException exception)
        {
            return exception.Error;
        }
    }

    private static async Task ThrowIfOtherAsync(string path, byte[] content) => ThrowIfOther(await File.ReadAllBytesAsync(path), content);

    private static void ThrowIfOther(byte[] actual, byte[] content)
    {
        if (!actual.AsSpan().SequenceEqual(content))
        {
            throw new InvalidDataException("Bytes differ.");
        }
    }
}
