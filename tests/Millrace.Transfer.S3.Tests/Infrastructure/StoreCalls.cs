using System.IO.Pipelines;

namespace Millrace.Transfer.S3.Tests.Infrastructure;

/// <summary>What most tests do with a store.</summary>
internal static class StoreCalls
{
    public static TransferName Name(this string text) => TransferName.Parse(text);

    public static async Task<StoredFile> PutAsync(this IFileStore store, string name, ReadOnlyMemory<byte> content)
    {
        await using StoredFileWriter writer = await store.CreateAsync(
            name.Name(), new CreateFileOptions { Length = content.Length }, default);
        await WriteAsync(writer.Output, content);
        return await writer.CommitAsync(null, default);
    }

    public static async Task<byte[]> GetAsync(this IFileStore store, string name)
    {
        await using StoredFileReader reader = await store.OpenReadAsync(name.Name(), DigestNeed.IfKnown, default);
        PipeReader pipe = reader.Read(new Millrace.Transfer.ByteRange(0, reader.File.Length));
        using var content = new MemoryStream();
        await pipe.CopyToAsync(content);
        await pipe.CompleteAsync();
        return content.ToArray();
    }

    public static async Task<UploadStatus> AppendAsync(this IFileStore store, UploadId id, long offset, ReadOnlyMemory<byte> content)
    {
        await using UploadWriter writer = await store.AppendUploadAsync(id, offset, discardable: false, default);
        await WriteAsync(writer.Output, content);
        return await writer.SaveAsync(default);
    }

    /// <summary>Writes in pieces, as a server receives.</summary>
    public static async Task WriteAsync(PipeWriter body, ReadOnlyMemory<byte> content)
    {
        const int Piece = 64 * 1024;
        for (int at = 0; at < content.Length; at += Piece)
        {
            await body.WriteAsync(content.Slice(at, Math.Min(Piece, content.Length - at)));
        }
    }
}
