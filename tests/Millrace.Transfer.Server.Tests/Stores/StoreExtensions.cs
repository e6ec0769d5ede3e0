using System.IO.Pipelines;

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>What most tests do with a store.</summary>
internal static class StoreExtensions
{
    /// <summary>Names in a folder, sorted; the store's own folder is left out.</summary>
    public static string[] VisibleNames(this TemporaryFolder folder) =>
        [.. folder.Names.Where(name => name != NameRules.HiddenFolder)];

    public static TransferName Name(this string text) => TransferName.Parse(text);

    public static async Task<StoredFile> PutAsync(
        this IFileStore store, string name, string content, WritePrecondition precondition = default, FileTime? modified = null)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(content);
        await using StoredFileWriter writer = await store.CreateAsync(
            name.Name(), new CreateFileOptions { Length = bytes.Length, Precondition = precondition, Modified = modified }, default);
        await writer.Output.WriteAsync(bytes);
        return await writer.CommitAsync(null, default);
    }

    public static async Task<string> GetAsync(this StoredFileReader reader)
    {
        PipeReader pipe = reader.Read(new ByteRange(0, reader.File.Length));
        using var content = new MemoryStream();
        await pipe.CopyToAsync(content);
        await pipe.CompleteAsync();
        return Encoding.UTF8.GetString(content.ToArray());
    }

    public static async Task<string> GetAsync(this IFileStore store, string name)
    {
        await using StoredFileReader reader = await store.OpenReadAsync(name.Name(), DigestNeed.IfKnown, default);
        return await reader.GetAsync();
    }

    public static async Task<StoredFile?> FindAsync(
        this IFileStore store, string name, DigestNeed need = DigestNeed.IfKnown) =>
        await store.FindAsync(name.Name(), need, default);

    public static ValueTask<StoredFile?> MoveAsync(
        this IFileStore store, string from, string to, MoveOptions options = default) =>
        store.MoveAsync(from.Name(), to.Name(), options, default);

    public static async Task<UploadStatus> StartAsync(this IFileStore store, string? name, long? length, bool createNew = false) =>
        await store.StartUploadAsync(
            new StartUploadOptions { Name = name?.Name() ?? default, Length = length, Precondition = new WritePrecondition { CreateNew = createNew } },
            default);

    public static async Task<UploadStatus> AppendAsync(
        this IFileStore store, UploadId id, long offset, string content, bool discardable = false)
    {
        await using UploadWriter writer = await store.AppendUploadAsync(id, offset, discardable, default);
        await writer.Output.WriteAsync(Encoding.UTF8.GetBytes(content));
        return await writer.SaveAsync(default);
    }

    /// <summary>Asserts how many uploads have expired. The store's own search, which begins when it is opened, may be first.</summary>
    public static async Task ExpiresAsync(this LocalFileStore store, int count)
    {
        await store.ExpireUploadsAsync(default);
        Assert.Equal(count, store.Upkeep.Expired);
    }

    public static async Task<TransferError> FailsAsync(Func<Task> action) =>
        (await Assert.ThrowsAsync<TransferException>(action)).Error;

    public static async Task FailsAsync(this Task work, TransferError error) => Assert.Equal(error, await FailsAsync(() => work));

    public static Task FailsAsync<T>(this ValueTask<T> work, TransferError error) => work.AsTask().FailsAsync(error);
}
