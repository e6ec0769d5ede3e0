using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>One request to an upload, and what it is answered with whatever happens to it.</summary>
internal sealed class UploadCall
{
    public UploadCall(HttpContext context, IFileStore store, TransferServerOptions options, string uploadsPath)
    {
        Context = context;
        Store = store;
        Options = options;
        UploadsPath = uploadsPath;
        Method = context.Request.Method;
    }

    public HttpContext Context { get; }

    public HttpRequest Request => Context.Request;

    public HttpResponse Response => Context.Response;

    public IFileStore Store { get; }

    public TransferServerOptions Options { get; }

    /// <summary>Path at which uploads have their own URLs, without a slash at its end.</summary>
    public string UploadsPath { get; }

    public UploadProtocol Protocol { get; set; }

    public bool IsTus => Protocol == UploadProtocol.Tus;

    /// <summary>What the client wants, which tus may say in a field because something on the way knows few methods.</summary>
    public string Method { get; set; }

    /// <summary>
    /// Whether all bytes have come, so that a refusal is about the file and not about the upload: the draft tells that to
    /// clients.
    /// </summary>
    public bool HasAll { get; set; }

    /// <summary>The status of a refusal, where the protocol wants another one than its error has; null otherwise.</summary>
    public int? RefusalStatus { get; set; }

    /// <summary>Where the request continues, for a refusal that says where it should; null where that is not the matter.</summary>
    public long? ProvidedOffset { get; set; }

    /// <summary>Whether the length is what the request contradicts.</summary>
    public bool LengthContradicts { get; set; }

    /// <summary>Whether the request has a body, as far as its fields tell.</summary>
    public bool HasBody => Request.ContentLength is > 0 || (Request.ContentLength is null
        && Context.Features.Get<IHttpRequestBodyDetectionFeature>()?.CanHaveBody == true);

    /// <summary>The URL of an upload, as a path.</summary>
    public string UrlOf(UploadId id) => $"{Request.PathBase.ToUriComponent()}{UploadsPath}/{id}";

    /// <summary>The URL of a file, as a path.</summary>
    public string UrlOf(TransferName name) =>
        $"{Request.PathBase.ToUriComponent()}{Options.FilesPath.TrimEnd('/')}/{name.ToEncoded()}";

    /// <summary>Puts down what every answer has.</summary>
    public void AddCommonFields()
    {
        IHeaderDictionary headers = Response.Headers;
        headers.CacheControl = CacheControlHeaderValue.NoStoreString;
        if (IsTus)
        {
            headers[TransferHeaders.TusResumable] = UploadHeaders.Version;
        }
        else if (DraftVersion.TryRead(Request, out long version) && DraftVersion.IsSpoken(version))
        {
            headers[TransferHeaders.UploadDraftInteropVersion] = Text(version);
        }
    }

    public static string Text(long number) => number.ToString(System.Globalization.CultureInfo.InvariantCulture);
}
