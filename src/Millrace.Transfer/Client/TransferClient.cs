using System.IO.Pipelines;

namespace Millrace.Transfer;

/// <summary>
/// Moves files to and from one server: resumes after an interruption by itself, verifies every byte, publishes nothing that
/// is not whole. One instance a server; it can be used by any number of threads at once.
/// </summary>
public sealed partial class TransferClient : IDisposable
{
    /// <summary>A client with connections of its own.</summary>
    /// <param name="files">Where the server has its files, for example <c>http://host:8080/files/</c>.</param>
    /// <param name="options">How it is reached; null for the defaults.</param>
    public TransferClient(Uri files, TransferClientOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(files);
        Files = files;
        Options = options ?? new TransferClientOptions();
    }

    /// <summary>Where the server has its files; ends with a slash.</summary>
    public Uri Files { get; }

    /// <summary>How it is reached.</summary>
    public TransferClientOptions Options { get; }

    /// <summary>What the server offers; asked for once.</summary>
    public ValueTask<ServerDescription> DescribeAsync(CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();

    /// <summary>Uploads a file.</summary>
    public Task<TransferResult> PutAsync(
        string path, TransferName name, PutOptions options = default,
        IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();

    /// <summary>Uploads what a stream has, from its position on.</summary>
    public Task<TransferResult> PutAsync(
        Stream content, TransferName name, PutOptions options = default,
        IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();

    /// <summary>Uploads what a pipe has.</summary>
    public Task<TransferResult> PutAsync(
        PipeReader content, TransferName name, PutOptions options = default,
        IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();

    /// <summary>Uploads a sequence of memory.</summary>
    public Task<TransferResult> PutAsync(
        IAsyncEnumerable<ReadOnlyMemory<byte>> content, TransferName name, PutOptions options = default,
        IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();

    /// <summary>Downloads a file to a path, where it appears when it is whole and verified.</summary>
    public Task<TransferResult> GetAsync(
        TransferName name, string path, GetOptions options = default,
        IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();

    /// <summary>Downloads a file into a stream.</summary>
    public Task<TransferResult> GetAsync(
        TransferName name, Stream destination, GetOptions options = default,
        IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();

    /// <summary>Downloads a file into a pipe.</summary>
    public Task<TransferResult> GetAsync(
        TransferName name, PipeWriter destination, GetOptions options = default,
        IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();

    /// <summary>Downloads a file as a sequence of memory, each valid until the next is asked for.</summary>
    public IAsyncEnumerable<ReadOnlyMemory<byte>> ReadAsync(
        TransferName name, GetOptions options = default, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();

    /// <summary>What is known of a file; null when there is none.</summary>
    public Task<StoredFile?> FindAsync(TransferName name, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();

    /// <summary>Lists a folder, page by page as the caller goes on.</summary>
    /// <param name="folder">The folder; <c>default</c> for the root.</param>
    /// <param name="recursive">Whether the files of folders in it are listed too (then folders themselves are not).</param>
    /// <param name="cancellationToken">Ends the listing.</param>
    public IAsyncEnumerable<RemoteEntry> ListAsync(
        TransferName folder = default, bool recursive = false, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();

    /// <summary>Deletes a file.</summary>
    /// <returns>False when there was none.</returns>
    public Task<bool> DeleteAsync(
        TransferName name, WritePrecondition precondition = default, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();

    /// <summary>Uploads all files of a folder, several at once.</summary>
    /// <returns>The results of those that succeeded; failures are reported to <paramref name="progress"/> and thrown together at the end.</returns>
    public Task<IReadOnlyList<TransferResult>> PutFolderAsync(
        string path, TransferName folder = default, PutOptions options = default,
        IProgress<FolderProgress>? progress = null, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();

    /// <summary>Downloads all files of a folder, several at once.</summary>
    /// <returns>As <see cref="PutFolderAsync"/>.</returns>
    public Task<IReadOnlyList<TransferResult>> GetFolderAsync(
        TransferName folder, string path, GetOptions options = default,
        IProgress<FolderProgress>? progress = null, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();

    /// <summary>Closes its connections.</summary>
    public void Dispose()
    {
    }
}
