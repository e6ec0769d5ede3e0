using Millrace.Lab.Suites.Writes;
using Millrace.Lab.Tests.Infrastructure;

namespace Millrace.Lab.Tests.Writes;

/// <summary>Which members the library has by now: the suite measures some before they are there.</summary>
internal static class Offered
{
    /// <summary>The methods that can run.</summary>
    public static bool Has(WritesCase entry) => Has(entry.Method);

    /// <summary>Whether one of them can.</summary>
    public static bool Has(string method) => method switch
    {
        nameof(FileCopying.FilePipeCopy) => Copy.Value,
        nameof(FileScanning.FilePipeScan) => Scan.Value,
        nameof(RecordAppending.FilePipeAppend) => Append.Value,
        _ => true,
    };

    private static readonly Lazy<bool> Append = new(() => Try(file =>
    {
        FilePipe.Append(file).Dispose();
        return ValueTask.CompletedTask;
    }));

    private static readonly Lazy<bool> Copy = new(() => Try(async file =>
    {
        await File.WriteAllBytesAsync(file, [1]);
        await FilePipe.CopyAsync(file, file + ".copy");
    }));

    private static readonly Lazy<bool> Scan = new(() => Try(async file =>
    {
        await File.WriteAllBytesAsync(file, [1]);
        await FilePipe.ScanAsync(file, 1, RecordBoundary.Lines, (_, _) => ValueTask.FromResult(1));
    }));

    private static bool Try(Func<string, ValueTask> member)
    {
        using var folder = new TemporaryFolder();
        try
        {
            member(folder.File("file")).AsTask().GetAwaiter().GetResult();
            return true;
        }
        catch (NotSupportedException)
        {
            return false;
        }
    }
}
