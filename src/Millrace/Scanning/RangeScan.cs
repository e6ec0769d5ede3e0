using Microsoft.Win32.SafeHandles;
using Millrace.Interop;
using Millrace.Sources;

namespace Millrace.Scanning;

/// <summary>Opens a file once, cuts it into ranges, and gives each its own reader.</summary>
internal static class RangeScan
{
    public static async Task<T[]> RunAsync<T>(
        string path,
        int degree,
        RecordBoundary boundary,
        Func<FilePipeReader, CancellationToken, ValueTask<T>> scan,
        FileReadOptions options,
        CancellationToken cancellationToken)
    {
        using OpenFile file = OpenFile.Open(path, options);
        file.ReadNothingAhead();
        FileRange[] ranges = await RangeCutter.CutAsync(file, degree, boundary, cancellationToken).ConfigureAwait(false);
        return await FirstFailure.RunAsync(
            ranges.Length,
            degree == 0 ? Environment.ProcessorCount : degree,
            async (number, token) =>
            {
                FilePipeReader reader = Read(file, ranges[number], options);
                await using (reader.ConfigureAwait(false))
                {
                    return await scan(reader, token).ConfigureAwait(false);
                }
            },
            cancellationToken).ConfigureAwait(false);
    }

    private static FilePipeReader Read(OpenFile file, FileRange range, in FileReadOptions options)
    {
        // One description has one lease, which the first of several readers to end would give up for all.
        SafeFileHandle? own = file is { Native: true, Kind: FileKind.Regular, KeepsCached: true } && options.Strategy == ReadStrategy.Mapped
            ? FileReopen.TryOpen(file.Handle)
            : null;
        ReadStrategy strategy = options.Strategy switch
        {
            // The other processors read other ranges at the same time.
            ReadStrategy.Auto => ReadStrategy.Buffered,
            ReadStrategy.Mapped when own is null && file.KeepsCached => ReadStrategy.Buffered,
            _ => options.Strategy,
        };
        OpenFile part = file.Part(range.Start, range.End, own);
        try
        {
            return new FilePipeReader(part, options with { Strategy = strategy });
        }
        catch
        {
            part.Dispose();
            throw;
        }
    }
}
