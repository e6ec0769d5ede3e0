using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Millrace.Transfer;
using Millrace.Transfer.Server;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>
/// The server of the array rows: Millrace's store with an endpoint that gathers every message in an array. Limits and
/// windows are those of Millrace's server, so that only the messages differ.
/// </summary>
internal sealed class ArrayServer : IAsyncDisposable
{
    public const string DownloadPath = "arrays/download";
    public const string StartPath = "arrays/start";
    public const string AppendPath = "arrays/append";
    private const int WindowBytes = 16 * 1024 * 1024;
    private const string StatusField = "grpc-status";

    private readonly LocalFileStore _store;
    private readonly WebApplication _app;

    private ArrayServer(string folder, Durability durability, IPAddress address)
    {
        _store = new LocalFileStore(folder, new LocalFileStoreOptions { ComputeSha256 = false, Durability = durability });
        WebApplicationBuilder builder = ServerEnd.CreateBuilder(options =>
        {
            options.Limits.MaxRequestBodySize = null;
            options.Limits.MinRequestBodyDataRate = null;
            options.Limits.MinResponseDataRate = null;
            options.Limits.Http2.InitialStreamWindowSize = WindowBytes;
            options.Limits.Http2.InitialConnectionWindowSize = WindowBytes;
            options.Listen(address, 0, listen => listen.Protocols = HttpProtocols.Http1);
            options.Listen(address, 0, listen => listen.Protocols = HttpProtocols.Http2);
        });
        builder.Services.AddRoutingCore();
        _app = builder.Build();
        _app.MapMethods("/" + DownloadPath, [HttpMethods.Post], SendAsync);
        _app.MapMethods("/" + StartPath, [HttpMethods.Post], StartAsync);
        _app.MapMethods("/" + AppendPath, [HttpMethods.Post], AppendAsync);
    }

    public StoreAddress Address { get; private set; } = null!;

    public static async Task<ArrayServer> StartAsync(string folder, Durability durability, IPAddress address)
    {
        var server = new ArrayServer(folder, durability, address);
        await server._app.StartAsync().ConfigureAwait(false);
        Uri[] addresses = [.. server._app.Urls.Select(url => new Uri(url + "/"))];
        server.Address = new StoreAddress(addresses[0], addresses[1].Authority);
        return server;
    }

    public async ValueTask DisposeAsync()
    {
        await _app.DisposeAsync().ConfigureAwait(false);
        await _store.DisposeAsync().ConfigureAwait(false);
    }

    private async Task SendAsync(HttpContext context)
    {
        (MessageForm form, int bytes) = Ask(context);
        StoredFileReader reader = await _store.OpenReadAsync(NameIn(context), DigestNeed.IfKnown, context.RequestAborted).ConfigureAwait(false);
        await using (reader.ConfigureAwait(false))
        {
            long length = reader.File.Length;
            Stream file = reader.Read(new ByteRange(0, length), bytes).AsStream();
            await using (file.ConfigureAwait(false))
            {
                context.Response.ContentType = "application/grpc";
                long sent = await MessageArrays.SendAsync(file, context.Response.Body, form, bytes, length).ConfigureAwait(false);
                if (sent != length)
                {
                    throw new IOException($"{sent} of {length} bytes were there.");
                }
            }
        }

        await EndAsync(context, form).ConfigureAwait(false);
    }

    private async Task StartAsync(HttpContext context)
    {
        var options = new StartUploadOptions { Name = NameIn(context), Length = NumberIn(context, "length") };
        StoredUpload upload = await _store.Uploads.StartAsync(options, context.RequestAborted).ConfigureAwait(false);
        await using (upload.ConfigureAwait(false))
        {
            await context.Response.WriteAsync(upload.Status.Id.ToString()).ConfigureAwait(false);
        }
    }

    private async Task AppendAsync(HttpContext context)
    {
        (MessageForm form, _) = Ask(context);
        if (!UploadId.TryParse((string)context.Request.Query["id"]!, out UploadId id))
        {
            throw new InvalidDataException("The request names no upload.");
        }

        StoredUpload upload = await _store.Uploads.FindAsync(id, context.RequestAborted).ConfigureAwait(false)
            ?? throw new InvalidDataException("There is no such upload.");
        await using (upload.ConfigureAwait(false))
        {
            UploadWriter writer = await upload
                .AppendAsync(NumberIn(context, "offset"), discardable: false, context.RequestAborted).ConfigureAwait(false);
            await using (writer.ConfigureAwait(false))
            {
                await MessageArrays.ReceiveAsync(context.Request.Body, writer.Output, form).ConfigureAwait(false);
                await writer.SaveAsync(CancellationToken.None).ConfigureAwait(false);
            }

            if (upload.Status.IsComplete)
            {
                await upload.CompleteAsync(expected: null, CancellationToken.None).ConfigureAwait(false);
            }
        }

        await EndAsync(context, form).ConfigureAwait(false);
    }

    private static async Task EndAsync(HttpContext context, MessageForm form)
    {
        if (HttpProtocol.IsHttp2(context.Request.Protocol))
        {
            context.Response.AppendTrailer(StatusField, "0");
        }
        else
        {
            await MessageArrays.EndAsync(context.Response.Body, form).ConfigureAwait(false);
        }
    }

    private static (MessageForm Form, int Bytes) Ask(HttpContext context)
    {
        IQueryCollection query = context.Request.Query;
        var form = new MessageForm(
            Enum.Parse<MessageArray>(query["array"]!), bool.Parse(query["text"]!), bool.Parse(query["gzip"]!));
        return (form, (int)NumberIn(context, "bytes"));
    }

    private static TransferName NameIn(HttpContext context) => TransferName.Parse(context.Request.Query["name"]!);

    private static long NumberIn(HttpContext context, string name) =>
        long.Parse(context.Request.Query[name]!, CultureInfo.InvariantCulture);
}
