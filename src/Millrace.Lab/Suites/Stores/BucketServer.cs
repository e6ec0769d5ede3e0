using Amazon.S3;
using Amazon.S3.Model;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Millrace.Lab.Suites.Transfers;
using Millrace.Transfer;
using Millrace.Transfer.S3;
using Millrace.Transfer.Server;

namespace Millrace.Lab.Suites.Stores;

/// <summary>What `millrace serve s3://…` runs, with the objects that downloads read, and beside it the meters of its process.</summary>
internal sealed class BucketServer : IServedFiles
{
    private const string AskPath = "files";

    private readonly WebApplication _app;
    private readonly ServerMeters _meters = new(static (_, _) => null);
    private readonly TransferServer _server;
    private readonly S3FileStore _store;
    private readonly LabBucket _bucket;

    private BucketServer(LabBucket bucket, S3FileStore store, TransferServer server)
    {
        _bucket = bucket;
        _store = store;
        _server = server;
        WebApplicationBuilder builder = ServerEnd.CreateBuilder(options => options.Listen(IPAddress.Loopback, 0));
        builder.Services.AddRoutingCore();
        _app = builder.Build();
        _meters.Map(_app);
        _app.MapMethods("/" + AskPath, [HttpMethods.Get], context => context.Response.WriteAsync(FilesOf(_server).AbsoluteUri));
        _app.StartAsync().GetAwaiter().GetResult();
        Address = new Uri(_app.Urls.Single() + "/");
    }

    public Uri Address { get; }

    /// <summary>Starts it and puts the objects.</summary>
    /// <exception cref="LabException">The bucket cannot be used; the message has the reason.</exception>
    public static BucketServer Start(LabBucket bucket, IReadOnlyList<TestFile> files) => StartAsync(bucket, files).GetAwaiter().GetResult();

    /// <summary>Where the bucket's files are.</summary>
    public static Uri Find(Uri server) => new(Question.Ask(new Uri(server, AskPath)));

    /// <summary>Names the object that a method downloads, which the same client has written.</summary>
    public static string NameOf(string method, TestFile source) =>
        $"{(method is StoreMethod.Millrace or StoreMethod.MillraceRedirected ? "millrace" : "rclone")}-{Path.GetFileName(source.Path)}";

    public void Dispose() => DisposeAsync().GetAwaiter().GetResult();

    private static async Task<BucketServer> StartAsync(LabBucket bucket, IReadOnlyList<TestFile> files)
    {
        S3FileStoreOptions options = bucket.ToStoreOptions();
        options.Redirects = true;
        var store = new S3FileStore(options);
        TransferServer? server = null;
        try
        {
            await store.CheckAsync().ConfigureAwait(false);
            server = await TransferServer.StartAsync(new TransferHostOptions
            {
                Folder = "",
                FileStore = store,
                Port = 0,
                Http2Port = 0,
            }).ConfigureAwait(false);
            using var client = new TransferClient(FilesOf(server));
            foreach (TestFile file in files)
            {
                await client.PutAsync(file.Path, TransferName.Parse(NameOf(StoreMethod.Millrace, file))).ConfigureAwait(false);
                if (RcloneProgram.WhyNot is null)
                {
                    RcloneProgram.Upload(bucket, file.Path, NameOf(StoreMethod.Rclone, file), isChecked: true, inParts: true);
                }
            }

            return new BucketServer(bucket, store, server);
        }
        catch (Exception exception) when (exception is TransferException or IOException)
        {
            if (server is not null)
            {
                await server.DisposeAsync().ConfigureAwait(false);
            }

            await store.DisposeAsync().ConfigureAwait(false);
            throw new LabException(exception.Message, exception);
        }
    }

    private static Uri FilesOf(TransferServer server) => new(server.Address, "files/");

    private async Task DisposeAsync()
    {
        await _app.DisposeAsync().ConfigureAwait(false);
        await _server.DisposeAsync().ConfigureAwait(false);
        await _store.DisposeAsync().ConfigureAwait(false);
        _meters.Dispose();
        await ClearAsync().ConfigureAwait(false);
    }

    /// <summary>Deletes all that was written below the laboratory's own prefix.</summary>
    private async Task ClearAsync()
    {
        using AmazonS3Client client = S3FileStore.CreateClient(_bucket.ToStoreOptions());
        var request = new ListObjectsV2Request { BucketName = _bucket.Bucket, Prefix = _bucket.OwnPrefix + "/" };
        do
        {
            ListObjectsV2Response page = await client.ListObjectsV2Async(request).ConfigureAwait(false);
            if (page.S3Objects is { Count: > 0 } objects)
            {
                await client.DeleteObjectsAsync(new DeleteObjectsRequest
                {
                    BucketName = _bucket.Bucket,
                    Objects = [.. objects.Select(static item => new KeyVersion { Key = item.Key })],
                }).ConfigureAwait(false);
            }

            request.ContinuationToken = page.NextContinuationToken;
        }
        while (request.ContinuationToken is not null);
    }
}
