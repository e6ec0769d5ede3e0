using System.Globalization;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Child;

/// <summary>Reads, scans, copies and writes a file without leaving pages in the cache, and prints which ones are there afterwards.</summary>
internal static partial class Uncached
{
    private const int Length = 12 * 1024 * 1024;
    private const int Random = 1; // POSIX_FADV_RANDOM

    // Pages that others have read: a run of pages that begins and ends inside of a block, and single ones.
    private const int OthersFrom = 1_000;
    private const int OthersTo = 1_500;
    private const int Single = 37;

    private static readonly Dictionary<string, Func<string, bool, Task>> Ways = new(StringComparer.Ordinal)
    {
        ["Auto"] = (path, keep) => ReadAsync(path, new FileReadOptions { KeepCached = keep }),
        ["Buffered"] = (path, keep) => ReadAsync(path, new FileReadOptions { KeepCached = keep, Strategy = ReadStrategy.Buffered }),
        ["ReadAhead"] = (path, keep) => ReadAsync(path, new FileReadOptions { KeepCached = keep, Strategy = ReadStrategy.ReadAhead }),
        ["Mapped"] = (path, keep) => ReadAsync(path, new FileReadOptions { KeepCached = keep, Strategy = ReadStrategy.Mapped }),
        ["Handle"] = ReadHandleAsync,
        ["Pipe"] = ReadIntoPipeAsync,
        ["Scan"] = ScanAsync,
        ["Copy"] = CopyAsync,
        ["Verify"] = VerifyAsync,
    };

    public static IEnumerable<string> Names => Ways.Keys;

    /// <returns>How many pages of others there were, how many of them are left, how many were added, and those of the new file.</returns>
    public static async Task<string> RunAsync(string folder, string way, bool keep)
    {
        string path = Path.Combine(folder, "read");
        await File.WriteAllBytesAsync(path, TestContent.Of(Length).ToArray());
        bool[] before = Prepare(path);
        await Ways[way](path, keep);
        bool[] after = PageResidence.Of(path);
        int others = before.Count(page => page);
        int left = before.Zip(after).Count(page => page is (true, true));
        int added = before.Zip(after).Count(page => page is (false, true));
        return string.Create(CultureInfo.InvariantCulture, $"{others} {left} {added} {Created(path + ".copy")}");
    }

    /// <returns>How many pages of a file that was written are in the cache.</returns>
    public static async Task<string> WriteAsync(string path, WriterKind kind, bool keep)
    {
        WriterKind kept = kind with { Options = kind.Options with { KeepCached = keep } };
        await using (FilePipeWriter writer = kept.Create(path))
        {
            await writer.WriteAsync(TestContent.Of(1_000));
            await writer.WriteAsync(TestContent.Between(1_000, Length));
            await writer.CommitAsync();
        }

        int pages = Created(path);
        ThrowIfOther(await File.ReadAllBytesAsync(path));
        return pages.ToString(CultureInfo.InvariantCulture);
    }

    private static int Created(string path) => File.Exists(path) ? PageResidence.Of(path).Count(page => page) : 0;

    private static bool[] Prepare(string path)
    {
        using SafeFileHandle file = File.OpenHandle(path, share: FileShare.ReadWrite);
        PageResidence.Evict(path);
        _ = Advise(file, 0, 0, Random);
        byte[] page = new byte[Environment.SystemPageSize];
        int pages = Length / page.Length;
        for (int i = 0; i < pages; i++)
        {
            if (i is >= OthersFrom and < OthersTo || i % Single == 0)
            {
                _ = RandomAccess.Read(file, page, i * (long)page.Length);
            }
        }

        return PageResidence.Of(path);
    }

    private static async Task ReadAsync(string path, FileReadOptions options)
    {
        await using FilePipeReader reader = FilePipe.OpenRead(path, options);
        await ThrowIfOtherAsync(reader);
    }

    private static async Task ReadHandleAsync(string path, bool keep)
    {
        using SafeFileHandle handle = File.OpenHandle(path);
        await using FilePipeReader reader = FilePipe.OpenRead(handle, new FileReadOptions { KeepCached = keep, LeaveOpen = true, Offset = 0 });
        await ThrowIfOtherAsync(reader);
    }

    private static async Task ThrowIfOtherAsync(FilePipeReader reader)
    {
        using var read = new MemoryStream();
        await reader.CopyToAsync(read);
        ThrowIfOther(read.ToArray());
    }

    private static async Task ReadIntoPipeAsync(string path, bool keep)
    {
        await using FilePipeReader reader = FilePipe.OpenRead(path, new FileReadOptions { KeepCached = keep });
        using var read = new MemoryStream();
        var pipe = System.IO.Pipelines.PipeWriter.Create(read);
        await reader.CopyToAsync(pipe);
        await pipe.CompleteAsync();
        ThrowIfOther(read.ToArray());
    }

    private static async Task ScanAsync(string path, bool keep)
    {
        (long Position, byte[] Bytes)[] parts = await FilePipe.ScanAsync(
            path,
            degree: 4,
            RecordBoundary.After(0),
            async (reader, _) =>
            {
                long position = reader.Position;
                using var read = new MemoryStream();
                await reader.CopyToAsync(read, CancellationToken.None);
                return (position, read.ToArray());
            },
            new FileReadOptions { KeepCached = keep });
        ThrowIfOther([.. parts.SelectMany(part => part.Bytes)]);
    }

    private static async Task CopyAsync(string path, bool keep)
    {
        await FilePipe.CopyAsync(path, path + ".copy", new FileCopyOptions { KeepCached = keep, NoReflink = true });
        if (new FileInfo(path + ".copy").Length != Length)
        {
            throw new InvalidDataException("The copy has another length.");
        }
    }

    private static async Task VerifyAsync(string path, bool keep) =>
        await FilePipe.CopyAsync(path, path + ".copy", new FileCopyOptions { KeepCached = keep, NoReflink = true, Verify = true });

    private static void ThrowIfOther(ReadOnlySpan<byte> bytes)
    {
        if (!bytes.SequenceEqual(TestContent.Of(Length).Span))
        {
            throw new InvalidDataException("Other bytes than those of the file.");
        }
    }

    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    private static partial int Advise(SafeFileHandle file, long offset, long bytes, int advice);
}
